"""`navitas fleet report`: write the results of a fleet as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.cli.fleet.app_report import report_app
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of, reading
from navitas.cli.fleet.recorded_methods import recorded_methods, recordings_in
from navitas.cli.fleet.rows import Outputs, min_clients_option
from navitas.cli.fleet.store_options import client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_json, write_to
from navitas.cli.habits.messages import note
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ, TEXT, WRITE_ANY_NAME
from navitas.cli.habits.shared_options import top_option
from navitas.fleet.diagnoses.advice import app_actions, client_actions
from navitas.fleet.diagnoses.diagnosis import diagnoses_of, suspects
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import warnings_of
from navitas.fleet.findings.results import PERCENT_H, app_rows, bug_rows, distributions, hog_rows, of_enough_clients, score_rows
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.page.document import ClientSection, Contents, page
from navitas.fleet.schema import pseudonym
from navitas.fleet.store import find_client

_PICTURES = 12


@click.command("report", cls=NavitasCommand, example="navitas fleet report fleet -o fleet.html")
@fleet_options
@option("-o", "--output", type=WRITE_ANY_NAME, required=True, metavar="FILE", help="File of the page ('-': stdout).")
@option("--app", type=TEXT, metavar="PACKAGE", help="Only this app.")
@client_option("Add actions for this client: its name as ingested, or its pseudonym.")
@option(
    "--recordings",
    type=READ,
    multiple=True,
    metavar="DIR",
    help="Recordings of hogs, or folders of recordings: adds their methods. Repeatable.",
)
@json_option
@top_option(50)
@min_clients_option
def command(
    *,
    choice: FleetChoice,
    output: Path,
    app: str | None,
    client: str | None,
    recordings: tuple[Path, ...],
    top: int,
    min_clients: int,
    json_file: Path | None,
) -> None:
    """Write a self-contained HTML page: hogs, bugs, J-scores, conditions, and actions for a client; or all about one app."""
    found = list(recordings_in(recordings))
    if app is not None:
        if client is not None:
            raise UsageError("--app and --client exclude each other", "Use one of them.")
        report_app(choice, app, Outputs(json_file, None, top, min_clients), output, found)
        return
    with fleet_of(choice) as fleet:
        hogs = hogs_of(fleet)
        bugs = find_bugs(fleet, hogs)
        scores = score_clients(fleet)
        number = None if client is None else find_client(fleet.store, client, set(scores.client.tolist()))
        chosen, names, rows = suspects(hogs, bugs), fleet.app_names, score_rows(scores)
        with reading(fleet, "reading conditions") as read:
            diagnoses = diagnoses_of(read, hogs, bugs, chosen, clients=[] if number is None else [number])
        section = None
        if number is not None:
            actions = client_actions(fleet, hogs, bugs, diagnoses, number)
            section = ClientSection(next(row for row in rows if row.client == pseudonym(number)), actions)
        shown = distributions(fleet, hogs.app[hogs.is_hog])
        hog_list = of_enough_clients(hog_rows(fleet, hogs, find_versions(fleet, hogs, bugs).since), min_clients)
        by_name = {names[app]: values for app, values in shown.items()}
        contents = Contents(
            title=choice.title,
            usual_percent_h=hogs.usual_ppm_s * PERCENT_H,
            hogs=hog_list,
            bugs=of_enough_clients(bug_rows(fleet, bugs), min_clients),
            scores=rows,
            actions=of_enough_clients(app_actions(fleet, hogs, bugs, diagnoses), min_clients),
            verdicts=of_enough_clients(app_rows(fleet, hogs), min_clients),
            warnings=warnings_of(hogs),
            distributions={row.app: by_name[row.app] for row in hog_list[:_PICTURES]},
            recorded=recorded_methods(found, {names[app] for app in chosen.tolist()}),
            client=section,
            top=top,
        )
    if found and not contents.recorded:
        note("note: no recording belongs to a hog or to an app with bugs")
    write_to(output, lambda out: print(page(contents), end="", file=out))
    counts = {"hogs": len(contents.hogs), "bugs": len(contents.bugs), "clients": len(rows)}
    write_json(json_file, page=None if output == STDOUT else str(output), **counts)
    if STDOUT not in (output, json_file):
        click.echo(f"{output}: {', '.join(counted(number, what.removesuffix('s')) for what, number in counts.items())}")
