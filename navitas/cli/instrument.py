"""`navitas instrument`: probes into class folders and jars, without Gradle."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.build.bridge import InstrumentOptions, InstrumentSummary
from navitas.build.instrument import instrument
from navitas.cli.options import probe_options
from navitas.cli.paths import READ, WRITE
from navitas.untrusted_text import printable

_LONGEST = 10_000


@click.command("instrument")
@click.argument("inputs", nargs=-1, required=True, type=READ, metavar="IN…")
@click.option("-o", "--output", required=True, type=WRITE, metavar="OUT", help="Folder or jar to write.")
@click.option("--map", "map_file", required=True, type=WRITE, metavar="FILE", help="Method map to write.")
@probe_options
def command(
    *,
    inputs: tuple[Path, ...],
    output: Path,
    map_file: Path,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    skip_trivial: bool,
) -> None:
    """Instrument class folders and jars.

    One folder becomes the folder OUT, one jar the file OUT if that ends in .jar; several keep their names inside the folder OUT.
    Classes of known frameworks in a jar, such as kotlin and groovy, get probes only where --include names them.
    To record, run the result with navitas-runtime.jar on the class path and -Dnavitas.out=DIR.
    """
    summary = instrument(inputs, output, map_file, InstrumentOptions(include, exclude, skip_trivial))
    warnings = [*summary.warnings, *_frameworks(summary)]
    for warning in warnings:
        click.secho(f"warning: {printable(warning, _LONGEST)}", err=True, fg="yellow")
    counts = f"{summary.classes} classes, {summary.methods} methods with probes, {summary.skipped} left alone"
    click.echo(f"{counts}; map {summary.map_id}", err=True)


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
