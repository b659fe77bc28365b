"""`navitas instrument`: probes into class folders and jars, without Gradle."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from navitas.build.bridge import InstrumentOptions, InstrumentSummary
from navitas.build.instrument import instrument
from navitas.cli.commands import NavitasCommand
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, note, warning
from navitas.cli.option import option
from navitas.cli.options import probe_options
from navitas.cli.paths import READ, WRITE
from navitas.untrusted_text import printable


@click.command("instrument", cls=NavitasCommand, example="navitas instrument classes -o out --map-output map.json")
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="IN…")
@option("-o", "--output", required=True, type=WRITE, metavar="OUT", help="Folder or jar to write.")
@option(
    "--map-output",
    "map_file",
    required=True,
    type=WRITE,
    metavar="FILE",
    renamed={"--map": "--map-output"},
    help="Method map to write.",
)
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
    json_file: Path | None,
) -> None:
    """Instrument class folders and jars.

    One folder becomes the folder OUT, one jar the file OUT if that ends in .jar; several keep their names inside the folder OUT.
    Classes of known frameworks in a jar, such as kotlin and groovy, get probes only where --include names them.
    To record, run the result with navitas-runtime.jar on the class path and -Dnavitas.out=DIR.
    """
    check_json(json_file)
    summary = instrument(inputs, output, map_file, InstrumentOptions(include, exclude, skip_trivial))
    warnings = [*summary.warnings, *_frameworks(summary)]
    write_json(json_file, **{**asdict(summary), "warnings": warnings}, output=str(output), map_output=str(map_file))
    for text in warnings:
        warning(text)
    counts = f"{summary.classes} classes, {summary.methods} methods with probes, {summary.skipped} left alone"
    note(f"{counts}; map {summary.map_id}")
    if summary.methods:
        next_step(f"java -Dnavitas.out=DIR -cp {printable(str(output))}:navitas-runtime.jar MAIN")


def _frameworks(summary: InstrumentSummary) -> list[str]:
    """What was left alone since it is of known frameworks, and the options that give it probes."""
    if not summary.frameworks:
        return []
    of_each = ", ".join(f"{pattern} {count:,}" for pattern, count in summary.frameworks.items())
    these = " ".join(f"--include '{pattern}'" for pattern in summary.frameworks)
    count = sum(summary.frameworks.values())
    return [
        f"{count:,} of {summary.seen:,} classes are of known frameworks and got no probes ({of_each}): "
        f"--include '**' takes all classes, {these} these alone"
    ]
