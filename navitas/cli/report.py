"""`navitas report`: writes the report of a recording again, offline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from navitas.cli.analysis import load_profile
from navitas.cli.destinations import check_outputs
from navitas.cli.formats import FormatsCommand
from navitas.cli.option import option
from navitas.cli.options import pop_report_options, report_options
from navitas.cli.outputs import print_report, write_files
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.view_options import pop_view_request, view_options
from navitas.errors import UsageError


@click.command(
    "report",
    cls=FormatsCommand,
    example="navitas report navitas-recordings/demo --json - | jq .totals\n"
    "navitas report navitas-recordings/demo --view timeline --component cpu",
)
@click.argument("recording", type=READ_ANY_NAME, required=False)
@option("--schema", "print_schema", is_flag=True, from_project=False, help="Print the JSON Schema of the JSON report and exit.")
@option(
    "--map",
    "map_file",
    type=READ_FILE_ANY_NAME,
    from_project=False,
    metavar="FILE",
    help="The app's map.json or bundle, to add to a recording that lacks it.",
)
@option(
    "-o",
    "--output",
    "outputs",
    type=WRITE_ANY_NAME,
    multiple=True,
    metavar="FILE",
    help="The report's file ('-': stdout). Without --format, its extension selects the format.",
)
@view_options
@report_options
def command(recording: Path | None, print_schema: bool, map_file: Path | None, **values: object) -> None:
    """Write the report of a RECORDING again, without phone, Gradle or Java."""
    views = pop_view_request(values)
    options = replace(pop_report_options(values), views=views)
    if print_schema:
        from navitas.report.json_report import schema  # noqa: PLC0415

        click.echo(json.dumps(schema(), indent=2))
        return
    if recording is None:
        raise UsageError("RECORDING is missing", "give the recording's folder: navitas report navitas-recordings/demo")
    check_outputs(options, recording)
    if map_file is not None:
        from navitas.cli.maps import read_map  # noqa: PLC0415
        from navitas.recording.late_maps import add_map  # noqa: PLC0415

        known = read_map(map_file, recording.name)
        add_map(recording, known.map_id, known.module, known.data, known.includes)
    with ConsoleProgress(only_live=True) as progress:
        profile = load_profile(
            recording,
            options.analysis,
            tree=options.tree,
            stage=progress.stage,
        )
        if views is not None:
            views.check(profile)
        progress.stage("writing the report")
        write_files(profile, options)
    print_report(profile, options)
