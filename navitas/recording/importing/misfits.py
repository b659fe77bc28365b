"""Drops readings that contradict the others of their process.

A counter of `time_in_state` never falls, and a CPU cannot be busy for longer than time passes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from statistics import median, median_high

import numpy as np

from navitas.recording.importing.probe_event import TICK_NS, ProbeEvent
from navitas.recording.importing.reading_order import LATE_NS, elapsed_ns, log_clock_ns, reading_order
from navitas.recording.parse.arrays import I64

_APART_NS = 10_000_000_000
"""CPUs of a log without times differ by less than this in how long they run."""
_LONGEST_NS = 30 * 86_400_000_000_000
"""Of a log without times."""


def drop_misfits(events: Sequence[ProbeEvent], threads: Sequence[int]) -> None:
    """Drop readings that fall in their thread, or grow faster than time. Of readings that contradict each other, most are kept.

    `events` are those of a process in the order of the log, and `threads` the index of each event's thread.
    """
    _drop_far(events)
    _drop_too_fast(events, threads)
    elapsed = elapsed_ns(events)
    of_thread: dict[int, list[int]] = defaultdict(list)
    for i, thread in enumerate(threads):
        if elapsed[i] is not None:
            of_thread[thread].append(i)
    for own in of_thread.values():
        kept = longest_rise([elapsed[i] or 0 for i in own])
        _drop(events, set(own) - {own[i] for i in kept})


def _drop_far(events: Sequence[ProbeEvent]) -> None:
    """Drop readings that are more than 30 days from most others, if the log has no times."""
    elapsed = elapsed_ns(events)
    known = [passed for passed in elapsed if passed is not None]
    middle = int(median(known)) if known else 0
    without_time = (i for i, event in enumerate(events) if event.realtime_ns is None)
    _drop(events, [i for i in without_time if abs((middle if (passed := elapsed[i]) is None else passed) - middle) > _LONGEST_NS])


def _drop_too_fast(events: Sequence[ProbeEvent], threads: Sequence[int]) -> None:
    """Drop readings in which some CPU counts more time than has passed since the reading before, of whichever thread."""
    totals = [event.totals() for event in events]
    clock = log_clock_ns(events)
    tolerance_ns = LATE_NS
    if clock is None:
        clock = [median_high(found.values()) * TICK_NS if found else 0 for found in totals]
        tolerance_ns = _APART_NS
    order = reading_order(threads, elapsed_ns(events))
    for cpu in sorted({cpu for found in totals for cpu in found}):
        own = [i for i in order if events[i].layout and cpu in totals[i]]
        ahead = np.array([totals[i][cpu] * TICK_NS - clock[i] for i in own], np.int64)
        kept = longest_descent(ahead, tolerance_ns)
        _drop(events, set(own) - {own[i] for i in kept})


def _drop(events: Sequence[ProbeEvent], wrong: Collection[int]) -> None:
    for i in wrong:
        events[i].drop_reading()


def longest_rise(values: Sequence[int]) -> list[int]:
    """Return the indexes of a longest sequence of values that does not fall."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for i, value in enumerate(values):
        at = bisect_right(tails, value)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1], ends[at : at + 1] = [value], [i]
    return _followed(ends[-1] if ends else -1, before)


def longest_descent(values: I64, tolerance: int) -> list[int]:
    """Return the indexes of a longest sequence in which no value is above the one before by more than the tolerance."""
    if not np.any(np.diff(values) > tolerance):
        return list(range(len(values)))
    # A tree of the longest sequences by their last value, the highest first.
    ordered = np.unique(values)[::-1]
    own = np.searchsorted(-ordered, -values).tolist()
    reach = np.searchsorted(-ordered, tolerance - values, side="right").tolist()
    longest: list[tuple[int, int]] = [(0, -1)] * (len(ordered) + 1)
    before: list[int] = []
    best = (0, -1)
    for i, (place, until) in enumerate(zip(own, reach, strict=True)):
        found = (0, -1)
        at = until
        while at:
            found = max(found, longest[at])
            at &= at - 1
        before.append(found[1])
        ended = (found[0] + 1, i)
        best = max(best, ended)
        at = place + 1
        while at < len(longest):
            longest[at] = max(longest[at], ended)
            at += at & -at
    return _followed(best[1], before)


def _followed(at: int, before: Sequence[int]) -> list[int]:
    """The indexes that lead to one, in order."""
    found: list[int] = []
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]
