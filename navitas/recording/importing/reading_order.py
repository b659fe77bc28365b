"""Puts the events of a process in the order of their readings.

A probe reads the counters, and then writes its line. Lines of two threads can therefore be in another order than their readings.
The time of the line is the latest at which the reading can have happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise

from navitas.recording.importing.probe_event import TICK_NS, ProbeEvent

STEP_NS = 1000
"""Events that the log gives one time are this far apart."""
BACK_NS = 2_000_000_000
"""A clock that goes back by more than this was set. By less, lines are out of order."""
LATE_NS = 2_000_000_000
"""A line is written up to this long after its reading."""


def counted_times(elapsed: Sequence[int | None]) -> list[int]:
    """Return the time of each reading by its counters; that of the reading before, or of the first one, where there is none."""
    first = next((passed for passed in elapsed if passed is not None), 0)
    return list(accumulate((first if passed is None else passed for passed in elapsed), max))


def reading_order(threads: Sequence[int], elapsed: Sequence[int | None]) -> list[int]:
    """Return the indexes of events, by their readings. Those of a thread stay in order if its readings rise.

    An event without a reading comes directly after the event before it in the log, but between its neighbors of its thread.
    """
    following: dict[int, int] = {}
    latest: list[int | None] = []
    for thread, passed in zip(reversed(threads), reversed(elapsed), strict=True):
        if passed is not None:
            following[thread] = passed
        latest.append(following.get(thread))
    last: dict[int, int] = {}
    keys: list[int] = []
    before = min((passed for passed in elapsed if passed is not None), default=0)
    for thread, passed, limit in zip(threads, elapsed, reversed(latest), strict=True):
        now = passed
        if now is None:
            now = max(last.get(thread, before), before if limit is None else min(before, limit))
        keys.append(now)
        last[thread] = before = now
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
        if now < before - BACK_NS:
            back += 1
            shift += before - now
        found.append(now + shift)
    return found, back


def log_clock_ns(events: Sequence[ProbeEvent]) -> list[int] | None:
    """Return the time of each event on a clock that never falls far, None if the log has no times.

    A step of the log's clock counts as time in either direction.
    """
    written = [event.realtime_ns for event in events if event.realtime_ns is not None]
    if len(written) < len(events):
        return None
    found = list(written[:1])
    for before, now in pairwise(written):
        passed = now - before
        found.append(found[-1] + (passed if passed >= -BACK_NS else -passed))
    return found


def elapsed_ns(events: Sequence[ProbeEvent]) -> list[int | None]:
    """Return the time that each event's counters show (ns), as the mean of its CPUs. None without the usual CPUs."""
    totals = [event.totals() for event in events]
    usual, _ = max(Counter(frozenset(found) for found in totals if found).items(), key=lambda one: one[1], default=(None, 0))
    if usual is None:
        return [None] * len(events)
    return [sum(found[cpu] for cpu in usual) * TICK_NS // len(usual) if usual <= found.keys() else None for found in totals]
