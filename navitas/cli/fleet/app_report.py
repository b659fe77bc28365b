"""The page of one app: `navitas fleet report --app`."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import counted
from navitas.cli.fleet.engines import FleetChoice, fleet_of, hogs_of, reading
from navitas.cli.fleet.hogs import clean_limit_percent_h, judged_app, verdict_of, verdict_paragraph
from navitas.cli.fleet.recorded_methods import recorded_methods
from navitas.cli.fleet.rows import Outputs
from navitas.cli.habits.files import STDOUT, write_to
from navitas.cli.habits.messages import note
from navitas.fleet.diagnoses.advice import app_actions
from navitas.fleet.diagnoses.app_drains import DrainRow, drains_of
from navitas.fleet.diagnoses.diagnosis import diagnoses_of
from navitas.fleet.diagnoses.versions import find_versions
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import Claim, warnings_of
from navitas.fleet.findings.results import bug_rows, distributions, of_enough_clients
from navitas.fleet.page.app_page import AppContents, app_page
from navitas.fleet.store import find_app


def report_app(choice: FleetChoice, app: str, outputs: Outputs, output: Path, recordings: list[Path]) -> None:
    """Write the page of an app, and its figures as JSON. Raises `FleetError` if no sample has the app."""
    with fleet_of(choice) as fleet:
        hogs = hogs_of(fleet)
        bugs = find_bugs(fleet, hogs)
        row = verdict_of(fleet, hogs, app)
        if row.clients < outputs.min_clients:
            raise UsageError(f"{counted(row.clients, 'client')} run {app}: fewer than --min-clients", "Give a lower number.")
        chosen, number = judged_app(fleet, hogs, app), find_app(fleet.store, app, fleet.app_names)
        with reading(fleet, "reading versions, weeks and conditions") as shown:
            drains = drains_of(shown, hogs, bugs, number) if len(chosen) else []
            diagnoses = diagnoses_of(shown, hogs, bugs, chosen)
            since = find_versions(shown, hogs, bugs).since.get(number) if row.verdict == Claim.HOG else None
        limit = clean_limit_percent_h(hogs)
        contents = AppContents(
            fleet=choice.title,
            row=row,
            verdict=f"{verdict_paragraph(row, limit).text}.",
            since=since,
            drains=of_enough_clients(drains, outputs.min_clients),
            actions=of_enough_clients(app_actions(fleet, hogs, bugs, diagnoses), outputs.min_clients),
            bugs=of_enough_clients([bug for bug in bug_rows(fleet, bugs) if bug.app == app], outputs.min_clients),
            distributions={fleet.app_names[key]: values for key, values in distributions(fleet, chosen).items()},
            recorded=recorded_methods(recordings, {app}),
            warnings=warnings_of(hogs),
            top=outputs.top,
        )
    if recordings and not contents.recorded:
        note(f"note: no recording belongs to {app}")
    write_to(output, lambda out: print(app_page(contents), end="", file=out))
    lists = {"verdicts": [row], "actions": contents.actions, "bugs": contents.bugs}
    about: dict[str, object] = {
        "page": None if output == STDOUT else str(output),
        "since_version": since,
        "clean_limit_percent_h": limit,
        **{name: [record.as_json() for record in rows] for name, rows in lists.items()},
    }
    if outputs.write(DrainRow, contents.drains, **about) and output != STDOUT:
        click.echo(f"{output}: {contents.verdict}")
