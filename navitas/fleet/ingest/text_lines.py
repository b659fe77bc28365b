"""Samples as lines of text: CSV with a header line, or JSON lines with an object each.

Arrow reads whole blocks; blocks that it rejects are read line by line."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.json as pj

from navitas.base.line_blocks import LineBlock
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

_TRUE, _FALSE = ["true", "True", "1", "on"], ["false", "False", "0", "off"]
_MOST_COLUMNS, _SHOWN = 1000, 200
_KEY = re.compile(rb'"([A-Za-z_][A-Za-z0-9_.-]{0,63})"\s*:')
_SAMPLE = 1 << 16
"""Bytes of a block that show its form."""
_NUMBER = rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_NUMBER_TIME = re.compile(rb'"time"\s*:\s*(' + _NUMBER + rb"(?:[eE][+-]?[0-9]+)?)(?=\s*[,}])")
_TIME = re.compile(rb'"time"\s*:\s*[^\s]')
_TEXT_TIME = re.compile(rb'"time"\s*:\s*"')
_ENTRY = rb'"[^"\\,]*":\s*' + _NUMBER + rb"\s*"
_OBJECTS = [
    re.compile(name.join((rb'"', rb'"\s*:\s*\{\s*((?:' + _ENTRY + rb"(?:,\s*" + _ENTRY + rb")*)?)\}")))
    for name in (b"foreground_s", b"running_s")
]
_ARRAY_LINE = re.compile(rb"\s*(?:\[|\]|\{.*\},)\s*")
_OF_ARRAY = "is of a JSON array: make lines of it, `jq -c '.[]'`"


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


class JsonReader(Reader):
    """Reads blocks independently of each other."""

    reads_in_any_order = True

    def read(self, block: LineBlock) -> RowBatch:
        """A block's rows."""
        return _fast(block) or batch_by_line(block, _object)


def _fast(block: LineBlock) -> RowBatch | None:
    """Parse the whole block. None if Arrow rejects it."""
    if not block.lines:
        return None
    for data in _forms(block.lines.data):
        ignored: Counter[str] = Counter()
        table = _parse(data, "error")
        if table is None:
            table = _parse(data, "ignore")
            ignored = _unknown(data)
        # Rows have no line numbers, so there must be one row for each line.
        if table is not None and table.num_rows == len(block.lines):
            return RowBatch(table, block.numbers, block.lines, list(block.refused), ignored)
    return None


def _forms(data: bytes) -> Iterator[bytes]:
    """Yield a block as it is, and with one type for each column: times as texts, counters of apps as lists of texts.

    Arrow rejects columns of two types, and has no type for objects with any keys. The block as it is comes first unless its
    beginning shows that it is one of those. Replaced texts are members of objects also within others, so JSON stays as valid.
    """
    head = data[:_SAMPLE]
    if not (_NUMBER_TIME.search(head) and _TEXT_TIME.search(head)) and not any(found.search(head) for found in _OBJECTS):
        yield data
    if b'\\"' in data:  # A quote within a text, so quotes do not show where keys begin.
        return
    made = _NUMBER_TIME.sub(rb'"time":"\1"', data) if _TEXT_TIME.search(data) else data
    for name, found in zip((b"foreground_s", b"running_s"), _OBJECTS, strict=True):
        made = found.sub(lambda one, name=name: b'"%b":[%b]' % (name, _entries(one[1])), made)  # type: ignore[misc]
    if made is not data and made != data:
        yield made


def _entries(members: bytes) -> bytes:
    """`"package":seconds, …` → `"package=seconds", …`."""
    return members.replace(b'":', b"=").replace(b",", b'",') + b'"' if members else b""


def _parse(data: bytes, unknown: str) -> pa.Table | None:
    found = _TIME.search(data)
    text = found is not None and found[0].endswith(b'"')
    at = COLUMNS.get_field_index("time")
    schema = COLUMNS.set(at, pa.field("time", pa.string() if text else pa.float64()))
    try:
        table = pj.read_json(
            pa.BufferReader(data),
            # One chunk, which needs no concatenation. Other cores work on other blocks.
            read_options=pj.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unknown),
        )
        table.validate(full=True)
        return table.select(COLUMNS.names).set_column(at, "time", time_column(table["time"])).combine_chunks()
    except (pa.ArrowException, UnicodeError):
        return None


def _unknown(data: bytes) -> Counter[str]:
    """Counts of unknown columns. In valid JSON, a string before a colon is a key."""
    names = Counter(_KEY.findall(data))
    return Counter(
        {f"column {name.decode()}: not known": count for name, count in names.items() if name.decode() not in COLUMNS.names}
    )


def _object(line: bytes) -> Mapping[str, object]:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        raise Unreadable(_OF_ARRAY if _ARRAY_LINE.fullmatch(line) else "is not JSON") from None
    if isinstance(values, list):
        raise Unreadable(_OF_ARRAY)
    if not isinstance(values, dict):
        raise Unreadable("is not a JSON object")
    return values
