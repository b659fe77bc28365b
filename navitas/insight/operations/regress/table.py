"""A table of execution cases: rows are cases, columns are numbers of operations, the measured energy, and others.

It is read from CSV with a header, or from Parquet. Arrow parses both, in bounded memory.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.regular_files import open_regular
from navitas.insight.operations.regress.libraries import library
from navitas.recording.parse.arrays import F64

LEAST_VALUE, MOST_VALUE = 1e-30, 1e30
"""Numbers of other sizes, except 0, are damage. Squares, ratios and sums of these stay finite."""
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_SHOWN = 5
MOST_CELLS = 100_000_000
"""As 64-bit numbers, they take 0.8 GB."""
MOST_BYTES = 2 << 30
MOST_COLUMNS = 10_000
LONGEST_NAME = 1000
_HEADER_BYTES = 1 << 20
_BLOCK_BYTES = 8 << 20
_DELIMITERS = (",", ";", "\t")
_SPLIT = "Split the table, or leave out columns."


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


def read_table(path: Path, *, without: Collection[str] = ()) -> Table:
    """Read a table without some columns and without those that have no name.

    CSV has one header line and the delimiter comma, semicolon or tab. Raises `UsageError` if the file cannot be read, has no
    rows, two columns of one name, one whose name is longer than 1,000 characters, or a row of another length, or if it is
    larger than 2 GiB or 100 million cells.
    """
    try:
        with open_regular(path) as raw:
            begin = raw.read(4)
            raw.seek(0)
            return _parquet(path, raw, without) if begin == b"PAR1" else _csv(path, raw, without)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}", "Check the path.") from error


def _csv(path: Path, raw: io.BufferedReader, without: Collection[str]) -> Table:
    line = _header_line(path, raw)
    delimiter = max(_DELIMITERS, key=line.count)
    names = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    _check_names(path, names)
    raw.seek(0)
    size = lines = 0
    while block := raw.read(_BLOCK_BYTES):
        size += len(block)
        lines += max(block.count(b"\n"), block.count(b"\r"))
        _check_size(path, size, lines, len(names))
    raw.seek(0)
    wanted = [place for place, name in enumerate(names) if name and name not in without]
    arrow, reader = library("pyarrow"), library("pyarrow.csv")
    keys = [str(place) for place in range(len(names))]
    try:
        found = reader.read_csv(
            raw,
            read_options=reader.ReadOptions(column_names=keys, skip_rows=1, block_size=_BLOCK_BYTES),
            parse_options=reader.ParseOptions(delimiter=delimiter),
            convert_options=reader.ConvertOptions(include_columns=[keys[place] for place in wanted]),
        )
    except arrow.ArrowInvalid as error:
        raise _csv_error(path, delimiter, len(names), error) from None
    return _table(path, [names[place] for place in wanted], found, names)


def _header_line(path: Path, raw: io.BufferedReader) -> str:
    line = raw.readline(_HEADER_BYTES + 1)
    if len(line) > _HEADER_BYTES:
        raise UsageError(f"{path}: its first line is longer than 1 MiB", "Give a CSV file with a header, or a Parquet file.")
    try:
        text = line.decode("utf-8-sig").split("\r")[0].rstrip("\n")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"{path}: not text in UTF-8", "Give a CSV file in UTF-8 with a header, or a Parquet file.")
    if not text.strip():
        raise UsageError(f"{path}: empty, or its first line is", "Give a table with a header, and a row for each case.")
    if text.count('"') % 2:
        raise UsageError(f"{path}: line 1: a quotation mark is not closed", "Write the names of all columns in one line.")
    return text


def _check_names(path: Path, names: list[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise UsageError(f"{path}: {len(names):,} columns, more than {MOST_COLUMNS:,}", _SPLIT)
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if twice:
        raise UsageError(f"{path}: line 1: several columns have the name {shown(twice)}", "Rename or remove them.")
    long = [name for name in names if len(name) > LONGEST_NAME]
    if long:
        what = f"the name of column {shown(long)} is longer than {LONGEST_NAME:,} characters"
        raise UsageError(f"{path}: line 1: {what}", "Give it a shorter name.")


def _check_size(path: Path, size: int, rows: int, columns: int) -> None:
    if size > MOST_BYTES:
        raise UsageError(f"{path}: larger than {MOST_BYTES >> 30} GiB", _SPLIT)
    if rows * columns > MOST_CELLS:
        raise UsageError(f"{path}: more than {MOST_CELLS // 10**6} million cells", _SPLIT)


def _csv_error(path: Path, delimiter: str, columns: int, error: Exception) -> UsageError:
    """The first row of another length; else what Arrow reports."""
    with open_regular(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", errors="replace", newline="") as text:
        rows = csv.reader(text, delimiter=delimiter)
        try:
            for cells in rows:
                if cells and len(cells) != columns:
                    what = f"line {rows.line_num}: {len(cells)} cells, but the header has {columns}"
                    return UsageError(f"{path}: {what}", "Give each row a cell for each column.")
        except csv.Error as wrong:
            return UsageError(f"{path}: line {rows.line_num}: {wrong}", "Give a CSV file with a header.")
    return UsageError(f"{path}: not a CSV file: {str(error)[:200]}", "Give a CSV file in UTF-8 with a header, or a Parquet file.")


def _parquet(path: Path, raw: io.BufferedReader, without: Collection[str]) -> Table:
    arrow, reader = library("pyarrow"), library("pyarrow.parquet")
    try:
        file = reader.ParquetFile(raw)
        names = file.schema_arrow.names
        _check_names(path, names)
        _check_size(path, path.stat().st_size, file.metadata.num_rows, len(names))
        wanted = [name for name in names if name and name not in without]
        return _table(path, wanted, file.read(columns=wanted), names)
    except arrow.ArrowException as error:
        raise UsageError(f"{path}: not a Parquet file: {str(error)[:200]}", "Write it again.") from None


def _table(path: Path, names: list[str], found: Any, every: list[str]) -> Table:
    if not found.num_rows:
        raise UsageError(f"{path}: no rows", "Give a row for each execution case, below the header.")
    columns = {name: found.column(place) for place, name in enumerate(names)}
    return Table(str(path), tuple(names), found.num_rows, columns, tuple(name for name in every if name and name not in columns))
