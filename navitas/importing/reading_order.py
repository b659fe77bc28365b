"""Puts the events of a process in the order of their readings.

A probe reads the counters, and then writes its line. Lines of two threads can therefore be in another order than their readings.
The time of the line is the latest at which the reading can have happened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from statistics import median

from navitas.importing.probe_event import TICK_NS, ProbeEvent

STEP_NS = 1000
"""Events that the log gives one time are this far apart."""
_TOLERANCE_NS = 10_000_000_000
_LONGEST_NS = 30 * 86_400_000_000_000
"""Of a log without times."""
_BACK_NS = 2_000_000_000


def drop_far(events: Sequence[ProbeEvent], elapsed: list[int | None]) -> None:
    """Drop readings that are more than 30 days from most others, if the log has no times."""
    known = [passed for passed in elapsed if passed is not None]
    middle = int(median(known)) if known else 0
    wrong = [
        i
        for i, passed in enumerate(elapsed)
        if passed is not None and events[i].realtime_ns is None and abs(passed - middle) > _LONGEST_NS
    ]
    _drop(events, elapsed, wrong)


def drop_misfits(events: Sequence[ProbeEvent], elapsed: list[int | None]) -> None:
    """Drop the readings of a thread that fall, or grow faster than time.

    `elapsed` is the time of each reading by its counters (ns). Of readings that contradict each other, most are kept.
    """
    known = [i for i, passed in enumerate(elapsed) if passed is not None]
    kept = [known[i] for i in _longest_rise([elapsed[i] or 0 for i in known])]
    wrong = set(known) - set(kept)
    last = kept[0] if kept else 0
    for i in kept:
        if _grows_too_fast(events[last], events[i], (elapsed[i] or 0) - (elapsed[last] or 0)):
            wrong.add(i)
        else:
            last = i
    _drop(events, elapsed, wrong)


def _drop(events: Sequence[ProbeEvent], elapsed: list[int | None], wrong: Collection[int]) -> None:
    for i in wrong:
        events[i].drop_reading()
        elapsed[i] = None


def counted_times(elapsed: Sequence[int | None]) -> list[int]:
    """Return the time of each reading by its counters; that of the reading before, or of the first one, where there is none."""
    first = next((passed for passed in elapsed if passed is not None), 0)
    return list(accumulate((first if passed is None else passed for passed in elapsed), max))


def reading_order(threads: Sequence[int], elapsed: Sequence[int | None]) -> list[int]:
    """Return the indexes of events, by their readings. Those of a thread stay in order if its readings rise.

    An event without a reading comes directly after the event before it in its thread.
    """
    last: dict[int, int] = {}
    keys = []
    first = min((passed for passed in elapsed if passed is not None), default=0)
    for thread, passed in zip(threads, elapsed, strict=True):
        last[thread] = last.get(thread, first) if passed is None else passed
        keys.append(last[thread])
    return sorted(range(len(keys)), key=keys.__getitem__)


def times_of(events: Sequence[ProbeEvent], elapsed: Sequence[int | None]) -> tuple[list[int], int, int]:
    """Return the time of each event in ns since the first one, all different; that of the first one; and how often the log's
    clock was set back.

    Without times in the log, they follow from the counters, which count in ticks.
    """
    written = [event.realtime_ns for event in events if event.realtime_ns is not None]
    raw, back = _without_steps(written) if len(written) == len(events) else (counted_times(elapsed), 0)
    for i in range(len(raw) - 2, -1, -1):
        raw[i] = min(raw[i], raw[i + 1])
    times: list[int] = []
    for now in raw:
        times.append(max(now - raw[0], times[-1] + STEP_NS if times else 0))
    return times, raw[0], back


def _without_steps(written: Sequence[int]) -> tuple[list[int], int]:
    """Times of a clock that continues where it was set back, and how often that was."""
    found = list(written[:1])
    back = shift = 0
    for before, now in pairwise(written):
        if now < before - _BACK_NS:
            back += 1
            shift += before - now
        found.append(now + shift)
    return found, back


def elapsed_ns(events: Sequence[ProbeEvent]) -> list[int | None]:
    """Return the time that each event's counters show (ns), as the mean of its CPUs. None without the usual CPUs."""
    totals = [event.totals() for event in events]
    usual, _ = max(Counter(frozenset(found) for found in totals if found).items(), key=lambda one: one[1], default=(None, 0))
    if usual is None:
        return [None] * len(events)
    return [sum(found[cpu] for cpu in usual) * TICK_NS // len(usual) if usual <= found.keys() else None for found in totals]


def _grows_too_fast(before: ProbeEvent, after: ProbeEvent, growth_ns: int) -> bool:
    if before.realtime_ns is None or after.realtime_ns is None:
        return False
    return growth_ns > abs(after.realtime_ns - before.realtime_ns) + _TOLERANCE_NS


def _longest_rise(values: Sequence[int]) -> list[int]:
    """The indexes of a longest sequence of values that does not fall."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for i, value in enumerate(values):
        at = bisect_right(tails, value)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1], ends[at : at + 1] = [value], [i]
    found: list[int] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]
