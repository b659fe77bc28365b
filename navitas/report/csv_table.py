"""The tidy table as CSV (RFC 4180, UTF-8), for spreadsheets, and for tools that watch figures over time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from typing import IO, Any

from navitas.base.untrusted_text import escaped, guarded
from navitas.energy.analyze.energy_columns import FigureColumn, NamedColumn, method_columns
from navitas.energy.analyze.profile import Profile
from navitas.report.format import Format

_BLOCK_ROWS = 1 << 14


def write(profile: Profile, out: IO[str]) -> None:
    """Write one row for each run, test, thread, method and component (`method_columns`), block by block.

    A null is an empty field. Names are escaped (`escaped`), with an apostrophe before what a spreadsheet takes for a formula.
    """
    columns = method_columns(profile.tables)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    fields = [_fields(column) for column in columns.values()]
    for begin in range(0, len(columns["run"].values), _BLOCK_ROWS):
        writer.writerows(zip(*(of_rows(slice(begin, begin + _BLOCK_ROWS)) for of_rows in fields), strict=True))


FORMAT = Format("csv", ".csv", "the same table as text", write)


def _fields(column: FigureColumn) -> Callable[[slice], Iterable[str]]:
    """Return a function that returns the fields of some rows."""
    text_of: Callable[[Any], str]
    if isinstance(column, NamedColumn):
        text_of = [guarded(escaped(name)) for name in column.names].__getitem__
    elif column.values.dtype.kind == "b":
        text_of = _truth
    else:
        text_of = "%.12g".__mod__ if column.values.dtype.kind == "f" else str

    def of_rows(rows: slice) -> Iterable[str]:
        values = column.values[rows].tolist()
        if column.is_null is None:
            return map(text_of, values)
        nulls = column.is_null[rows].tolist()
        return ["" if is_null else text_of(value) for value, is_null in zip(values, nulls, strict=True)]

    return of_rows


def _truth(value: bool) -> str:
    return "true" if value else "false"
