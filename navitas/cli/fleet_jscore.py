"""`navitas fleet jscore`: clients' battery life, compared with others of their model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from navitas.cli.commands import NavitasCommand
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_rows import output_options, print_table, take_outputs
from navitas.cli.option import option
from navitas.cli.paths import TEXT
from navitas.fleet.figures import number
from navitas.fleet.names import find_client
from navitas.fleet.results import ScoreRow, score_rows
from navitas.fleet.schema import pseudonym
from navitas.fleet.scores import score_clients


@click.command("jscore", cls=NavitasCommand, example="navitas fleet jscore fleet --client NAME")
@engine_options
@option("--client", type=TEXT, metavar="NAME", help="Only this client: the name it was ingested by, or its pseudonym.")
@output_options
def command(*, store: Path, engine: str, memory_mib: int, client: str | None, **values: Any) -> None:
    """Score clients by the percentage of their peers whose batteries drain faster in use. The lowest scores come first."""
    outputs = take_outputs(values)
    with fleet_of(store, engine, memory_mib) as fleet:
        scores = score_clients(fleet)
        rows = score_rows(scores)
        if client is not None:
            wanted = pseudonym(find_client(fleet.store, client, set(scores.client.tolist())))
            rows = [row for row in rows if row.client == wanted]
    if not outputs.write(ScoreRow, rows):
        return
    print_table(
        f"J-scores of {len(rows):,} clients" if client is None else "J-score",
        {
            "Client": lambda row: row.client,
            "Model": lambda row: row.model or "–",
            "OS": lambda row: row.os or "–",
            "J-score %": lambda row: number(row.jscore_percent, 0),
            "Peers": lambda row: f"{row.peers:,}",
            "In use %/h": lambda row: number(row.active_drain_percent_h),
            "lasts min": lambda row: number(row.active_life_min, 0),
            "All %/h": lambda row: number(row.drain_percent_h),
            "Samples": lambda row: f"{row.samples:,}",
            "Step %": lambda row: number(row.level_step_percent, 0),
        },
        rows,
        outputs.top,
        texts=3,
    )
