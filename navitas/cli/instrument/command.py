"""`navitas instrument`: adds probes to class folders and jars, without Gradle."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.capture.build.bridge import InstrumentOptions, InstrumentSummary
from navitas.capture.build.instrument import check_block_edits, instrument
from navitas.capture.bundle.manifest import Probes
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, note, shell_word, warning
from navitas.cli.habits.option import choice_option, option, renamed
from navitas.cli.habits.paths import READ, READ_FILE, WRITE, WRITE_FILE_OR_FOLDER
from navitas.cli.habits.shared_options import probe_options


@click.command("instrument", cls=NavitasCommand, example="navitas instrument classes -o out --map-output map.json")
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="IN…")
@option("-o", "--output", required=True, type=WRITE_FILE_OR_FOLDER, metavar="OUT", help="The folder or jar to write.")
@option("--map-output", "map_file", required=True, type=WRITE, metavar="FILE", help="The method map to write.")
@choice_option("--probes", ["methods", "blocks", "none"], "methods: their calls; blocks: executions of basic blocks.")
@option("--block-edits", type=READ_FILE, metavar="FILE", help="Remove or repeat these blocks first.")
@option("--hooks", is_flag=True, help="Hook calls of files, network and devices.")
@renamed("--map", "--map-output")
@probe_options
@json_option
def command(
    *,
    inputs: tuple[Path, ...],
    output: Path,
    map_file: Path,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    skip_trivial: bool,
    probes: Probes,
    hooks: bool,
    hook_libraries: bool,
    block_edits: Path | None,
    json_file: Path | None,
) -> None:
    """Instrument class folders and jars.

    One input folder becomes the folder OUT. One jar becomes the file OUT if that ends in .jar. Several inputs keep their names in
    the folder OUT.
    Classes of known frameworks in a jar, such as kotlin and groovy, get probes only if --include names them.
    To record, run the result with navitas-runtime.jar (and navitas-hooks.jar, with --hooks) on the class path and with
    -Dnavitas.out=DIR. Then -Dnavitas.hooks=true records hooked calls. With --probes blocks, also add navitas-runtime-blocks.jar
    and -Dnavitas.blocks=true -Dnavitas.mode=none.
    """
    if hook_libraries and not hooks:
        raise UsageError("--hook-libraries adds to --hooks, which is missing", "add --hooks, or leave it out")
    if hooks and probes != "methods":
        raise UsageError(f"--hooks adds to the probes of methods, and there is --probes {probes}", "leave one out")
    if block_edits is not None:
        check_block_edits(block_edits)
    options = InstrumentOptions(include, exclude, skip_trivial, hooks, hook_libraries, probes, block_edits)
    summary = instrument(inputs, output, map_file, options)
    warnings = [*summary.warnings, *_framework_warnings(summary)]
    write_json(json_file, **{**asdict(summary), "warnings": warnings}, output=str(output), map_output=str(map_file))
    for text in warnings:
        warning(text)
    counts = f"{summary.classes} classes, {summary.methods} methods with probes, {summary.skipped} skipped"
    note(f"{counts}; map {summary.map_id}")
    if summary.methods:
        jars, recorded = "navitas-runtime.jar", ""
        if hooks:
            jars, recorded = f"{jars}:navitas-hooks.jar", " -Dnavitas.hooks=true"
        elif probes == "blocks":
            jars, recorded = f"{jars}:navitas-runtime-blocks.jar", " -Dnavitas.blocks=true -Dnavitas.mode=none"
        next_step(f"java -Dnavitas.out=DIR{recorded} -cp {shell_word(f'{output}:{jars}')} MAIN")


def _framework_warnings(summary: InstrumentSummary) -> list[str]:
    """Return a warning about skipped classes of known frameworks, with the options that instrument them."""
    if not summary.frameworks:
        return []
    counts = ", ".join(f"{pattern} {count:,}" for pattern, count in summary.frameworks.items())
    options = " ".join(f"--include '{pattern}'" for pattern in summary.frameworks)
    count = sum(summary.frameworks.values())
    return [
        f"{count:,} of {summary.seen:,} classes belong to known frameworks and got no probes ({counts}): "
        f"--include '**' includes all classes, {options} only these"
    ]
