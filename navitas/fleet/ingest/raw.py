"""Rows from readers, with the columns of the input format: typed, but not checked."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from navitas.base.line_blocks import LineBlock, Refusal
from navitas.fleet.statistics import Bool

FORMAT = 1
"""Newest known format. Rows of a newer one are refused."""
_MOST_NAMES = 1000
LATEST_S = 1e11
"""Greater times are in milliseconds (as seconds, this is the year 5138)."""

COLUMNS = pa.schema(
    [
        ("format", pa.float64()),
        ("client", pa.string()),
        ("time", pa.float64()),
        ("level", pa.float64()),
        ("state", pa.string()),
        ("voltage_mv", pa.float64()),
        ("temperature_c", pa.float64()),
        ("screen", pa.bool_()),
        ("network", pa.string()),
        ("cpu", pa.float64()),
        ("model", pa.string()),
        ("os", pa.string()),
        ("uptime_s", pa.float64()),
        ("apps", pa.list_(pa.dictionary(pa.int32(), pa.string()))),
        ("foreground", pa.string()),
        ("screen_on_s", pa.float64()),
        ("mobile_s", pa.float64()),
        ("wifi_s", pa.float64()),
        ("brightness", pa.float64()),
        ("saver", pa.bool_()),
        ("foreground_s", pa.list_(pa.string())),
        ("running_s", pa.list_(pa.string())),
        ("charging", pa.bool_()),
        ("scale", pa.float64()),
        ("app", pa.string()),
        ("version", pa.string()),
    ]
)
"""Columns of the input: `time` in seconds, apps as `package@version`, counters of apps as `package=seconds`.

Apps are dictionaries of the different names: readers make them in their threads, and what follows looks at each name once.

`charging` stands for a missing `state`, `scale` is the level of a full battery, `app` and `version` are of a row for each app.
Missing values are null.
"""
LISTS = ("apps", "foreground_s", "running_s")
"""Columns with lists. In CSV, they are texts with separators."""
SEPARATORS = ";,"
"""Separators of apps in a text, in addition to white space."""
_WHITE = "\t\n\v\f\r\x1c\x1d\x1e\x1f "
"""ASCII's white space: two ranges."""
_OTHER_WHITE = r"[\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"
_ASCII = 0x7F
_IN_CACHE = 1 << 17
MOST_DIGITS = 20
"""Most digits of a number that stands for a text."""
REQUIRED = ("client", "time", "level", "apps")
FLAGS = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows of a source: table, line numbers and lines (not of Parquet), refused rows, and counts of dropped values."""

    table: pa.Table
    numbers: Sequence[int] = ()
    lines: Sequence[bytes] = ()
    refused: list[Refusal] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)

    def text(self, row: int) -> bytes:
        """A row's line. Of Parquet, its values as JSON, without its client."""
        if self.lines:
            return self.lines[row]
        (values,) = self.table.slice(row, 1).drop_columns(["client"]).to_pylist()
        return json.dumps(values, default=str).encode()


def missing_of(names: Collection[str]) -> list[str]:
    """The required columns that are not among these. A row for each app has `app` in place of `apps`."""
    return [name for name in REQUIRED if name not in names and not (name == "apps" and "app" in names)]


class Unreadable(ValueError):
    """A row or value cannot be read. The message is the reason."""


def batch_of(rows: list[tuple[int, bytes, Mapping[str, object]]], refused: list[Refusal]) -> RowBatch:
    """A batch from Python values (line number, line, values by column).

    Unreadable values are dropped and counted. A row without a required value is refused.
    """
    found: list[dict[str, object]] = []
    numbers: list[int] = []
    lines: list[bytes] = []
    bad = list(refused)
    ignored: Counter[str] = Counter()
    for number, line, values in rows:
        try:
            found.append(_typed(values, ignored))
        except Unreadable as error:
            bad.append(Refusal(number, str(error), line))
        else:
            numbers.append(number)
            lines.append(line)
    return RowBatch(pa.Table.from_pylist(found, COLUMNS), numbers, lines, bad, ignored)


class Reader:
    """Reads a source's blocks, in order unless `reads_in_any_order`: then, rows of a block do not depend on earlier blocks."""

    reads_in_any_order: ClassVar[bool] = False

    @property
    def client_column(self) -> int:
        """The index of the client among a line's comma-separated cells; −1 if lines have no cells."""
        return -1

    def read(self, block: LineBlock) -> RowBatch:
        """The rows that are complete after these lines."""
        raise NotImplementedError

    def end(self) -> RowBatch:
        """The rows that are complete only at the end of the source."""
        return batch_of([], [])


def batch_by_line(block: LineBlock, parsed: Callable[[bytes], Mapping[str, object]]) -> RowBatch:
    """A batch of the lines' values. Lines for which `parsed` raises `Unreadable` are refused."""
    rows, refused = [], list(block.refused)
    for number, line in zip(block.numbers, block.lines, strict=True):
        try:
            rows.append((number, line, parsed(line)))
        except Unreadable as error:
            refused.append(Refusal(number, str(error), line))
    return batch_of(rows, refused)


def _typed(values: Mapping[str, object], ignored: Counter[str]) -> dict[str, object]:
    """A row's values in their columns' types. Raises `Unreadable` if a required value cannot be read."""
    row: dict[str, object] = {}
    for name, value in values.items():
        if value is not None:
            try:
                row[name] = _READ[name](value)
            except Unreadable as error:
                if name in REQUIRED:
                    raise Unreadable(f"{name}: {error}") from None
                ignored[f"{name}: {error}"] += 1
    return row


def count(ignored: Counter[str], what: str, rows: int = 1) -> None:
    """Count dropped values. The number of names is limited, so that unknown columns cannot fill the memory."""
    ignored[what if what in ignored or len(ignored) < _MOST_NAMES else "more columns: not known"] += rows


def _number(value: object) -> float:
    if (isinstance(value, str) and len(value) < 100) or (isinstance(value, int | float) and not isinstance(value, bool)):
        try:
            return float(value)
        except ValueError:
            pass
        except OverflowError:
            return math.inf
    raise Unreadable("is not a number")


def _text(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**MOST_DIGITS else None
    if not isinstance(value, str):
        raise Unreadable("is not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unreadable("is not valid Unicode") from None
    return value


def _flag(value: object) -> bool:
    known = FLAGS.get(str(value).lower()[:6])
    if known is None or not isinstance(value, bool | int | str):
        raise Unreadable("is neither true nor false")
    return known


def _time(value: object) -> float:
    """Seconds since 1970 from ISO 8601 text (UTC without a zone) or from a number of seconds or milliseconds."""
    try:
        return seconds(_number(value))
    except Unreadable:
        pass
    try:
        moment = datetime.fromisoformat(_text(value).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise Unreadable("cannot be read") from None


def seconds(number: float) -> float:
    """Convert seconds or milliseconds to seconds."""
    return number / 1000 if abs(number) > LATEST_S else number


def _apps(value: object) -> list[str]:
    if isinstance(value, str):
        return _text(value).translate(dict.fromkeys(map(ord, SEPARATORS), " ")).split()
    if not isinstance(value, list):
        raise Unreadable("is not a list")
    return [_app(one) for one in value]


def _counters(value: object) -> list[str]:
    if isinstance(value, dict):
        return [f"{_text(app)}={_number(seconds)!r}" for app, seconds in value.items()]
    return _apps(value)


def _app(value: object) -> str:
    if isinstance(value, dict):
        app, version = value.get("app"), value.get("version")
        return f"{_text(app)}@{'' if version is None else _text(version)}"
    return _text(value)


_OF_TYPE: dict[pa.DataType, Callable[[object], Any]] = {
    pa.float64(): _number,
    pa.string(): _text,
    pa.bool_(): _flag,
    pa.list_(pa.string()): _counters,
    pa.list_(pa.dictionary(pa.int32(), pa.string())): _apps,
}
_READ = {field.name: _OF_TYPE[field.type] for field in COLUMNS} | {"time": _time, "foreground": _app}


def split_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists from texts with separators. An empty text is an empty list; a null stays null."""
    return pa.chunked_array(
        [_split(pc.fill_null(chunk, ""), chunk.is_null()) for chunk in column.chunks], COLUMNS.field("apps").type
    )


def _split(cells: pa.StringArray, is_null: pa.BooleanArray) -> pa.ListArray:
    """Lists of names, without a copy of the text: until the different ones are known, a name has the separators after it."""
    ends = np.frombuffer(cells.buffers()[1], np.int32)[cells.offset : cells.offset + len(cells) + 1]
    data = (cells.buffers()[2] or pa.py_buffer(b"")).slice(ends[0], ends[-1] - ends[0])
    text, ends = np.frombuffer(data, np.uint8), ends - ends[0]
    if text.max(initial=0) > _ASCII:
        other = pc.replace_substring_regex(cells, _OTHER_WHITE, " ")
        if not other.equals(cells):
            return _split(other, is_null)
    first = ends[:-1][ends[:-1] < len(text)]
    begins = [first[~_is_separator(text[first])]]
    for at, piece in pieces(text):
        is_separator = _is_separator(piece)
        begins.append(np.flatnonzero(is_separator[:-1] > is_separator[1:]) + (at + 1))
    names = np.sort(np.concatenate(begins), kind="stable").astype(np.int32)  # np.unique takes 100 times as long.
    names = names[np.append(True, names[1:] != names[:-1])[: len(names)]]
    offsets = pa.py_buffer(np.append(names, np.int32(len(text))))
    encoded = pa.StringArray.from_buffers(len(names), offsets, data).dictionary_encode()
    trimmed = pc.ascii_rtrim(encoded.dictionary, characters=_WHITE + SEPARATORS)
    lists = pa.DictionaryArray.from_arrays(encoded.indices, trimmed)
    return pa.ListArray.from_arrays(pa.array(np.searchsorted(names, ends).astype(np.int32)), lists, mask=is_null)


def _is_separator(text: NDArray[np.uint8]) -> Bool:
    is_separator: Bool = text - np.uint8(ord("\t")) <= ord("\r") - ord("\t")
    is_separator |= text - np.uint8(ord("\x1c")) <= ord(" ") - ord("\x1c")
    for separator in SEPARATORS:
        is_separator |= text == ord(separator)
    return is_separator


def pieces(text: NDArray[np.uint8]) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Yield pieces of a text that fit into the processor's cache, with their places, and the first byte of the next piece.

    Several passes over a whole block take three times as long.
    """
    for begin in range(0, len(text), _IN_CACHE):
        yield begin, text[begin : begin + _IN_CACHE + 1]
