"""`navitas fleet jscore`: battery life of clients, compared with other clients of the same model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click

from navitas.base.units import counted
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options
from navitas.cli.fleet.rows import Outputs, output_options
from navitas.cli.fleet.store_options import client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.row_tables import rows_table
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.figures import number
from navitas.fleet.findings.results import ScoreRow, score_rows
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.schema import pseudonym
from navitas.fleet.store import find_client
from navitas.report.terminal.fitted_table import Column, FittedTable


@click.command("jscore", cls=NavitasCommand, example="navitas fleet jscore fleet --client NAME")
@fleet_options
@client_option("Only this client: its name as ingested, or its pseudonym.")
@output_options
def command(*, choice: FleetChoice, client: str | None, outputs: Outputs) -> None:
    """Score clients by the percentage of their peers whose batteries drain faster in use. The lowest scores come first."""
    outputs.check_not_by_client("jscore")
    with fleet_of(choice) as fleet:
        scores = score_clients(fleet)
        rows = score_rows(scores)
        if client is not None:
            wanted = pseudonym(find_client(fleet.store, client, set(scores.client.tolist())))
            rows = [row for row in rows if row.client == wanted]
    if not outputs.write(ScoreRow, rows):
        return
    title = f"J-scores of {counted(len(rows), 'client')}" if client is None else "J-score"
    output_console().print(scores_table(title, rows, outputs.top))


def scores_table(title: str, rows: Sequence[ScoreRow], top: int) -> FittedTable:
    """Scores by client, with the drain and the battery life in use."""
    columns: dict[Column, Callable[[ScoreRow], str]] = {
        Column("Client", text=True): lambda row: row.client,
        Column("Model", drop=1, text=True): lambda row: row.model or "–",
        Column("OS", drop=6, text=True): lambda row: row.os or "–",
        Column("J-score %"): lambda row: number(row.jscore_percent, 0),
        Column("Peers", drop=4): lambda row: f"{row.peers:,}",
        Column("In use %/h", drop=3): lambda row: number(row.active_drain_percent_h),
        Column("Life in use min", drop=2): lambda row: number(row.active_life_min, 0),
        Column("All %/h", drop=5): lambda row: number(row.drain_percent_h),
        Column("Samples", drop=7): lambda row: f"{row.samples:,}",
        Column("Step %", drop=8): lambda row: number(row.level_step_percent, 0),
    }
    return rows_table(title, columns, rows, top)
