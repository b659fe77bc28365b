"""`navitas fleet rates`: drain rates between samples, and which pairs of samples have one."""

from __future__ import annotations

from pathlib import Path

import click

from navitas.cli.bars import bar
from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files, check_regular_or_new
from navitas.cli.fleet_engines import engine_options, fleet_of
from navitas.cli.fleet_rows import print_table
from navitas.cli.json_output import json_option, write_document
from navitas.cli.option import option
from navitas.cli.paths import WRITE
from navitas.fleet.export import check_export, export
from navitas.fleet.rates import RATES, Summary, rates, summary_of
from navitas.fleet.results import SCHEMA_VERSION, PairsRow


@click.command("rates", cls=NavitasCommand, example="navitas fleet rates fleet -o rates.parquet")
@engine_options
@option("-o", "--output", type=WRITE, metavar="FILE", help="Write all pairs to this .csv or .parquet file.")
@json_option
def command(*, store: Path, engine: str, memory_mib: int, output: Path | None, json_file: Path | None) -> None:
    """Show which pairs of samples count, why others do not, and how fast batteries drain. Export the pairs with -o."""
    check_files([path for path in (output, json_file) if path is not None])
    if output is not None:
        check_export(output)
        check_regular_or_new(output)
    with fleet_of(store, engine, memory_mib) as fleet:
        summary = summary_of(fleet)
        if output is not None:
            with bar("writing pairs") as progress:
                export(output, RATES, rates(fleet, progress))
    if json_file is not None:
        write_document(json_file, _as_json(summary))
    if json_file != STDOUT:
        _print(summary)


def _as_json(summary: Summary) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "clients": summary.clients,
        "samples": summary.samples,
        "pairs": summary.pairs,
        "hours": summary.hours,
        "drain_percent_h": summary.drain_percent_h,
        "clients_drain_percentiles_percent_h": {str(percent): value for percent, value in summary.percentiles_percent_h.items()},
        "refused": summary.refused,
    }


def _print(summary: Summary) -> None:
    rows = [PairsRow("counted", summary.pairs), *(PairsRow(reason, count) for reason, count in summary.refused.items())]
    total = sum(row.pairs for row in rows)
    columns = {
        "Pairs of samples": lambda row: row.reason,
        "Number": lambda row: f"{row.pairs:,}",
        "%": lambda row: f"{100 * row.pairs / max(total, 1):.1f}",
    }
    print_table(f"Rates of {summary.clients:,} clients with {summary.samples:,} samples", columns, rows, len(rows))
    if summary.drain_percent_h is not None:
        names, ends = (" · ".join(texts) for texts in zip(*_percentiles(summary), strict=True))
        click.echo(f"\nDrain {summary.drain_percent_h:.2f} %/h over {summary.hours:,.0f} h; clients' {names} %: {ends}")


def _percentiles(summary: Summary) -> list[tuple[str, str]]:
    return [(str(percent), f"{value:.1f}") for percent, value in summary.percentiles_percent_h.items()]
