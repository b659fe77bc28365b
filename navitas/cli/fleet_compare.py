"""`navitas fleet compare`: how drains changed from one period to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import click
import numpy as np

from navitas.cli.commands import NavitasCommand
from navitas.cli.fleet_engines import FleetChoice, fleet_of, fleet_options
from navitas.cli.fleet_rows import output_options, take_outputs
from navitas.cli.option import option
from navitas.cli.paths import TEXT
from navitas.cli.progress import bar
from navitas.cli.row_tables import rows_table
from navitas.cli.standard_output import output_console
from navitas.errors import UsageError
from navitas.fleet.figures import number, with_interval
from navitas.fleet.hogs import Hogs, find_hogs
from navitas.fleet.period import Period
from navitas.fleet.period_changes import PeriodChanges, changes_of
from navitas.fleet.results import PERCENT_H, Row, app_names, known
from navitas.fleet.statistics import descending_order
from navitas.fleet.verdicts import FDR_LIMIT
from navitas.report.terminal.fitted_table import Column, FittedTable


@dataclass(frozen=True, slots=True)
class ChangeRow(Row):
    """An app's extra drain in two periods, and its change. `is_significant`: at a false discovery rate of 5 %, two-sided."""

    KIND: ClassVar[str] = "changes"

    app: str
    clients: int
    before_percent_h: float | None
    after_percent_h: float | None
    change_percent_h: float | None
    change_low_percent_h: float | None
    change_high_percent_h: float | None
    false_discovery_rate: float | None
    is_significant: bool


@click.command("compare", cls=NavitasCommand, example="navitas fleet compare fleet --at 2026-03-01")
@fleet_options
@option("--at", type=TEXT, required=True, metavar="DATE", help="The day or time that separates the two periods (UTC).")
@output_options
def command(*, choice: FleetChoice, at: str, **values: Any) -> None:
    """Compare the extra drains of apps before a day with those from that day on. --since and --until limit both periods."""
    outputs = take_outputs(values)
    moment_s = Period.parse(at, None).since_s
    if not choice.period.since_s < moment_s < choice.period.until_s:
        raise UsageError(f"--at {at} is not between --since and --until", "Give a day within the period.")
    before, names = _hogs(replace(choice, period=replace(choice.period, until_s=moment_s)))
    after, _ = _hogs(replace(choice, period=replace(choice.period, since_s=moment_s)))
    found = changes_of(before, after)
    rows = outputs.kept(_rows(found, names))
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
        Column("FDR", drop=3): lambda row: "–" if row.false_discovery_rate is None else f"{row.false_discovery_rate:.2g}",
    }
    significant = [row for row in rows if row.is_significant]
    title = f"Changed drains: {len(significant):,} of {len(rows):,} apps that can be judged in both periods"
    return rows_table(title, columns, significant, top)


def _rows(found: PeriodChanges, names: dict[int, str]) -> list[ChangeRow]:
    """The most certain changes first."""
    value, low, high = (column * PERCENT_H for column in (found.change.value, found.change.low, found.change.high))
    return [
        ChangeRow(
            app=names[int(found.app[i])],
            clients=int(min(found.clients_before[i], found.clients[i])),
            before_percent_h=known(found.before[i] * PERCENT_H),
            after_percent_h=known(found.after[i] * PERCENT_H),
            change_percent_h=known(value[i]),
            change_low_percent_h=known(low[i]),
            change_high_percent_h=known(high[i]),
            false_discovery_rate=known(found.false_rate[i]),
            is_significant=bool(found.false_rate[i] <= FDR_LIMIT),
        )
        for i in descending_order(np.abs(found.change.value / found.change.error)).tolist()
    ]


def _hogs(choice: FleetChoice) -> tuple[Hogs, dict[int, str]]:
    with fleet_of(choice) as fleet, bar("regressing apps together") as progress:
        return find_hogs(fleet, progress), app_names(fleet)
