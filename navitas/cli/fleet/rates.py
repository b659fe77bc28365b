"""`navitas fleet rates`: drain rates of pairs of samples, and counts of pairs without one."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import click

from navitas.base.units import counted, percent, unbroken
from navitas.base.untrusted_text import printable
from navitas.cli.fleet.engines import FleetChoice, fleet_of, fleet_options, reading
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import WRITE_REGULAR_UTF8
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.findings.rates import RATES, Summary, check_export, export, rates, summary_of
from navitas.fleet.regression.pairs import REASONS
from navitas.fleet.schema import SCHEMA_VERSION
from navitas.fleet.store import day, is_state_known
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph


@click.command("rates", cls=NavitasCommand, example="navitas fleet rates fleet -o rates.parquet")
@fleet_options
@option("-o", "--output", type=WRITE_REGULAR_UTF8, metavar="FILE", help="Write all pairs to this .csv or .parquet file.")
@json_option
def command(*, choice: FleetChoice, output: Path | None, json_file: Path | None) -> None:
    """Show how many pairs of samples count, why others are refused, and how fast batteries drain. -o exports the pairs."""
    if output is not None:
        check_export(output)
    with fleet_of(choice) as fleet:
        summary = summary_of(fleet)
        if not is_state_known(fleet.store):
            names = {REASONS[0]: "the battery's state is unknown in all samples"}
            summary = replace(summary, refused={names.get(reason, reason): pairs for reason, pairs in summary.refused.items()})
        if output is not None:
            with reading(fleet, "writing pairs") as shown:
                export(output, RATES, rates(shown))
    if write_json(json_file, schema_version=SCHEMA_VERSION, **asdict(summary)):
        _print(summary)


_MOST_NAMES = 10


def _print(summary: Summary) -> None:
    console = output_console()
    console.print(rates_table(summary))
    if summary.drain_percent_h is not None:
        drain, hours = unbroken(f"{summary.drain_percent_h:.2f} %/h"), unbroken(f"{summary.hours:,.0f} h")
        percentiles = [
            f"{percentile} %: {value:.1f}" for percentile, value in summary.clients_drain_percentiles_percent_h.items()
        ]
        text = f"Drain: {drain} over {hours}. Percentiles of clients in %/h: {', '.join(map(unbroken, percentiles))}"
        console.print("", Paragraph(text), sep="\n")
    if summary.set_aside:
        names, more = ", ".join(summary.set_aside[:_MOST_NAMES]), len(summary.set_aside) - _MOST_NAMES
        rest = f" and {more:,} more (all with --json)" if more > 0 else ""
        console.print("", Paragraph(f"Set aside, because their samples contradict themselves: {names}{rest}"), sep="\n")


def rates_table(summary: Summary) -> FittedTable:
    """Pairs that count, and those that were refused by reason."""
    title = f"Rates of {counted(summary.clients, 'client')} with {counted(summary.samples, 'sample')}"
    if summary.from_s is not None and summary.to_s is not None:
        title += f" from {unbroken(day(summary.from_s))} to {unbroken(day(summary.to_s))}"
    table = FittedTable(title, [Column("Pairs of samples", wrap=True), Column("Number"), Column("Share", drop=1)])
    counts = {"counted": summary.pairs, **summary.refused}
    total = max(sum(counts.values()), 1)
    for reason, count in counts.items():
        table.add(printable(reason), f"{count:,}", percent(count / total))
    return table
