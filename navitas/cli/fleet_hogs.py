"""`navitas fleet hogs`: apps that drain the battery on every phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from navitas.cli.commands import NavitasCommand
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_paper import method_option, paper_hogs
from navitas.cli.fleet_rows import output_options, print_table, take_outputs
from navitas.fleet.figures import number, with_interval
from navitas.fleet.hogs import FDR_LIMIT, find_hogs
from navitas.fleet.results import PERCENT_H, HogRow, hog_rows, version_rows
from navitas.fleet.versions import find_versions


@click.command("hogs", cls=NavitasCommand, example="navitas fleet hogs fleet --top 5 --csv hogs.csv")
@engine_options
@output_options
@method_option
def command(*, store: Path, engine: str, memory_mib: int, method: str, **values: Any) -> None:
    """List the apps that drain the battery faster on every phone, and the battery life gained without them."""
    outputs = take_outputs(values)
    with fleet_of(store, engine, memory_mib) as fleet:
        if method == "paper":
            paper_hogs(fleet, outputs)
            return
        hogs = find_hogs(fleet)
        versions = find_versions(fleet, hogs.app[hogs.is_hog])
        rows = hog_rows(fleet, hogs, versions)
        by_version = [one.as_json() for one in version_rows(fleet, versions)]
    usual = hogs.usual_ppm_s * PERCENT_H
    judged = int(np.isfinite(hogs.false_rate).sum())
    about = {"apps": len(hogs.app), "judged_apps": judged, "usual_drain_percent_h": usual, "false_discovery_limit": FDR_LIMIT}
    if not outputs.write(HogRow, rows, **about, versions=by_version):
        return
    if not judged:
        click.echo("No app can be judged yet. An app needs three clients with half an hour both with it and without it.")
        return
    title = f"Hogs: {len(rows)} of {judged:,} apps that can be judged; the usual drain is {usual:.1f} %/h"
    print_table(
        title,
        {
            "App": lambda row: row.app,
            "Clients": lambda row: f"{row.clients:,}",
            "Pairs": lambda row: f"{row.pairs:,}",
            "Drain %/h": lambda row: number(row.drain_percent_h),
            "Extra (95 %)": lambda row: with_interval(row.extra_percent_h, row.extra_low_percent_h, row.extra_high_percent_h, 2),
            "Without: min": lambda row: with_interval(row.gain_min, row.gain_low_min, row.gain_high_min),
            "%": lambda row: with_interval(row.gain_percent, row.gain_low_percent, row.gain_high_percent),
            "Since": lambda row: row.since_version or "",
            "FDR": lambda row: f"{row.false_discovery_rate:.2g}",
        },
        rows,
        outputs.top,
    )
