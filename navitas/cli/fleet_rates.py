"""`navitas fleet rates`: how fast batteries drained between samples, and which pairs of samples tell it."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from navitas.cli.bars import bar
from navitas.cli.files import STDOUT, check_files
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_rows import print_table, write_json
from navitas.fleet.export import check_export, export
from navitas.fleet.rates import RATES, rates
from navitas.fleet.results import PERCENT_H, SCHEMA_VERSION, PairsRow
from navitas.fleet.scores import score_clients


@click.command("rates")
@engine_options
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write all pairs to this .csv or .parquet file."
)
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the counts ('-': stdout).")
def command(*, store: Path, engine: str, memory_mib: int, output: Path | None, json_file: Path | None) -> None:
    """Tell which pairs of samples count, why others do not, and how fast batteries drained; export the pairs."""
    check_files([path for path in (output, json_file) if path is not None])
    if output is not None:
        check_export(output)
    with fleet_of(store, engine, memory_mib) as fleet:
        scores = score_clients(fleet)
        counted = fleet.by_clients("SELECT SUM(pairs) AS pairs, SUM(seconds) AS seconds, SUM(drop_ppm) AS drop_ppm FROM clients")
        pairs, seconds, drop = (sum(int(table[name][0].as_py() or 0) for table in counted) for name in counted[0].column_names)
        refused = fleet.refused()
        if output is not None:
            with bar("writing pairs") as told:
                export(output, RATES, rates(fleet, told))
    all_rates = scores.rate[np.isfinite(scores.rate)] * PERCENT_H
    middle = np.percentile(all_rates, [5, 25, 50, 75, 95]).tolist() if len(all_rates) else []
    rows = [PairsRow("counted", pairs), *(PairsRow(reason, count) for reason, count in refused.items())]
    if json_file is not None:
        summary = {
            "schema_version": SCHEMA_VERSION,
            "clients": len(scores.client),
            "samples": int(scores.samples.sum()),
            "pairs": pairs,
            "hours": seconds / 3600,
            "drain_percent_h": drop / seconds * PERCENT_H if seconds else None,
            "clients_drain_percentiles_percent_h": dict(zip(("5", "25", "50", "75", "95"), middle, strict=False)),
            "refused": refused,
        }
        write_json(json_file, summary)
    if json_file == STDOUT:
        return
    total = sum(row.pairs for row in rows)
    columns = {
        "Pairs of samples": lambda row: row.reason,
        "Number": lambda row: f"{row.pairs:,}",
        "%": lambda row: f"{100 * row.pairs / max(total, 1):.1f}",
    }
    print_table(f"Rates of {len(scores.client):,} clients with {scores.samples.sum():,} samples", columns, rows, len(rows))
    if seconds:
        ends = " · ".join(f"{one:.1f}" for one in middle)
        click.echo(
            f"\nDrain {drop / seconds * PERCENT_H:.2f} %/h over {seconds / 3600:,.0f} h; clients' 5 · 25 · 50 · 75 · 95 %: {ends}"
        )
