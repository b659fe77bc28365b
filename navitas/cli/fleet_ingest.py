"""`navitas fleet ingest`: stores files of samples in a fleet's folder."""

from __future__ import annotations

from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files
from navitas.cli.json_output import json_option, write_document
from navitas.cli.messages import error as show_error
from navitas.cli.messages import failed_check, is_quiet, next_step, note
from navitas.cli.option import option
from navitas.cli.paths import NEW_STORE, READ_FILE_ANY_NAME, TEXT
from navitas.cli.standard_output import error_console, output_console
from navitas.errors import ExitCode, UsageError
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.outcome import SourceOutcome
from navitas.fleet.layout import QUARANTINE
from navitas.fleet.results import SCHEMA_VERSION
from navitas.untrusted_text import printable

_MOST_LISTED = 20


@click.command("ingest", cls=NavitasCommand, example="navitas fleet ingest fleet samples/*.jsonl")
@click.argument("store", type=NEW_STORE, metavar="STORE")
@click.argument("files", nargs=-1, required=True, type=READ_FILE_ANY_NAME, metavar="FILE...")
@option(
    "--client",
    type=TEXT,
    default="",
    metavar="NAME",
    help="Phone of batterystats histories; '{name}' stands for the file name.",
)
@json_option
def command(*, store: Path, files: tuple[Path, ...], client: str, json_file: Path | None) -> int:
    """Store samples in the fleet's folder STORE, which is created if needed.

    A FILE has JSON lines, CSV, or a history of `dumpsys batterystats --checkin`, optionally compressed by gzip. A folder stands
    for all files in it. Rows that are stored already are skipped. Rows with errors are kept in STORE/quarantine, with the
    reason.
    """
    check_files([json_file] if json_file else [])
    outcomes = ingest_with_progress(store, _files(files), client)
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
            f"{which} stored in part: {refused:,} of {rows:,} rows were refused",
            f"see {store / QUARANTINE} for the rows and reasons; the others are stored",
        )
    for outcome in outcomes:
        if not (outcome.rows or outcome.known or outcome.error):
            note(f"note: {printable(outcome.name)} holds no samples")
    if errors or partly:
        return ExitCode.TROUBLE if errors else ExitCode.CHECK_FAILED
    if json_file != STDOUT and any(outcome.accepted for outcome in outcomes):
        next_step(f"navitas fleet hogs {store}")
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


def _nothing_accepted(outcome: SourceOutcome) -> FleetError | None:
    """An error if all rows of the source were refused."""
    if not outcome.rows or outcome.accepted or outcome.duplicates:
        return None
    reason, count = outcome.refused.most_common(1)[0]
    return FleetError(
        f"{outcome.name}: none of its {outcome.rows:,} rows was accepted; of {count:,}: {reason}",
        "The rows are in the folder quarantine of the fleet. See docs/fleet-reference.md for the columns of a sample.",
    )


def print_outcomes(outcomes: list[SourceOutcome]) -> None:
    """Print the outcome of each source, reasons of refusals, and counts of dropped values."""
    console = output_console()
    table = _table("Sources", "Source", "Rows", "Stored", "Duplicates", "Contradicting", "Refused")
    for outcome in outcomes[:_MOST_LISTED]:
        name = Text(printable(outcome.name, 60))
        if outcome.known:
            name.append(" ingested before", style="dim")
        elif outcome.error:
            name.append(" not ingested", style="red")
        table.add_row(name, *_figures(outcome))
    if len(outcomes) > _MOST_LISTED:
        table.add_row(Text(f"… {len(outcomes) - _MOST_LISTED:,} more", style="dim"))
    if len(outcomes) > 1:
        table.add_section()
        table.add_row("all", *_figures(_total(outcomes)))
    console.print(table)
    total = _total(outcomes)
    for title, counts in (("Refused rows (in quarantine)", total.refused), ("Dropped values", total.ignored)):
        if counts:
            console.print()
            reasons = _table(title, "Reason", "Rows")
            for reason, count in counts.most_common(_MOST_LISTED):
                reasons.add_row(Text(printable(reason)), f"{count:,}")
            console.print(reasons)


def _files(given: tuple[Path, ...]) -> list[Path]:
    """The named files, and the files in named folders."""
    found: list[Path] = []
    for path in given:
        inside = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        found += inside if path.is_dir() else [path]
    if not found:
        raise UsageError("no files in the named folders", "name files of samples")
    return found


def _table(title: str, first: str, *figures: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="dim", box=None, pad_edge=False)
    table.add_column(first, overflow="fold", min_width=16)
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _figures(outcome: SourceOutcome) -> list[str]:
    counts = outcome.rows, outcome.accepted, outcome.duplicates, outcome.contradicting, outcome.refused.total()
    return [f"{count:,}" for count in counts]


def _total(outcomes: list[SourceOutcome]) -> SourceOutcome:
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
