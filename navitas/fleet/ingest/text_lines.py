"""Samples as lines of text: CSV with a header line, or JSON lines with an object each.

Arrow and DuckDB read whole blocks. Python reads the lines with values that they do not take, and refuses wrong ones."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from navitas.base.line_blocks import LINE_LIMIT, LineBlock, LineSequence
from navitas.fleet.files import FleetError
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.raw import (
    COLUMNS,
    LISTS,
    MOST_DIGITS,
    Reader,
    RowBatch,
    Unreadable,
    batch_by_line,
    count,
    missing_of,
    pieces,
    split_texts,
)
from navitas.fleet.ingest.typed_texts import NotTaken, literal, query, typed_texts
from navitas.fleet.statistics import Bool

_MOST_COLUMNS, _SHOWN = 1000, 200
_KEY = re.compile(rb'"([ -!#-Z^-~]{1,100})"\s*:')
_LAST_COMMA = re.compile(rb",\s*[}\]]")
_SAMPLE = 1 << 14
"""Bytes of a block that show its columns."""
_CSV_BYTES = 2 * LINE_LIMIT
"""What Arrow parses at once: more than any line, and so little that the processor's cache keeps it."""
_OTHER_JSON = rf"^(?:[{{\[]|(?:true|false)$|-?\d{{{MOST_DIGITS}}}|-?[\d.]+e[+-]?\d+$)"
"""What DuckDB makes of members that are no texts, and of numbers too large for one. Also texts that look like these."""
_ARRAY_LINE = re.compile(rb"\s*(?:\[|\]|\{.*\},)\s*")
_OF_ARRAY = "is of a JSON array: make lines of it, `jq -c '.[]'`"
_HEADER = "Name the columns in the first line, separated by commas: client,time,level,apps (or app, in a row for each)."
_KINDS = {"apps": ["VARCHAR"], "foreground_s": "JSON", "running_s": "JSON"}
"""Types of keys in DuckDB. All others are texts."""
_NONE_RAN = ("apps", "app")
"""An empty cell of these means that no app ran."""
Values = Callable[[bytes], Mapping[str, object]]


@dataclass(slots=True)
class CsvReader(Reader):
    """Reads a file's blocks in order. The first block begins with the header."""

    header: list[str] = field(default_factory=list)
    name: str = "a CSV"
    columns: ColumnMap = field(default_factory=ColumnMap)

    def read(self, block: LineBlock) -> RowBatch:
        """A block's rows. Raises `FleetError` if the header cannot be read, lacks a required column, or has a column twice."""
        if not self.header and block.lines:
            try:
                given = [name.strip() for name in _cells(block.lines[0])]
            except Unreadable as error:
                raise FleetError(f"{self.name}: the header {error}", _HEADER) from None
            self.header = [name if name in self.columns.columns else name.lower() for name in given]
            self.columns.check(self.name, self.header)
            if missing := missing_of(self.columns.sources(self.header)):
                raise FleetError(
                    f"{self.name}: the header lacks {', '.join(missing)}; it has {', '.join(self.header)[:_SHOWN]}",
                    f"{_HEADER} Or use --map.",
                )
            if twice := [name for name in self.columns.sources(self.header).values() if self.header.count(name) > 1]:
                raise FleetError(f"{self.name}: the header has {', '.join(twice)} twice", "Name each column once.")
            _, _, rows = block.lines.data.partition(b"\n")
            block = LineBlock(block.numbers[1:], LineSequence(rows), block.refused)
        return self._fast(block) or _by_line(block, self._values, self.columns)

    @property
    def client_column(self) -> int:
        """The index of the client's cell; −1 if there is none."""
        name = self.columns.sources(self.header).get("client")
        return -1 if name is None else self.header.index(name)

    def _fast(self, block: LineBlock) -> RowBatch | None:
        """Parse the whole block. None if Arrow rejects it."""
        sources = self.columns.sources(self.header)
        if not block.lines or missing_of(sources):
            return None
        numbers = [str(number) for number in range(len(self.header))]
        own = {target: str(self.header.index(name)) for target, name in sources.items()}
        try:
            table = pv.read_csv(
                pa.BufferReader(block.lines.data),
                pv.ReadOptions(column_names=numbers, use_threads=False, block_size=_CSV_BYTES),
                pv.ParseOptions(newlines_in_values=False),
                pv.ConvertOptions(
                    column_types=dict.fromkeys(numbers, pa.string()),
                    include_columns=list(own.values()),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            ).combine_chunks()
            if table.num_rows != len(block.lines):
                return None
            others = {target: number for target, number in own.items() if target not in LISTS}
            columns, odd = typed_texts("texts", others, table.select(list(others.values())))
        except (pa.ArrowException, UnicodeError, NotTaken):
            return None
        for name in own.keys() & {*_NONE_RAN, *LISTS}:
            texts = pc.fill_null(table[own[name]], "") if name in _NONE_RAN else table[own[name]]
            columns[name] = split_texts(texts) if name in LISTS else texts
        ignored = self.columns.ignored(dict.fromkeys(self.header, len(block.lines)))
        return _completed(block, columns, odd, ignored, self.columns, self._values)

    def _values(self, line: bytes) -> Mapping[str, object]:
        cells = _cells(line)
        if len(cells) != len(self.header):
            raise Unreadable("has more or fewer cells than the header")
        sources = self.columns.sources(self.header)
        texts = {sources.get(name) for name in _NONE_RAN}
        return {name: cell if name in texts else cell or None for name, cell in zip(self.header, cells, strict=True)}


def _cells(line: bytes) -> list[str]:
    """The cells of a line. Raises `Unreadable` if there are none or too many, or if a quote does not end."""
    try:
        cells = next(csv.reader([line.decode()], strict=True), [])
    except UnicodeError:
        raise Unreadable("is not UTF-8") from None
    except csv.Error:
        cells = []
    if not cells:
        raise Unreadable("is not a line of CSV")
    if len(cells) > _MOST_COLUMNS:
        raise Unreadable(f"has more than {_MOST_COLUMNS:,} cells")
    return cells


@dataclass(slots=True)
class JsonReader(Reader):
    """Reads blocks independently of each other."""

    name: str = "a file"
    columns: ColumnMap = field(default_factory=ColumnMap)
    reads_in_any_order = True

    def read(self, block: LineBlock) -> RowBatch:
        """A block's rows. Raises `FleetError` if no object of the first block has a mapped column."""
        if self.columns.columns and block.lines and block.numbers[0] == 1:
            with suppress(pa.ArrowException, NotTaken):
                self.columns.check(self.name, _keys(_as_table(block.lines)))
        return self._fast(block) or _by_line(block, _object, self.columns)

    def _fast(self, block: LineBlock) -> RowBatch | None:
        """Parse the whole block. None if DuckDB rejects it."""
        data, ignored = block.lines.data, Counter[str]()
        count_keys, has_last_comma = _marks(data)
        if not data or (has_last_comma and _LAST_COMMA.search(data)):
            return None
        try:
            lines = _as_table(block.lines)
            columns, odd = self._parsed(lines, {key.decode() for key in _KEY.findall(data[:_SAMPLE])})
            values = sum(len(column) - column.null_count for column in columns.values())
            if odd.any() or b"\\" in data or count_keys != values:
                # Keys may be beyond the sample, of other columns, of null values, or of objects within the values.
                keys = _keys(lines)
                columns, odd = self._parsed(lines, keys)
                ignored = self.columns.ignored(keys)
        except (pa.ArrowException, UnicodeError, NotTaken):
            return None
        return _completed(block, columns, odd, ignored, self.columns, _object)

    def _parsed(self, lines: pa.Table, keys: Collection[str]) -> tuple[dict[str, pa.ChunkedArray], Bool]:
        """The columns with these keys, and the odd rows."""
        sources = self.columns.sources(keys) or {"client": "client"}
        kinds = json.dumps({name: _KINDS.get(target, "VARCHAR") for target, name in sources.items()})
        parsed = f"json_transform(line, {literal(kinds)})"
        try:
            columns, odd = typed_texts(f"(SELECT unnest({parsed}) FROM texts)", sources, lines)
        except NotTaken:  # A line is not JSON. TRY takes a quarter more.
            columns, odd = typed_texts(f"(SELECT unnest(TRY({parsed})) FROM texts)", sources, lines)
        has_none = [column.is_null().to_numpy() for name, column in columns.items() if name in ("apps", "app")]
        odd |= np.all(has_none, axis=0) if has_none else True
        if "apps" in columns:
            columns["apps"] = columns["apps"].cast(COLUMNS.field("apps").type)
            (apps,) = columns["apps"].chunks
            names = apps.flatten()
            maybe_other = pc.match_substring_regex(names.dictionary, _OTHER_JSON)
            if pc.any(maybe_other).as_py():
                odd[pc.list_parent_indices(apps).filter(maybe_other.take(names.indices)).to_numpy()] = True
        return columns, odd


def _as_table(lines: LineSequence) -> pa.Table:
    """The lines as a column `line`. Raises `pa.ArrowInvalid` if they are not UTF-8."""
    offsets = np.append(0, lines.ends).astype(np.int32)  # With the line feed of the line before, which JSON allows.
    texts = pa.StringArray.from_buffers(len(lines), pa.py_buffer(offsets), pa.py_buffer(lines.data))
    texts.validate(full=True)
    return pa.table({"line": texts})


def _marks(data: bytes) -> tuple[int, bool]:
    """The number of quotes before colons, which end keys if no text has an escaped quote.

    And whether a comma may come before the end of an object or list, which DuckDB reads and JSON does not allow.
    """
    text, keys, has_last_comma = np.frombuffer(data, np.uint8), 0, False
    for _, piece in pieces(text):
        before, mark = piece[:-1], piece[1:]
        keys += int(np.count_nonzero((before == ord('"')) & (mark == ord(":"))))
        ends = (mark | (ord("}") ^ ord("]"))) == ord("}")
        has_last_comma |= bool(np.any(ends & ((before == ord(",")) | (before <= ord(" ")))))
    return keys, has_last_comma


def _keys(lines: pa.Table) -> dict[str, int]:
    """The number of values by key."""
    keys = query(
        "SELECT key, count(*) AS n FROM (SELECT unnest(TRY(json_keys(line))) AS key FROM texts) GROUP BY key", texts=lines
    )
    return dict(zip(keys["key"].to_pylist(), keys["n"].to_pylist(), strict=True))


def _completed(  # noqa: PLR0917
    block: LineBlock, columns: Mapping[str, pa.ChunkedArray], odd: Bool, ignored: Counter[str], names: ColumnMap, values: Values
) -> RowBatch:
    """A block's rows: odd ones by `values`, the others from their parsed columns."""
    table = pa.table(
        [columns[c.name].cast(c.type) if c.name in columns else pa.nulls(len(odd), c.type) for c in COLUMNS], COLUMNS
    )
    if not odd.any():
        return RowBatch(table, block.numbers, block.lines, list(block.refused), ignored)
    numbers, lines, fine = np.array(block.numbers), list(block.lines), np.flatnonzero(~odd)
    chosen = np.flatnonzero(odd)
    odd_lines = LineBlock(numbers[chosen].tolist(), LineSequence.join(lines[i] for i in chosen.tolist()), block.refused)
    by_line = batch_by_line(odd_lines, lambda line: names.renamed(values(line)))
    every = np.concatenate([numbers[fine], np.array(by_line.numbers, np.int64)])
    order = np.argsort(every)
    rows = pa.concat_tables([table.take(pa.array(fine)), by_line.table]).take(pa.array(order))
    kept = [lines[i] for i in np.searchsorted(numbers, every[order]).tolist()]
    return RowBatch(rows.combine_chunks(), every[order].tolist(), kept, by_line.refused, ignored + by_line.ignored)


def _by_line(block: LineBlock, values: Values, names: ColumnMap) -> RowBatch:
    """A block's rows, one by one."""
    ignored: Counter[str] = Counter()

    def known(line: bytes) -> Mapping[str, object]:
        row = values(line)
        ignored.update(names.ignored(dict.fromkeys(row, 1)))
        return names.renamed(row)

    batch = batch_by_line(block, known)
    for what, rows in ignored.items():
        count(batch.ignored, what, rows)
    return batch


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
