"""`navitas fleet bugs`: clients on which an app drains far more than on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_paper import method_option, paper_bugs
from navitas.cli.fleet_rows import output_options, print_table, take_outputs
from navitas.fleet.bugs import FDR_LIMIT, find_bugs
from navitas.fleet.figures import number, with_interval
from navitas.fleet.hogs import find_hogs
from navitas.fleet.results import BugRow, bug_rows


@click.command("bugs", cls=NavitasCommand, example="navitas fleet bugs fleet --json bugs.json")
@engine_options
@output_options
@method_option
def command(*, store: Path, engine: str, memory_mib: int, method: str, **values: Any) -> None:
    """List apps that are not hogs but drain far more on a client than on others, by descending lower bound of the drain."""
    outputs = take_outputs(values)
    with fleet_of(store, engine, memory_mib) as fleet:
        if method == "paper":
            paper_bugs(fleet, outputs)
            return
        rows = bug_rows(fleet, find_bugs(fleet, find_hogs(fleet)))
    if not outputs.write(BugRow, rows, false_discovery_limit=FDR_LIMIT):
        return
    print_table(
        f"Bugs: {len(rows):,} of a client and an app",
        {
            "Client": lambda row: row.client,
            "App": lambda row: row.app,
            "Pairs": lambda row: f"{row.pairs:,}",
            "Drain %/h": lambda row: number(row.drain_percent_h),
            "Extra (95 %)": lambda row: with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 1),
            "If fixed: min": lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
            "FDR": lambda row: f"{row.false_discovery_rate:.2g}",
        },
        rows,
        outputs.top,
        texts=2,
    )
