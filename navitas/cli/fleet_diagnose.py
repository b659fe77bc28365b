"""`navitas fleet diagnose`: conditions of an app's drain, and actions that help."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from navitas.cli.bars import bar
from navitas.cli.commands import NavitasCommand
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_rows import output_options, print_table, take_outputs
from navitas.cli.option import option
from navitas.cli.paths import TEXT
from navitas.cli.standard_output import output_console
from navitas.errors import UsageError
from navitas.fleet.advice import ActionRow, app_actions, client_actions, client_apps
from navitas.fleet.bugs import find_bugs
from navitas.fleet.diagnoses import diagnoses_of, suspects
from navitas.fleet.figures import with_interval
from navitas.fleet.hogs import find_hogs
from navitas.fleet.names import find_app, find_client
from navitas.fleet.results import app_names
from navitas.fleet.schema import pseudonym
from navitas.fleet.scores import score_clients
from navitas.untrusted_text import printable


@click.command("diagnose", cls=NavitasCommand, example="navitas fleet diagnose fleet --app org.example.app")
@engine_options
@option("--app", type=TEXT, metavar="PACKAGE", help="Only this app.")
@option("--client", type=TEXT, metavar="NAME", help="Actions for this client: its name as ingested, or its pseudonym.")
@output_options
def command(*, store: Path, engine: str, memory_mib: int, app: str | None, client: str | None, **values: Any) -> None:
    """Find the conditions under which hogs and apps with bugs drain, and actions: kill, update, change the network."""
    outputs = take_outputs(values)
    if app is not None and client is not None:
        raise UsageError("--app and --client exclude each other", "Leave one of them out.")
    with fleet_of(store, engine, memory_mib) as fleet:
        hogs = find_hogs(fleet)
        bugs = find_bugs(fleet, hogs)
        number = None
        if client is not None:
            number = find_client(fleet.store, client, set(score_clients(fleet).client.tolist()))
            apps = client_apps(fleet, hogs, bugs, number)
        elif app is not None:
            apps = hogs.app[hogs.app == find_app(fleet.store, app, app_names(fleet))]
        else:
            apps = suspects(hogs, bugs)
        with bar("reading conditions") as progress:
            diagnoses = diagnoses_of(fleet, hogs, bugs, apps, progress, clients=[] if number is None else [number])
        rows = app_actions(fleet, hogs, diagnoses) if number is None else client_actions(fleet, hogs, bugs, diagnoses, number)
    if not outputs.write(ActionRow, rows):
        return
    if number is None:
        _print(rows, outputs.top)
    else:
        print_client(pseudonym(number), rows, outputs.top)


def print_client(client: str, rows: list[ActionRow], top: int) -> None:
    """Print the actions of a client."""
    print_table(
        f"Actions for client {client}",
        {
            "Action": lambda row: row.text,
            "Reason": lambda row: row.why,
            "Runs %": lambda row: f"{row.share_percent:.0f}",
            "Gain min (95 %)": lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
        },
        rows,
        top,
        texts=2,
    )


def _print(rows: list[ActionRow], top: int) -> None:
    console = output_console()
    findings = [list(group) for _, group in groupby(rows, key=lambda row: (row.app, row.where))]
    for finding in findings[:top]:
        first = finding[0]
        extra = with_interval(first.extra_percent_h, first.extra_low_percent_h, first.extra_high_percent_h, 1)
        where = f" where {first.where}" if first.where else ""
        title = f"{first.app} ({first.kind}){where}: {extra} %/h, {first.clients:,} client{'' if first.clients == 1 else 's'}"
        console.print(Text(printable(title), style="bold"))
        for row in finding:
            gain = with_interval(row.gain_min, row.gain_low_min, row.gain_high_min)
            console.print(Text(printable(f"  {row.text}: {gain} min")))
    if not findings:
        console.print("No app drains under a known condition.")
    if len(findings) > top:
        console.print(Text(f"… {len(findings) - top:,} more", style="dim"))
