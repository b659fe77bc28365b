"""`navitas fleet bugs`: clients on which an app drains far more than on others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from navitas.base.counts import counted
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, hogs_of
from navitas.cli.fleet.paper import model_option, paper_bugs
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.bugs import FDR_LIMIT, find_bugs
from navitas.fleet.figures import number, probability, with_interval
from navitas.fleet.results import BugRow, bug_rows
from navitas.report.terminal.fitted_table import Column, FittedTable


@click.command("bugs", cls=NavitasCommand, example="navitas fleet bugs fleet --json bugs.json")
@fleet_options
@output_options
@model_option
def command(*, choice: FleetChoice, model: str, outputs: Outputs) -> None:
    """List apps on clients where they drain far more than on others. A hog can have bugs, too.

    Sorted by the lower confidence bound of the extra drain, largest first.
    """
    outputs.check_not_by_client("bugs")
    with fleet_of(choice) as fleet:
        if model == "paper":
            paper_bugs(fleet, outputs)
            return
        hogs = hogs_of(fleet)
        rows = bug_rows(fleet, find_bugs(fleet, hogs))
    if not outputs.write(BugRow, rows, false_discovery_limit=FDR_LIMIT):
        return
    output_console().print(bugs_table(rows, outputs.top))


def bugs_table(rows: Sequence[BugRow], top: int) -> FittedTable:
    """Bugs by client and app, with the drain and the battery life gained if the bug is fixed."""
    columns: dict[Column, Callable[[BugRow], str]] = {
        Column("Client", text=True): lambda row: row.client,
        Column("App", text=True): lambda row: row.app,
        Column("Pairs", drop=4): lambda row: f"{row.pairs:,}",
        Column("Drain %/h", drop=3): lambda row: number(row.drain_percent_h),
        Column("Extra %/h (95 %)", drop=1): lambda row: with_interval(
            row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1
        ),
        Column("Gain min (95 %)"): lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
        Column("FDR", drop=2): lambda row: probability(row.false_discovery_rate),
    }
    return rows_table(f"Bugs: {counted(len(rows), 'pair')} of a client and an app", columns, rows, top)
