"""`--method paper` of `navitas fleet hogs` and `bugs`: findings of the paper's method, for comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from navitas.cli.bars import bar
from navitas.cli.fleet_rows import Outputs, print_table
from navitas.cli.option import option
from navitas.fleet import paper, paper_sums
from navitas.fleet.figures import number, with_interval
from navitas.fleet.paper_rows import PaperBugRow, PaperHogRow, paper_bug_rows, paper_hog_rows
from navitas.fleet.stages import Fleet

F = TypeVar("F", bound=Callable[..., Any])
_COLUMNS: dict[str, Callable[[Any], str]] = {
    "App": lambda row: row.app,
    "Pairs": lambda row: f"{row.pairs:,}",
    "Drain %/h": lambda row: number(row.drain_percent_h, 2),
    "Others": lambda row: number(row.others_percent_h, 2),
    "d ± e": lambda row: f"{row.d_percent_h:.2f} ± {row.e_percent_h:.2f}",
    "d′": lambda row: number(row.distance_percent_h, 2),
    "Gain: min": lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
}


def method_option(function: F) -> F:
    """`--method`."""
    decorated: F = option(
        "--method",
        type=click.Choice(["default", "paper"]),
        default="default",
        show_default=True,
        help="paper: the method of the Carat paper, for comparison.",
    )(function)
    return decorated


def paper_hogs(fleet: Fleet, outputs: Outputs) -> None:
    """Print or write the paper's hogs."""
    rows = paper_hog_rows(fleet, _compared(fleet))
    if outputs.write(PaperHogRow, rows, method="paper"):
        print_table(f"Hogs by the paper's method: {len(rows):,}", _COLUMNS, rows, outputs.top)


def paper_bugs(fleet: Fleet, outputs: Outputs) -> None:
    """Print or write the paper's bugs."""
    rows = paper_bug_rows(fleet, paper.find_bugs(fleet, _compared(fleet)))
    columns = {"Client": lambda row: row.client, **_COLUMNS}
    if outputs.write(PaperBugRow, rows, method="paper"):
        print_table(f"Bugs by the paper's method: {len(rows):,} of a client and an app", columns, rows, outputs.top, texts=2)


def _compared(fleet: Fleet) -> paper.Compared:
    with bar("computing rates by the paper") as progress:
        paper_sums.bring_up_to_date(fleet, progress)
    return paper.find_hogs(fleet)
