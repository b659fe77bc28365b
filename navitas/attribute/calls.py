"""From events to calls: entries matched with their exits, for all threads at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from navitas.attribute.curves import Bool, begins
from navitas.parse.tables import ENTER, I32, I64, RESUME, THROW, U8, Thread

RETURNED, THREW, CUT, CONTINUED = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class CallTable:
    """Calls by thread and entry; `parent` is the caller's row or -1.

    `end`: `RETURNED`, `THREW`, `CUT` (its end was never seen) or `CONTINUED` (the thread began to fold: the rest is in its fold
    table). What continues a suspended call is a row of its own, `is_resumed`.
    """

    thread: I32
    method: I32
    level: I32
    parent: I64
    enter_ns: I64
    exit_ns: I64
    end: U8
    is_resumed: Bool


@dataclass(frozen=True, slots=True)
class _Events:
    """Events of all threads; a group is a stretch of one thread in which calls can match, closed at `close_ns[group]`."""

    group: I64
    t_ns: I64
    kind: U8
    method: I32
    thread: I64
    close_ns: I64
    close: U8


def pair_calls(threads: Sequence[Thread]) -> CallTable:
    """Match entries and exits of every thread.

    Exits without entry (their start was lost) are left out; calls without exit end with what is last known of their thread, or
    where it began to fold. Where events were lost in between, an exit ends the innermost open call of its method and cuts those
    above it.
    """
    events = _events(threads)
    enter, leave, level, end = _matched(events)
    order = np.argsort(enter, kind="stable")
    enter, leave, level, end = enter[order], leave[order], level[order], end[order]
    group = events.group[enter]
    closed = leave >= 0
    exit_ns = np.where(closed, events.t_ns[leave], events.close_ns[group])
    end = np.where(closed, end, events.close[group]).astype(np.uint8)
    return CallTable(
        thread=events.thread[group].astype(np.int32),
        method=events.method[enter],
        level=level.astype(np.int32),
        parent=_parents(level),
        enter_ns=events.t_ns[enter],
        exit_ns=np.maximum(exit_ns, events.t_ns[enter]),
        end=end,
        is_resumed=events.kind[enter] == RESUME,
    )


def _events(threads: Sequence[Thread]) -> _Events:
    """Put the events of all threads in a row, and split a thread's where it folded in between."""
    stretches = [stretch for index, thread in enumerate(threads) for stretch in _stretches(index, thread)]
    columns = np.array([(s.thread, s.events, s.close_ns, s.close) for s in stretches], np.int64).reshape(-1, 4)
    t_ns = np.concatenate([*(thread.calls.t_ns for thread in threads), np.empty(0, np.int64)])
    group = np.repeat(np.arange(len(columns)), columns[:, 1])
    return _Events(
        group=group,
        t_ns=_in_order(t_ns, group),
        kind=np.concatenate([*(thread.calls.kind for thread in threads), np.empty(0, np.uint8)]),
        method=np.concatenate([*(thread.calls.method for thread in threads), np.empty(0, np.int32)]),
        thread=columns[:, 0],
        close_ns=columns[:, 2],
        close=columns[:, 3].astype(np.uint8),
    )


class _Stretch(NamedTuple):
    thread: int
    events: int
    close_ns: int
    close: int


def _stretches(index: int, thread: Thread) -> list[_Stretch]:
    """A thread's events as stretches that no folding interrupts."""
    t_ns, folded = thread.calls.t_ns, thread.folded
    if not len(t_ns):
        return []
    if not len(folded.epoch_end_ns):
        return [_Stretch(index, len(t_ns), _last_ns(thread), CUT)]
    epoch_end = np.unique(folded.epoch_end_ns)
    number = np.searchsorted(epoch_end, t_ns)
    bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(t_ns)]
    found = []
    for low, high in pairwise(bounds):
        if number[low] == len(epoch_end):
            found.append(_Stretch(index, high - low, _last_ns(thread), CUT))
        else:
            begin = int(folded.epoch_start_ns[folded.epoch_end_ns == epoch_end[number[low]]].min())
            found.append(_Stretch(index, high - low, max(begin, int(t_ns[high - 1])), CONTINUED))
    return found


def _last_ns(thread: Thread) -> int:
    times = (thread.calls.t_ns, thread.anchors.t_ns, thread.samples.t_ns, thread.folded.epoch_end_ns)
    return max(int(t_ns[-1]) for t_ns in times if len(t_ns))


def _in_order(t_ns: I64, group: I64) -> I64:
    """Times that never go back within a group (a clock that stepped, or damage)."""
    back = np.flatnonzero((np.diff(t_ns) < 0) & (np.diff(group) == 0))
    if len(back):
        t_ns = t_ns.copy()
        for one in np.unique(group[back]).tolist():
            part = slice(*np.searchsorted(group, [one, one + 1]))
            t_ns[part] = np.maximum.accumulate(t_ns[part])
    return t_ns


def _matched(events: _Events) -> tuple[I64, I64, I64, U8]:
    """Calls as entry row, exit row (-1: none), level and end, in no order."""
    entered = (events.kind == ENTER) | (events.kind == RESUME)
    rows, level = _levels(events, entered)
    enter, leave, depth = _alternating(events, rows, level, entered)
    end = np.where(events.kind[leave] == THROW, THREW, RETURNED).astype(np.uint8)
    wrong = (leave >= 0) & (events.method[enter] != events.method[leave])
    damaged = np.unique(events.group[enter[wrong]])
    fine = ~np.isin(events.group[enter], damaged) if len(damaged) else slice(None)
    found = [(enter[fine], leave[fine], depth[fine], end[fine])]
    for group in damaged.tolist():
        low, high = np.searchsorted(events.group, [group, group + 1]).tolist()
        found.append(_repaired(events, low, high))
    first, second, third, fourth = (np.concatenate(column) for column in zip(*found, strict=True))
    return first, second, third, fourth


def _levels(events: _Events, entered: Bool) -> tuple[I64, I64]:
    """Rows and levels of all events, less the exits of calls that were open before a group's first event."""
    size = len(entered)
    starts = np.flatnonzero(begins(events.group))
    lengths = np.diff(np.append(starts, size))
    after = np.cumsum(np.where(entered, 1, -1))
    after -= np.repeat(np.concatenate([[0], after])[starts], lengths)
    level = after - entered
    kept = np.ones(size, bool)
    for group in np.unique(events.group[level < 0]).tolist():
        part = slice(*np.searchsorted(events.group, [group, group + 1]))
        lowest = np.minimum(np.minimum.accumulate(after[part]), 0)
        kept[part] = np.diff(lowest, prepend=0) == 0
        level[part] -= lowest
    return (np.arange(size), level) if kept.all() else (np.flatnonzero(kept), level[kept])


def _alternating(events: _Events, rows: I64, level: I64, entered: Bool) -> tuple[I64, I64, I64]:
    """Match by level: within a group and level, entries and exits alternate."""
    order = order_by_level(level)
    row, depth = rows[order], level[order]
    at = np.flatnonzero(entered[row])
    enter = row[at]
    after = np.minimum(at + 1, max(len(row) - 1, 0))
    follower = row[after]
    fits = (after > at) & ~entered[follower] & (depth[after] == depth[at]) & (events.group[follower] == events.group[enter])
    return enter, np.where(fits, follower, -1), depth[at]


def _repaired(events: _Events, low: int, high: int) -> tuple[I64, I64, I64, U8]:
    """Match the events of one group that lost some of them, one by one."""
    rows: list[int] = []
    methods: list[int] = []
    is_open: Counter[int] = Counter()
    calls: list[tuple[int, int, int, int]] = []
    for row, (kind, method) in enumerate(zip(events.kind[low:high].tolist(), events.method[low:high].tolist(), strict=True), low):
        if kind in (ENTER, RESUME):
            rows.append(row)
            methods.append(method)
            is_open[method] += 1
        elif is_open[method]:
            while methods[-1] != method:
                is_open[methods.pop()] -= 1
                calls.append((rows.pop(), row, len(rows), CUT))
            is_open[methods.pop()] -= 1
            calls.append((rows.pop(), row, len(rows), THREW if kind == THROW else RETURNED))
    calls += [(row, -1, depth, CUT) for depth, row in enumerate(rows)]
    columns = np.array(calls, np.int64).reshape(-1, 4)
    return columns[:, 0], columns[:, 1], columns[:, 2], columns[:, 3].astype(np.uint8)


def _parents(level: I64) -> I64:
    """A call's caller is the last call before it that is one level higher up; calls are in the order of entry."""
    size = len(level)
    order = order_by_level(level)
    key = level[order] * size + order
    wanted = (level - 1) * size + np.arange(size)
    found = np.searchsorted(key, wanted, side="right") - 1
    return np.where(level > 0, order[found], -1).astype(np.int64)


def order_by_level(level: I64) -> I64:
    """Stable order by level (numpy sorts 16-bit integers by radix, ten times as fast)."""
    small: NDArray[np.signedinteger] = level.astype(np.int16) if level.max(initial=0) < 1 << 15 else level
    return np.argsort(small, kind="stable")
