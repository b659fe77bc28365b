"""`navitas fleet ingest`: store files of samples in the folder of a fleet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files
from navitas.cli.fleet_rows import client_option
from navitas.cli.fleet_sources import LocalFile, NamedSource, SamplesSource, local_files
from navitas.cli.json_output import json_option, write_document
from navitas.cli.messages import error as show_error
from navitas.cli.messages import failed_check, is_quiet, next_step, note, shell_word, warning
from navitas.cli.paths import NEW_STORE
from navitas.cli.row_tables import more_rows
from navitas.cli.standard_output import error_console, output_console
from navitas.errors import ExitCode
from navitas.fleet import layout
from navitas.fleet.figures import counted
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.outcome import SourceOutcome
from navitas.fleet.results import SCHEMA_VERSION
from navitas.fleet.store_settings import SALT_VARIABLE, ignores_variable
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.untrusted_text import printable

_MOST_LISTED = 20
_LONGEST_NAME = 10_000


@click.command("ingest", cls=NavitasCommand, example="navitas fleet ingest fleet samples/*.jsonl")
@click.argument("store", type=NEW_STORE, metavar="STORE")
@click.argument("files", nargs=-1, required=True, type=SamplesSource(), metavar="FILE...")
@client_option("Client of batterystats histories; '{name}' stands for the file name.", default="")
@json_option
def command(*, store: Path, files: tuple[NamedSource, ...], client: str, json_file: Path | None) -> int:
    """Store samples in the fleet's folder STORE, which is created if needed.

    A FILE has JSON lines, CSV, Parquet, or a history of `dumpsys batterystats --checkin`, optionally compressed by gzip or
    Zstandard. It may be a pattern, a URL or '-' for stdin. A folder stands for all files in it. Stored rows are skipped. Rows
    with errors go to STORE/quarantine, with the reason.
    """
    check_files([json_file] if json_file else [])
    if ignores_variable(store / layout.SETTINGS):
        warning(f"{store} keeps its own salt in {layout.SETTINGS}; {SALT_VARIABLE} has no effect on it")
    with local_files(files) as found:
        outcomes = ingest_with_progress(store, [file.path for file in found], client)
        for file, outcome in zip(found, outcomes, strict=True):
            _name_copy(file, outcome)
    if json_file is not None:
        write_document(json_file, _as_json(outcomes))
    if json_file != STDOUT:
        print_outcomes(outcomes)
    errors = [error for outcome in outcomes for error in [outcome.error or _nothing_accepted(outcome)] if error]
    for error in errors[:_MOST_LISTED]:
        show_error(error.message, error.remedy)
    partly = [outcome for outcome in outcomes if outcome.refused and not (outcome.error or _nothing_accepted(outcome))]
    if partly:
        refused, rows = (sum(counts) for counts in zip(*((one.refused.total(), one.rows) for one in partly), strict=True))
        which = f"{len(partly):,} files were" if len(partly) > 1 else f"{printable(partly[0].name)} was"
        failed_check(
            f"{which} stored partially: {refused:,} of {counted(rows, 'row')} {'was' if refused == 1 else 'were'} refused",
            f"see {store / layout.QUARANTINE} for the refused rows and the reasons",
        )
    for outcome in outcomes:
        if not (outcome.rows or outcome.known or outcome.error):
            note(f"note: {printable(outcome.name)} has no samples")
    if errors or partly:
        return ExitCode.TROUBLE if errors else ExitCode.CHECK_FAILED
    if json_file != STDOUT and any(outcome.accepted for outcome in outcomes):
        next_step(f"navitas fleet hogs {shell_word(store)}")
    return ExitCode.OK


def ingest_with_progress(store: Path, files: list[Path], client: str = "") -> list[SourceOutcome]:
    """Ingest files, and show progress on standard error if that is a terminal."""
    console = error_console()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[rows]:,} rows"))
    hidden = not console.is_terminal or is_quiet()
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task("", total=len(files), rows=0)

        def show(name: str, share: float, rows: int) -> None:
            bar.update(task, description=printable(name, 40), completed=share, rows=rows)

        return list(ingest(store, files, client=client, progress=show))


def _name_copy(file: LocalFile, outcome: SourceOutcome) -> None:
    """Replace the path of a temporary copy in an error."""
    if file.name and outcome.error:
        message = outcome.error.message.replace(str(file.path), file.name)
        if message == outcome.error.message:
            message = message.replace(f"{file.path.name}: ", f"{file.name}: ")
        outcome.error = FleetError(message, outcome.error.remedy)


def _nothing_accepted(outcome: SourceOutcome) -> FleetError | None:
    """An error if all rows of the source were refused."""
    if not outcome.rows or outcome.accepted or outcome.duplicates:
        return None
    reason, count = outcome.refused.most_common(1)[0]
    which = "its only row was refused" if outcome.rows == 1 else f"none of its {outcome.rows:,} rows was accepted"
    return FleetError(
        f"{outcome.name}: {which}; the reason for {count:,}: {reason}",
        "See the folder quarantine of the fleet for the rows, and docs/fleet-reference.md for the columns of a sample.",
    )


def print_outcomes(outcomes: list[SourceOutcome]) -> None:
    """Print the outcome of each source, reasons of refusals, and counts of dropped values."""
    console = output_console()
    console.print(sources_table(outcomes))
    total = _total(outcomes)
    for title, counts in (("Refused rows (in quarantine)", total.refused), ("Dropped values", total.ignored)):
        if counts:
            console.print("", reasons_table(title, counts), sep="\n")


def sources_table(outcomes: Sequence[SourceOutcome]) -> FittedTable:
    """Counts of rows by source, and in total if there are several."""
    columns = (Column("Rows", drop=2), Column("Stored"), Column("Duplicates", drop=4), Column("Contradicting", drop=5))
    refused, status = Column("Refused", drop=1), Column("Status", drop=3, text=True)
    table = FittedTable("Sources", [Column("Source", text=True), *columns, refused, status])
    shown = outcomes[:_MOST_LISTED]
    rows = [(Text(printable(outcome.name, _LONGEST_NAME)), outcome) for outcome in shown]
    for name, outcome in [*rows, (Text("all", style="bold"), _total(outcomes))] if len(outcomes) > 1 else rows:
        counts = outcome.rows, outcome.accepted, outcome.duplicates, outcome.contradicting, outcome.refused.total()
        table.add(name, *(f"{count:,}" for count in counts), _status(outcome))
    table.notes += more_rows(len(outcomes) - len(shown), "")
    return table


def reasons_table(title: str, counts: Counter[str]) -> FittedTable:
    """Counts of rows by reason."""
    table = FittedTable(title, [Column("Reason", wrap=True), Column("Rows")])
    for reason, count in counts.most_common(_MOST_LISTED):
        table.add(printable(reason), f"{count:,}")
    table.notes += more_rows(len(counts) - _MOST_LISTED, "")
    return table


def _status(outcome: SourceOutcome) -> Text:
    if outcome.error:
        return Text("not ingested", style="red")
    return Text("ingested before" if outcome.known else "", style="dim")


def _total(outcomes: Sequence[SourceOutcome]) -> SourceOutcome:
    total = SourceOutcome("all")
    for outcome in outcomes:
        total.rows += outcome.rows
        total.accepted += outcome.accepted
        total.duplicates += outcome.duplicates
        total.contradicting += outcome.contradicting
        total.refused.update(outcome.refused)
        total.ignored.update(outcome.ignored)
    return total


def _as_json(outcomes: list[SourceOutcome]) -> dict[str, object]:
    sources = [
        {
            "name": outcome.name,
            **outcome.figures(),
            "known": outcome.known,
            "error": outcome.error.message if outcome.error else None,
        }
        for outcome in outcomes
    ]
    return {"schema_version": SCHEMA_VERSION, "sources": sources, "total": _total(outcomes).figures()}
