"""`--method paper` of `navitas fleet hogs` and `bugs`: findings of the paper's method, for comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from navitas.base.units import counted
from navitas.cli.fleet.engines import reading
from navitas.cli.fleet.rows import Outputs
from navitas.cli.habits.option import option, renamed
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.figures import number, with_interval
from navitas.fleet.paper import paper_findings, paper_sums
from navitas.fleet.paper.paper_findings import PaperBugRow, PaperHogRow, paper_bug_rows, paper_hog_rows
from navitas.fleet.stages import Fleet
from navitas.report.terminal.fitted_table import Column, FittedTable

F = TypeVar("F", bound=Callable[..., Any])


def model_option(function: F) -> F:
    decorated: F = option(
        "--method",
        "model",
        type=click.Choice(["default", "paper"]),
        default="default",
        help="paper: use the method of the Carat paper, for comparison.",
    )(renamed("--model", "--method")(function))
    return decorated


def paper_hogs(fleet: Fleet, outputs: Outputs) -> None:
    rows = paper_hog_rows(fleet, _compared(fleet))
    if outputs.write(PaperHogRow, rows, method="paper"):
        output_console().print(paper_table(f"Hogs by the paper's method: {len(rows):,}", rows, outputs.top))


def paper_bugs(fleet: Fleet, outputs: Outputs) -> None:
    rows = paper_bug_rows(fleet, paper_findings.find_bugs(fleet, _compared(fleet)))
    if outputs.write(PaperBugRow, rows, method="paper"):
        title = f"Bugs by the paper's method: {counted(len(rows), 'pair')} of a client and an app"
        output_console().print(paper_table(title, rows, outputs.top))


def paper_table(title: str, rows: Sequence[PaperHogRow], top: int) -> FittedTable:
    """Findings of the paper's method. Bugs also have a client. d ± e and d′ are the paper's terms."""
    columns: dict[Column, Callable[[PaperHogRow], str]] = {
        Column("App", text=True): lambda row: row.app,
        Column("Pairs", drop=5): lambda row: f"{row.pairs:,}",
        Column("Drain %/h", drop=3): lambda row: number(row.drain_percent_h, 2),
        Column("Others %/h", drop=4): lambda row: number(row.others_percent_h, 2),
        Column("d ± e %/h", drop=2): lambda row: f"{row.d_percent_h:.2f} ± {row.e_percent_h:.2f}",
        Column("d′ %/h", drop=1): lambda row: number(row.distance_percent_h, 2),
        Column("Gain min (95 %)"): lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
    }
    if any(isinstance(row, PaperBugRow) for row in rows):
        columns = {Column("Client", text=True): _client, **columns}
    return rows_table(title, columns, rows, top)


def _client(row: PaperHogRow) -> str:
    return row.client if isinstance(row, PaperBugRow) else ""


def _compared(fleet: Fleet) -> paper_findings.Compared:
    with reading(fleet, "computing rates by the paper") as shown:
        paper_sums.bring_up_to_date(shown)
    return paper_findings.find_hogs(fleet)
