"""Samples as JSON lines, an object per line. Arrow parses whole blocks; blocks that it rejects are parsed line by line."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.json as pj

from navitas.fleet.ingest.raw import COLUMNS, Reader, RowBatch, Unreadable, batch_by_line, time_column
from navitas.line_blocks import LineBlock

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
