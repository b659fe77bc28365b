"""`navitas fleet compare`: how drains changed from one period to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from navitas.base.errors import UsageError
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.drain_changes import ChangeRow, changes_of
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.hogs import Hogs
from navitas.fleet.period import Period
from navitas.report.terminal.fitted_table import Column, FittedTable


@click.command("compare", cls=NavitasCommand, example="navitas fleet compare fleet --at 2026-03-01")
@fleet_options
@option("--at", type=TEXT, required=True, metavar="DATE", help="The day or time that separates the two periods (UTC).")
@output_options
def command(*, choice: FleetChoice, at: str, outputs: Outputs) -> None:
    """Compare the extra drains of apps before a day with those from that day on. --since and --until limit both periods."""
    moment_s = Period.parse(at, None).since_s
    if not choice.period.since_s < moment_s < choice.period.until_s:
        raise UsageError(f"--at {at} is not between --since and --until", "Give a day within the period.")
    before, names = _hogs(replace(choice, period=replace(choice.period, until_s=moment_s)))
    after, _ = _hogs(replace(choice, period=replace(choice.period, since_s=moment_s)))
    rows = outputs.kept(changes_of(before, after, names))
    if outputs.write(ChangeRow, rows, at_s=moment_s):
        output_console().print(changes_table(rows, outputs.top))


def changes_table(rows: Sequence[ChangeRow], top: int) -> FittedTable:
    """The apps whose drain changed significantly."""
    columns: dict[Column, Callable[[ChangeRow], str]] = {
        Column("App", text=True): lambda row: row.app,
        Column("Clients", drop=2): lambda row: f"{row.clients:,}",
        Column("Before %/h", drop=1): lambda row: number(row.before_percent_h, 2),
        Column("After %/h", drop=1): lambda row: number(row.after_percent_h, 2),
        Column("Change %/h (95 %)"): lambda row: with_interval(
            row.change_percent_h, row.change_low_percent_h, row.change_high_percent_h, 2
        ),
        Column("FDR", drop=3): lambda row: probability(row.false_discovery_rate),
    }
    significant = [row for row in rows if row.is_significant]
    title = f"Changed drains: {len(significant):,} of {len(rows):,} apps that can be judged in both periods"
    return rows_table(title, columns, significant, top)


def _hogs(choice: FleetChoice) -> tuple[Hogs, dict[int, str]]:
    with fleet_of(choice) as fleet:
        return hogs_of(fleet), fleet.app_names
