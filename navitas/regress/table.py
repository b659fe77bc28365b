"""A table of execution cases: rows are cases, columns are numbers of operations, the measured energy, and others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from navitas.errors import UsageError
from navitas.regress.arrays import F64
from navitas.regress.libraries import library

LEAST_VALUE, MOST_VALUE = 1e-30, 1e30
"""Numbers of other sizes, except 0, are damage. Squares, ratios and sums of these stay finite."""
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Table:
    """Columns as Arrow arrays, by their place. `name` is the file's, for messages. Rows are counted from 0.

    `unread` are the names of columns that the file has, and that were not read.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    values: dict[str, Any]
    unread: tuple[str, ...] = ()

    def check_known(self, wanted: Sequence[str], option: str) -> None:
        """Raise `UsageError` for a column that the table lacks, with similar names."""
        names = (*self.columns, *self.unread)
        for column in wanted:
            if column not in names:
                near = get_close_matches(column, names, 3, 0.5)
                similar = f"Did you mean {', '.join(map(repr, near))}?" if near else f"It has {shown(names)}."
                raise UsageError(f"{self.name}: no column {column!r} ({option})", similar)

    def is_numeric(self, column: str) -> bool:
        """Whether a column has numbers or empty cells only."""
        types = library("pyarrow").types
        kind = self.values[column].type
        return bool(types.is_boolean(kind) or _has_numbers(kind) or types.is_null(kind)) or not self._texts(column, 1)

    def numbers(self, column: str) -> F64:
        """The numbers of a column; NaN for an empty cell.

        Raises `UsageError` with the row and the value for text, infinity, and sizes beyond 1e30 or below 1e-30.
        """
        pa = library("pyarrow")
        values = self.values[column]
        if pa.types.is_null(values.type):
            return np.full(self.rows, np.nan)
        if pa.types.is_boolean(values.type) or _has_numbers(values.type):
            found = values.cast(pa.float64(), safe=False).to_numpy()
        else:
            self._refuse_text(column)
            found = np.array([float(text) if text.strip() else np.nan for text in map(_text, values.to_pylist())])
        found = np.asarray(found, np.float64)
        size = np.abs(found)
        wild = np.flatnonzero((size > MOST_VALUE) | ((size < LEAST_VALUE) & (size > 0)))
        if wild.size:
            what = f"{found[wild[0]]:g} is not a finite number, 0 or of a size from {LEAST_VALUE:g} to {MOST_VALUE:g}"
            raise UsageError(f"{self.name}: column {column!r}, row {wild[0]}: {what}", "Correct the cell, or leave out its row.")
        return found

    def has_nan(self, column: str) -> bool:
        """Whether a column has cells that are not numbers in the sense of IEEE 754, as in Parquet files."""
        kind = self.values[column].type
        return not library("pyarrow").types.is_integer(kind) and bool(np.isnan(self.numbers(column)).any())

    def texts(self, column: str) -> list[str]:
        """The cells of a column as text, such as names of groups."""
        return list(map(_text, self.values[column].to_pylist()))

    def refuse_texts(self, columns: Sequence[str]) -> None:
        """Raise `UsageError` that names all columns of text, if there are several."""
        wrong = [column for column in columns if not self.is_numeric(column)]
        if len(wrong) > 1:
            ignore = " ".join(f"--ignore {column!r}" for column in wrong[:_SHOWN])
            raise UsageError(f"{self.name}: these columns have text: {shown(wrong)}", f"Add {ignore}, or use numbers.")
        if wrong:
            self._refuse_text(wrong[0])

    def _refuse_text(self, column: str) -> None:
        for row, text in self._texts(column, 1):
            comma = re.fullmatch(r"\s*[+-]?\d+,\d+\s*", text)
            remedy = "Write numbers with a decimal point." if comma else f"Correct the cell, or add --ignore {column!r}."
            raise UsageError(f"{self.name}: column {column!r}, row {row}: {text[:80]!r} is not a number", remedy)

    def _texts(self, column: str, most: int) -> list[tuple[int, str]]:
        """The first rows whose cells are neither numbers nor empty."""
        found: list[tuple[int, str]] = []
        for row, value in enumerate(self.values[column]):
            text = _text(value.as_py())
            if text.strip() and not _NUMBER.fullmatch(text):
                found.append((row, text))
                if len(found) == most:
                    break
        return found


def shown(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(name[:80]) for name in names[:_SHOWN]) + more


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _has_numbers(kind: Any) -> bool:
    types = library("pyarrow").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))
