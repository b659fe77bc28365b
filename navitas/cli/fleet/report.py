"""`navitas fleet report`: write the results of a fleet as one HTML page."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted, share
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of, reading
from navitas.cli.fleet.rows import client_option, min_clients_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_json, write_to
from navitas.cli.habits.messages import note
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ, WRITE_ANY_NAME
from navitas.cli.habits.shared_options import top_option
from navitas.energy.analyze.load import load
from navitas.energy.analyze.names import MethodNames
from navitas.fleet.diagnoses.advice import app_actions, client_actions
from navitas.fleet.diagnoses.diagnosis import diagnoses_of, suspects
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import warnings_of
from navitas.fleet.findings.results import PERCENT_H, app_rows, bug_rows, distributions, hog_rows, of_enough_clients, score_rows
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.page.document import ClientSection, Contents, MethodRow, Recorded, page
from navitas.fleet.schema import pseudonym
from navitas.fleet.store import find_client
from navitas.recording.layout import MANIFEST_NAME
from navitas.recording.store import open_recording

_PICTURES = 12
_METHODS = 8


@click.command("report", cls=NavitasCommand, example="navitas fleet report fleet -o fleet.html")
@fleet_options
@option("-o", "--output", type=WRITE_ANY_NAME, required=True, metavar="FILE", help="File of the page ('-': stdout).")
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
    client: str | None,
    recordings: tuple[Path, ...],
    top: int,
    min_clients: int,
    json_file: Path | None,
) -> None:
    """Write a self-contained HTML page: hogs, bugs, J-scores, conditions, and actions for a client."""
    found = list(_recordings(recordings))
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
            title=f"Fleet {choice.path.resolve().name}{' (simulated)' if (choice.path / 'truth').is_dir() else ''}",
            usual_percent_h=hogs.usual_ppm_s * PERCENT_H,
            hogs=hog_list,
            bugs=of_enough_clients(bug_rows(fleet, bugs), min_clients),
            scores=rows,
            actions=of_enough_clients(app_actions(fleet, hogs, bugs, diagnoses), min_clients),
            verdicts=of_enough_clients(app_rows(fleet, hogs), min_clients),
            warnings=warnings_of(hogs),
            distributions={row.app: by_name[row.app] for row in hog_list[:_PICTURES]},
            recorded=_recorded(found, {names[app] for app in chosen.tolist()}),
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


def _recordings(given: tuple[Path, ...]) -> Iterator[Path]:
    """The named recordings, and those in named folders. Raises `UsageError` if there are none."""
    for path in given:
        folders = (path, *path.iterdir()) if path.is_dir() else ()
        inside = sorted(folder for folder in folders if (folder / MANIFEST_NAME).is_file())
        if not inside:
            raise UsageError(f"{path}: has no recording", "Name the folder of a recording, or a folder of recordings.")
        yield from inside


def _recorded(recordings: list[Path], apps: Collection[str]) -> dict[str, Recorded]:
    """The methods of the last recording of each of these apps."""
    last = {run.package: path for path in recordings for run in open_recording(path).manifest.runs if run.package in apps}
    methods = {path: methods_of(path) for path in sorted(set(last.values()))}
    return {package: methods[path] for package, path in last.items()}


def methods_of(path: Path) -> Recorded:
    """The methods with the most energy in a recording."""
    profile = load(path)
    names, whole_j = MethodNames(profile.method_table), profile.energy_j()
    rows = [
        MethodRow(names.label(each.id), each.exclusive_j, 100 * (share(each.exclusive_j, whole_j) or 0.0))
        for each in profile.method_totals()[:_METHODS]
    ]
    return Recorded(path.name, tuple(rows))
