"""`navitas instrument`: probes into class folders and jars, without Gradle."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.build.bridge import InstrumentOptions
from navitas.build.instrument import instrument
from navitas.cli.options import probe_options
from navitas.report.names import printable_lines


@click.command("instrument")
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="IN…")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="OUT", help="Folder or jar to write.")
@click.option("--map", "map_file", required=True, type=click.Path(path_type=Path), metavar="FILE", help="Method map to write.")
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
    To record, run the result with navitas-runtime.jar on the class path and -Dnavitas.out=DIR.
    """
    summary = instrument(inputs, output, map_file, InstrumentOptions(include, exclude, skip_trivial))
    for warning in summary.warnings:
        click.secho(f"warning: {printable_lines(warning)}", err=True, fg="yellow")
    counts = f"{summary.classes} classes, {summary.methods} methods with probes, {summary.skipped} left alone"
    click.echo(f"{counts}; map {summary.map_id}", err=True)
