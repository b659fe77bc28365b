"""Samples as CSV: a header line, then a row per line. Arrow reads whole blocks; blocks that it rejects are read line by line."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from navitas.fleet.files import FleetError
from navitas.fleet.ingest.raw import (
    COLUMNS,
    LISTS,
    REQUIRED,
    Reader,
    RowBatch,
    Unreadable,
    batch_by_line,
    split_texts,
    time_column,
)
from navitas.line_blocks import LineBlock

_TRUE, _FALSE = ["true", "True", "1", "on"], ["false", "False", "0", "off"]
_MOST_COLUMNS, _SHOWN = 1000, 200


@dataclass(slots=True)
class CsvReader(Reader):
    """Reads a file's blocks in order. The first block begins with the header."""

    header: list[str] = field(default_factory=list)
    name: str = "a CSV"

    def read(self, block: LineBlock) -> RowBatch:
        """A block's rows. Raises `FleetError` if the header lacks a required column, or has a column twice."""
        if not self.header and block.lines:
            try:
                self.header = [name.strip().lower() for name in _cells(block.lines[0])]
            except Unreadable:
                self.header = ["?"]
            if missing := [name for name in REQUIRED if name not in self.header]:
                raise FleetError(
                    f"{self.name}: the header lacks {', '.join(missing)}; it has {', '.join(self.header)[:_SHOWN]}",
                    "Name the columns in the first line, separated by commas: client,time,level,apps",
                )
            if twice := [name for name in COLUMNS.names if self.header.count(name) > 1]:
                raise FleetError(f"{self.name}: the header has {', '.join(twice)} twice", "Name each column once.")
            block = LineBlock(block.numbers[1:], block.lines[1:], block.refused)
        return self._fast(block) or batch_by_line(block, self._values)

    @property
    def client_column(self) -> int:
        """The index of the client's cell; −1 if there is none."""
        return self.header.index("client") if "client" in self.header else -1

    def _fast(self, block: LineBlock) -> RowBatch | None:
        """Parse the whole block. None if Arrow rejects it."""
        names = self.header
        if not block.lines or len(set(names)) != len(names) or not set(REQUIRED) <= set(names):
            return None
        try:
            is_number = _is_number(_cells(block.lines[0])[names.index("time")])
        except (Unreadable, IndexError):
            return None
        # As texts, times may have several forms.
        return (self._parsed(block, pa.float64()) if is_number else None) or self._parsed(block, pa.string())

    def _parsed(self, block: LineBlock, time: pa.DataType) -> RowBatch | None:
        names = self.header
        types = {column.name: column.type for column in COLUMNS if column.name in names}
        types |= {name: pa.string() for name in LISTS if name in types} | {"time": time}
        try:
            table = pv.read_csv(
                pa.BufferReader(block.lines.data),
                pv.ReadOptions(column_names=names, use_threads=False, block_size=len(block.lines.data) + 1),
                pv.ParseOptions(newlines_in_values=False),
                pv.ConvertOptions(
                    column_types=types,
                    include_columns=list(types),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                    true_values=_TRUE,
                    false_values=_FALSE,
                ),
            )
            table.validate(full=True)
            columns = {name: table[name] for name in types}
            columns["time"] = time_column(columns["time"])
        except (pa.ArrowException, UnicodeError):
            return None
        if table.num_rows != len(block.lines):
            return None
        columns["apps"] = pc.fill_null(columns["apps"], "")  # An empty cell of apps means that none ran.
        columns |= {name: split_texts(columns[name]) for name in LISTS if name in columns}
        arrays = [columns[c.name] if c.name in columns else pa.nulls(table.num_rows, c.type) for c in COLUMNS]
        unknown = Counter({f"column {name}: not known": table.num_rows for name in names if name not in types})
        return RowBatch(pa.table(arrays, COLUMNS).combine_chunks(), block.numbers, block.lines, list(block.refused), unknown)

    def _values(self, line: bytes) -> Mapping[str, object]:
        cells = _cells(line)
        if len(cells) != len(self.header):
            raise Unreadable("has more or fewer cells than the header")
        named = dict(zip(self.header, cells, strict=True))
        return {name: cell if name == "apps" else cell or None for name, cell in named.items()}


def _cells(line: bytes) -> list[str]:
    """The cells of a line. Raises `Unreadable` if there are none, or if a quote does not end."""
    try:
        cells = next(csv.reader([line.decode()], strict=True), [])
    except (csv.Error, UnicodeError):
        raise Unreadable("is not a line of CSV") from None
    if not 0 < len(cells) <= _MOST_COLUMNS:
        raise Unreadable("is not a line of CSV")
    return cells


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
