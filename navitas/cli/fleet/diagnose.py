"""`navitas fleet diagnose`: conditions of an app's drain, and actions that help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import click
import numpy as np

from navitas.base.errors import UsageError
from navitas.base.units import counted, unbroken
from navitas.base.untrusted_text import printable
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of, reading
from navitas.cli.fleet.hogs import clean_limit_percent_h, judged_app, not_yet, verdict_of, verdict_paragraph
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.fleet.store_options import client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.row_tables import more_rows, rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.diagnoses.advice import ActionRow, app_actions, client_actions, client_apps
from navitas.fleet.diagnoses.diagnosis import diagnoses_of, suspects
from navitas.fleet.figures import with_interval
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.schema import pseudonym
from navitas.fleet.stages import Fleet
from navitas.fleet.store import find_client
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph


@click.command("diagnose", cls=NavitasCommand, example="navitas fleet diagnose fleet --app org.example.app")
@fleet_options
@option("--app", type=TEXT, metavar="PACKAGE", help="Only this app.")
@client_option("Actions for this client: its name as ingested, or its pseudonym.")
@output_options
def command(*, choice: FleetChoice, app: str | None, client: str | None, outputs: Outputs) -> None:
    """Find conditions under which hogs and apps with bugs drain, and actions that help: kill, update, change the network."""
    if app is not None and client is not None:
        raise UsageError("--app and --client exclude each other", "Use one of them.")
    if client is not None:
        outputs.check_not_by_client("diagnose --client")
    with fleet_of(choice) as fleet:
        hogs = hogs_of(fleet)
        bugs = find_bugs(fleet, hogs)
        number, verdicts = None, []
        if client is not None:
            number = find_client(fleet.store, client, set(score_clients(fleet).client.tolist()))
            apps = client_apps(fleet, hogs, bugs, number)
        elif app is not None:
            verdicts = outputs.kept([verdict_of(fleet, hogs, app)])
            apps = judged_app(fleet, hogs, app)
        else:
            apps = suspects(hogs, bugs)
        with reading(fleet, "reading conditions") as shown:
            diagnoses = diagnoses_of(shown, hogs, bugs, apps, clients=[] if number is None else [number])
        rows = (
            app_actions(fleet, hogs, bugs, diagnoses) if number is None else client_actions(fleet, hogs, bugs, diagnoses, number)
        )
    found, rows = len(rows), outputs.kept(rows)
    limit = clean_limit_percent_h(hogs)
    more = {} if app is None else {"verdicts": [row.as_json() for row in verdicts], "clean_limit_percent_h": limit}
    if not outputs.write(ActionRow, rows, **more):
        return
    console = output_console()
    if number is not None:
        console.print(actions_table(pseudonym(number), rows, outputs.top))
        return
    above = [verdict_paragraph(row, limit) for row in verdicts]
    if app is None and not found:
        above = [Paragraph(_without_findings(fleet, hogs, len(apps)))]
    console.print(*above, *paragraphs(rows, outputs.top), sep="\n")


def _without_findings(fleet: Fleet, hogs: Hogs, suspected: int) -> str:
    """Why there is no condition of any app."""
    judged = int(np.isfinite(hogs.false_rate).sum())
    if not judged:
        return not_yet(fleet)
    if not suspected:
        return f"No app is a hog or has bugs, of {counted(judged, 'app')} that can be judged."
    return f"No condition is known under which hogs and apps with bugs drain ({counted(suspected, 'app')})."


def actions_table(client: str, rows: Sequence[ActionRow], top: int) -> FittedTable:
    columns: dict[Column, Callable[[ActionRow], str]] = {
        Column("Action", wrap=True): lambda row: row.text,
        Column("Reason", drop=2, wrap=True): lambda row: row.why,
        Column("Runs %", drop=1): lambda row: f"{row.share_percent:.0f}",
        Column("Gain min (95 %)"): lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
    }
    return rows_table(f"Actions for client {client}", columns, rows, top)


def paragraphs(rows: Sequence[ActionRow], top: int) -> Iterator[Paragraph]:
    """Findings by app and condition, each with its actions."""
    findings = [list(group) for _, group in groupby(rows, key=lambda row: (row.app, row.where))]
    for finding in findings[:top]:
        yield Paragraph(_finding(finding[0]), style="bold", indent="  ")
        for row in finding:
            gain = with_interval(row.gain_min, row.gain_low_min, row.gain_high_min)
            yield Paragraph(f"  {printable(row.text)}: {unbroken(f'{gain} min')}", indent="    ")
    yield from more_rows(len(findings) - top)


def _finding(row: ActionRow) -> str:
    """The app, the condition, its extra drain and the number of clients."""
    extra = unbroken(f"{with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1)} %/h")
    where = f" where {printable(row.where)}" if row.where else ""
    kind = "" if row.kind == "app" else f" ({row.kind})"
    return f"{printable(row.app)}{kind}{where}: {extra}, {unbroken(counted(row.clients or 0, 'client'))}"
