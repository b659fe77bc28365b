"""`navitas fleet ingest --dry-run`: what the first rows of files are understood as."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from navitas.base.errors import ExitCode, UsageError
from navitas.base.units import counted
from navitas.base.untrusted_text import printable
from navitas.cli.habits.messages import error as show_error
from navitas.cli.habits.messages import failed_check, note, warning
from navitas.cli.habits.standard_output import output_console
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.preview import Preview, Understood, preview_or_error
from navitas.report.terminal.fitted_table import Column, FittedTable

NO_STATE = "the battery's state is unknown in all samples, so no pair of samples counts"
STATE_REMEDY = "Samples need `state`, or a column for `charging`: navitas fleet ingest --map COLUMN=charging"


def show_dry_run(files: Sequence[Path], client: str, columns: ColumnMap, json_file: Path | None) -> int:
    """Print each file's columns as they are understood, and what its first rows would be refused for.

    Returns the exit code that storing these rows would have. Raises `UsageError` for a file of JSON: there is nothing that would
    go to it.
    """
    if json_file is not None:
        raise UsageError("--dry-run has no JSON", "Leave out --json.")
    console, code = output_console(), ExitCode.OK
    for file in files:
        shown = preview_or_error(file, client, columns, time.time())
        if not isinstance(shown, Preview):
            show_error(shown.message, shown.remedy)
            code = ExitCode.TROUBLE
            continue
        refused = shown.refused.total()
        title = f"{printable(shown.name)}: the first {counted(shown.rows, 'row')}, {refused:,} of them would be refused"
        console.print(columns_table(title, shown.columns))
        for reason, rows in (shown.refused + shown.ignored).most_common():
            console.print(f"{printable(reason)} ({counted(rows, 'time')})", markup=False, highlight=False)
        if shown.columns and not shown.has_states and refused < shown.rows:
            warning(f"{printable(shown.name)}: {NO_STATE}", STATE_REMEDY)
        if refused:
            failed_check(f"{printable(shown.name)}: {refused:,} of {counted(shown.rows, 'row')} would be refused")
            code = max(code, ExitCode.TROUBLE if refused == shown.rows else ExitCode.CHECK_FAILED)
    note("note: nothing is stored (--dry-run)")
    return code


def columns_table(title: str, columns: Sequence[Understood]) -> FittedTable:
    """A file's columns, what they are read as, and the first value."""
    table = FittedTable(title, [Column("Column", text=True), Column("Read as", text=True), Column("First value", wrap=True)])
    for column in columns:
        table.add(printable(column.source), column.column, printable(column.value))
    return table
