"""`navitas fleet ingest`: store files of samples in the folder of a fleet."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from navitas.base.errors import ExitCode, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.base.regular_files import is_url
from navitas.base.units import counted
from navitas.base.untrusted_text import printable
from navitas.cli.fleet.dry_run import NO_STATE, STATE_REMEDY, show_dry_run
from navitas.cli.fleet.store_options import buckets_option, client_option
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, json_option, write_document
from navitas.cli.habits.messages import error as show_error
from navitas.cli.habits.messages import failed_check, is_quiet, next_step, note, shell_word, warning
from navitas.cli.habits.option import gathered, option
from navitas.cli.habits.paths import NEW_STORE, READ_FILE_ANY_NAME, TEXT, PathType
from navitas.cli.habits.row_tables import more_rows
from navitas.cli.habits.shared_options import Finite
from navitas.cli.habits.standard_output import error_console, output_console
from navitas.fleet import layout
from navitas.fleet.erased import check_parts
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.group import SourceOutcome
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.remote import fetch_files, shown_url
from navitas.fleet.schema import SCHEMA_VERSION
from navitas.fleet.store import Store, is_state_known
from navitas.fleet.store_settings import SALT_VARIABLE, ignores_variable
from navitas.report.terminal.fitted_table import Column, FittedTable

_MOST_LISTED = 20
_LONGEST_NAME = 10_000
SCALE = Finite(min=0, min_open=True, max=1e9)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A local file. `name` is what messages call it if it is a temporary copy."""

    path: Path
    name: str = ""


class SamplesSource(PathType):
    """A URL, or local files and folders. Raises `UsageError` if a file is missing, or if nothing matches a pattern."""

    def __init__(self) -> None:
        super().__init__("read", any_name=True, is_file=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | list[LocalFile]:  # type: ignore[override]
        text = str(value)
        if is_url(text):
            return text
        if glob.has_magic(text) and not Path(text).exists():
            found = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (Path.glob has no absolute patterns)
            if not found:
                raise UsageError(f"no file matches {text}", "Check the pattern; ** stands for folders at any depth.")
            return [LocalFile(super(SamplesSource, self).convert(one, param, ctx)) for one in found]
        return [LocalFile(super().convert(value, param, ctx), "standard input" if text == "-" else "")]


@contextmanager
def local_files(sources: Sequence[str | list[LocalFile]]) -> Iterator[list[LocalFile]]:
    """All files of the sources, in order. Those of URLs are temporary copies. Raises `UsageError` if there are none."""
    found: list[LocalFile] = []
    with ExitStack() as copies:
        for source in sources:
            if isinstance(source, str):
                copied = fetch_files(source, copies.enter_context(owned_folder("navitas-ingest-")))
                found += [LocalFile(path, f"{shown_url(source)}: {path.name}") for path in copied]
                continue
            for one in source:
                inside = one.path.rglob("*") if one.path.is_dir() else ()
                visible = (file for file in inside if file.is_file() and not file.name.startswith("."))
                found += map(LocalFile, sorted(visible)) if one.path.is_dir() else [one]
        if not found:
            raise UsageError("no files in the named folders", "name files of samples")
        yield found


@click.command("ingest", cls=NavitasCommand, example="navitas fleet ingest fleet samples/*.jsonl")
@click.argument("store", type=NEW_STORE, metavar="STORE")
@click.argument("files", nargs=-1, required=True, type=SamplesSource(), metavar="FILE...")
@client_option("Client of batterystats histories; '{name}' stands for the file name.", default="")
@gathered(
    "columns",
    ColumnMap.parse,
    option(
        "--map", "texts", multiple=True, type=TEXT, metavar="COLUMN=FIELD", section="Columns", help="The file's COLUMN is FIELD."
    ),
    option(
        "--map-file", "file", type=READ_FILE_ANY_NAME, metavar="FILE", section="Columns", help='TOML lines of COLUMN = "FIELD".'
    ),
    option("--scale", type=SCALE, metavar="LEVEL", section="Columns", help="The level of a full battery: 1 for fractions. [100]"),
)
@buckets_option("64")
@option("--dry-run", is_flag=True, help="Show what the first rows of each file are understood as. Store nothing.")
@json_option
def command(
    *,
    store: Path,
    files: tuple[str | list[LocalFile], ...],
    client: str,
    columns: ColumnMap,
    buckets: int | None,
    dry_run: bool,
    json_file: Path | None,
) -> int:
    """Store samples in the fleet's folder STORE, which is created if needed.

    A FILE has JSON lines, CSV, Parquet, or a history of `dumpsys batterystats --checkin`, optionally compressed by gzip or
    Zstandard. It may be a pattern, a URL or '-' for stdin. A folder stands for all files in it. Stored rows are skipped. Rows
    with errors go to STORE/quarantine, with the reason.
    """
    if dry_run:
        _check_store(store, buckets)
        with local_files(files) as found:
            return show_dry_run([file.path for file in found], client, columns, json_file)
    if ignores_variable(Store.named(store).file(layout.SETTINGS)):
        warning(f"{store} keeps its own salt in {layout.SETTINGS}; {SALT_VARIABLE} has no effect on it")
    with local_files(files) as found:
        outcomes = ingest_with_progress(store, [file.path for file in found], client, columns, buckets)
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
        if not is_state_known(Store.open(store)):
            warning(f"{store}: {NO_STATE}", STATE_REMEDY)
        next_step(f"navitas fleet hogs {shell_word(store)}")
    return ExitCode.OK


def _check_store(path: Path, buckets: int | None) -> None:
    """Raise what the ingest would for its store."""
    if store := Store.existing(path, buckets):
        check_parts(store)


def ingest_with_progress(
    store: Path, files: list[Path], client: str = "", columns: ColumnMap | None = None, buckets: int | None = None
) -> list[SourceOutcome]:
    """Ingest files, and show progress on standard error if that is a terminal."""
    console = error_console()
    shown = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[rows]:,} rows"))
    hidden = not console.is_terminal or is_quiet()
    with Progress(*shown, TimeRemainingColumn(), console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task("", total=len(files), rows=0)

        def show(name: str, share: float, rows: int) -> None:
            bar.update(task, description=printable(name, 40), completed=share, rows=rows)

        return list(ingest(store, files, client=client, columns=columns, buckets=buckets, progress=show))


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
    total = SourceOutcome.total(outcomes)
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
    for name, outcome in [*rows, (Text("all", style="bold"), SourceOutcome.total(outcomes))] if len(outcomes) > 1 else rows:
        state = Text("not ingested", "red") if outcome.error else Text("ingested before" if outcome.known else "", "dim")
        counts = outcome.rows, outcome.accepted, outcome.duplicates, outcome.contradicting, outcome.refused.total()
        table.add(name, *(f"{count:,}" for count in counts), state)
    table.notes += more_rows(len(outcomes) - len(shown), "")
    return table


def reasons_table(title: str, counts: Counter[str]) -> FittedTable:
    """Counts of rows by reason."""
    table = FittedTable(title, [Column("Reason", wrap=True), Column("Rows")])
    for reason, count in counts.most_common(_MOST_LISTED):
        table.add(printable(reason), f"{count:,}")
    table.notes += more_rows(len(counts) - _MOST_LISTED, "")
    return table


def _as_json(outcomes: list[SourceOutcome]) -> dict[str, object]:
    sources = [
        {"name": one.name, **one.figures(), "known": one.known, "error": one.error.message if one.error else None}
        for one in outcomes
    ]
    return {"schema_version": SCHEMA_VERSION, "sources": sources, "total": SourceOutcome.total(outcomes).figures()}
