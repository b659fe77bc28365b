"""The grammar of a history line of `dumpsys batterystats --checkin`, for all its readers.

Grammar: AOSP's BatteryStats.HistoryPrinter. A line has milliseconds since the last one and changes; names are pool numbers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CLEARED = ("RESET", "START", "SHUTDOWN", "*OVERFLOW*")
"""Words of a line after which no earlier state is known."""
_HEAD = re.compile(rb"\d{1,2},h,(\d{1,15})((?::[A-Z*]+)*)(?::(\d{1,15}))?(?:,(.*))?")
_HISTORY = re.compile(rb"\d{1,2},h,")
_NAME = re.compile(rb'\d{1,2},hsp,(\d{1,9}),(-?\d{1,10}),"(.{0,1000})"')
_ITEM = re.compile(r"([+-]?)([A-Za-z]\w*)(?:=(.*))?", re.ASCII)


class HistoryLine(NamedTuple):
    """One line: milliseconds since the line before it, its words (such as RESET), the wall clock if it has one, its changes."""

    delta_ms: int
    words: list[str]
    clock_ms: int | None
    items: bytes


class PoolName(NamedTuple):
    """The definition of a pool number."""

    number: bytes
    uid: bytes
    name: bytes


def is_history(line: bytes) -> bool:
    """Return whether the line claims to be a line of a history."""
    return _HISTORY.match(line) is not None


def history_line(line: bytes) -> HistoryLine | None:
    """Return the parts of a history line, or None if it is damaged."""
    head = _HEAD.fullmatch(line)
    if head is None:
        return None
    return HistoryLine(int(head[1]), head[2].decode().split(":"), int(head[3]) if head[3] else None, head[4] or b"")


def pool_name(line: bytes) -> PoolName | None:
    """Return the definition of a pool number, or None if the line is something else."""
    found = _NAME.fullmatch(line)
    return PoolName(found[1], found[2], found[3]) if found else None


def split_item(item: str) -> tuple[str, str, str | None] | None:
    """Return sign, key and value of one change, such as ("+", "w", "5") of `+w=5`."""
    found = _ITEM.fullmatch(item)
    return (found[1], found[2], found[3]) if found else None
