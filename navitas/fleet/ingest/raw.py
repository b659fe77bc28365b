"""Rows from readers, with the columns of the input format: typed, but not checked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from navitas.base.line_blocks import LineBlock, Refusal
from navitas.base.untrusted_text import printable

FORMAT = 1
"""Newest known format. Rows of a newer one are refused."""
_MOST_NAMES, _LONGEST_NAME = 1000, 100
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
        ("apps", pa.list_(pa.string())),
        ("foreground", pa.string()),
        ("screen_on_s", pa.float64()),
        ("mobile_s", pa.float64()),
        ("wifi_s", pa.float64()),
        ("brightness", pa.float64()),
        ("saver", pa.bool_()),
        ("foreground_s", pa.list_(pa.string())),
        ("running_s", pa.list_(pa.string())),
    ]
)
"""Columns of the input: `time` in seconds, apps as `package@version`, counters of apps as `package=seconds`.

Missing values are null.
"""
LISTS = ("apps", "foreground_s", "running_s")
"""Columns with lists. In CSV, they are texts with separators."""
SEPARATORS = re.compile("[;,]")
"""Separators of apps in a text, in addition to white space."""
REQUIRED = ("client", "time", "level", "apps")
_NUMBER = r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_ZONED = r"[T ][0-9:.]+(Z|[+-][0-9:]+)$"


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Rows of a source: table, line numbers and lines, refused rows, and counts of dropped values."""

    table: pa.Table
    numbers: Sequence[int] = ()
    lines: Sequence[bytes] = ()
    refused: list[Refusal] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)


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
        read = _READ.get(name)
        if read is None:
            count(ignored, f"column {printable(name, _LONGEST_NAME)}: not known")
        elif value is not None:
            try:
                row[name] = read(value)
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
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**20 else None
    if not isinstance(value, str):
        raise Unreadable("is not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Unreadable("is not valid Unicode") from None
    return value


def _flag(value: object) -> bool:
    known = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}.get(str(value).lower()[:6])
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
        return SEPARATORS.sub(" ", _text(value)).split()
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
}
_READ = {field.name: _OF_TYPE[field.type] for field in COLUMNS} | {"time": _time, "apps": _apps, "foreground": _app}


def split_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists from texts with separators. An empty text is an empty list; a null stays null."""
    text = pc.utf8_trim_whitespace(pc.replace_substring_regex(column, SEPARATORS.pattern, " "))
    lists = pc.utf8_split_whitespace(text)
    return pc.if_else(pc.equal(text, ""), pa.scalar([], lists.type), lists)


def time_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Seconds from texts (ISO 8601, UTC without a zone, or numbers), or from seconds or milliseconds.

    Raises `pa.ArrowInvalid` if a text is not a time.
    """
    if not pa.types.is_string(column.type):
        return _of_numbers(column)
    for kind in (pa.timestamp("us", "UTC"), pa.timestamp("us")):  # Most files have one form.
        try:
            return _of_moments(column.cast(kind))
        except pa.ArrowInvalid:
            pass
    is_number, has_zone = (pc.match_substring_regex(column, pattern) for pattern in (_NUMBER, _ZONED))
    missing = pa.scalar(None, pa.string())
    return pc.coalesce(
        _of_numbers(pc.if_else(is_number, column, missing).cast(pa.float64())),
        _of_moments(pc.if_else(has_zone, column, missing).cast(pa.timestamp("us", "UTC"))),
        _of_moments(pc.if_else(pc.or_(is_number, has_zone), missing, column).cast(pa.timestamp("us"))),
    )


def _of_moments(moments: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.divide(moments.cast(pa.int64()).cast(pa.float64()), 1e6)


def _of_numbers(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    is_ms = pc.greater(pc.abs(numbers), LATEST_S)
    return pc.if_else(is_ms, pc.divide(numbers, 1000.0), numbers)
