"""Splits a log into processes, puts the events of each on one clock, and matches entries with exits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from navitas.recording.importing.lanes import lanes
from navitas.recording.importing.measured_log import LogPart, MeasuredLog
from navitas.recording.importing.misfits import drop_misfits
from navitas.recording.importing.probe_event import TICK_NS, Core, ProbeEvent, columns_by_core
from navitas.recording.importing.reading_order import LATE_NS, counted_times, elapsed_ns, log_clock_ns, reading_order, times_of
from navitas.recording.parse.time_in_state import begun, continued, fallen, torn

_RESTART_TICKS = 1000
"""If the highest counter falls by more than this, and stays lower, the phone was restarted."""
_BOOT_NS = 5_000_000_000
"""A phone needs longer than this to restart."""
_LEAST_READINGS = 2
_JITTER_TICKS = 2
"""Threads read at the same time, so a counter can be some ticks below that of the event before."""


@dataclass(frozen=True, slots=True)
class LoggedProcess:
    """A process of one test: its events in the order of their readings, with their times.

    `t_ns` is the time since its first event, and `threads` the index of each event's thread, of those in `names`. `realtime_ns`
    is that of the first event, None if the log has no times. `clock_set` counts how often the log's clock was set back.
    `restarts` are the cores whose counters began again.
    """

    log: MeasuredLog
    test: str
    pid: int
    events: tuple[ProbeEvent, ...]
    t_ns: tuple[int, ...]
    threads: tuple[int, ...]
    names: tuple[tuple[int, str], ...]
    realtime_ns: int | None
    pairs: CallPairs
    clock_set: int
    restarts: tuple[Restart, ...]

    @property
    def has_thread_ids(self) -> bool:
        """Whether the log names the threads."""
        return all(tid for tid, _ in self.names)


def processes_of(log: MeasuredLog) -> Iterator[LoggedProcess]:
    """Yield the processes of a log, by test, in the order of their first events."""
    for part in log.parts:
        of_pid: dict[int, list[ProbeEvent]] = defaultdict(list)
        for event in part.events:
            of_pid[event.pid].append(event)
        for pid, events in of_pid.items():
            for of_one in _between_restarts(events):
                yield _process(log, part, pid, of_one)


def _between_restarts(events: list[ProbeEvent]) -> Iterator[list[ProbeEvent]]:
    """Split where every later reading is below all readings before. Single readings are damage, not a restart.

    If no more time has passed than the counters count, and less than a phone needs to start, only its cores were unplugged.
    """
    elapsed = elapsed_ns(events)
    known = [(i, max(event.totals().values())) for i, event in enumerate(events) if elapsed[i] is not None]
    highest_after = list(accumulate((passed for _, passed in reversed(known)), max))[::-1]
    clock = log_clock_ns(events)
    start = first = 0
    lowest = None
    for place, (i, passed) in enumerate(known):
        is_far = lowest is not None and highest_after[place] < lowest - _RESTART_TICKS
        since_ns = _BOOT_NS if clock is None or not place else clock[i] - clock[known[place - 1][0]]
        if is_far and since_ns < _BOOT_NS and passed * TICK_NS <= since_ns + LATE_NS:
            lowest = passed
        elif is_far and min(place - first, len(known) - place) >= _LEAST_READINGS:
            yield events[start:i]
            start, first, lowest = i, place, passed
        lowest = passed if lowest is None else min(lowest, passed)
    yield events[start:]


def _process(log: MeasuredLog, part: LogPart, pid: int, events: Sequence[ProbeEvent]) -> LoggedProcess:
    names, numbers = _threads(pid, events)
    restarted = continue_counters(events)
    drop_misfits(events, numbers)
    elapsed = elapsed_ns(events)
    order = reading_order(numbers, elapsed)
    ordered = [events[i] for i in order]
    times, start, back = times_of(ordered, [elapsed[i] for i in order])
    threads = tuple(numbers[i] for i in order)
    pairs = pairs_of(ordered, counted_times([elapsed[i] for i in order]), threads)
    realtime_ns = None if any(event.realtime_ns is None for event in ordered) else start
    return LoggedProcess(log, part.name, pid, tuple(ordered), tuple(times), threads, names, realtime_ns, pairs, back, restarted)


def _threads(pid: int, events: Sequence[ProbeEvent]) -> tuple[tuple[tuple[int, str], ...], list[int]]:
    """The id and name of each thread, and the index of each event's thread."""
    if any(event.tid for event in events):
        index: dict[int, int] = {}
        numbers = [index.setdefault(event.tid, len(index)) for event in events]
        return tuple((tid, "main" if tid == pid else f"thread {tid}") for tid in index), numbers
    inferred = lanes(events)
    of_event = {id(event): number for number, lane in enumerate(inferred) for event in lane}
    names = tuple((0, f"inferred thread {number + 1}") for number in range(len(inferred)))
    return names, [of_event[id(event)] for event in events]


@dataclass(frozen=True, slots=True)
class CallPairs:
    """Entries without an exit and exits without an entry, with the first of each; and times in calls by the counters (ns).

    `in_calls_ns` is the time in which at least one thread was in a call, and `shared_ns` that in which several were.
    """

    cut: int = 0
    first_cut: ProbeEvent | None = None
    unmatched: int = 0
    first_unmatched: ProbeEvent | None = None
    in_calls_ns: int = 0
    shared_ns: int = 0


def pairs_of(events: Sequence[ProbeEvent], t_ns: Sequence[int], threads: Sequence[int]) -> CallPairs:
    """Match the events of a process, which are in order of their times `t_ns`, by the rules of reports (attribute/calls).

    An exit ends the innermost open call of its method in its thread, and cuts the calls above it. Without such a call, it has no
    entry. Calls that are still open at the end have no exit.
    """
    stacks: dict[int, list[ProbeEvent]] = {}
    is_open = Counter[tuple[int, str]]()
    cut: list[ProbeEvent] = []
    unmatched: list[ProbeEvent] = []
    in_calls = shared = 0
    busy = 0
    for i, (event, thread) in enumerate(zip(events, threads, strict=True)):
        passed = t_ns[i] - t_ns[i - 1] if i else 0
        in_calls += passed if busy else 0
        shared += passed if busy > 1 else 0
        stack = stacks.setdefault(thread, [])
        was_busy = bool(stack)
        if event.is_entry:
            stack.append(event)
            is_open[thread, event.method] += 1
        elif not is_open[thread, event.method]:
            unmatched.append(event)
        else:
            while (ended := stack.pop()).method != event.method:
                is_open[thread, ended.method] -= 1
                cut.append(ended)
            is_open[thread, event.method] -= 1
        busy += bool(stack) - was_busy
    cut += [event for stack in stacks.values() for event in stack]
    cut.sort(key=lambda event: event.place)
    return CallPairs(len(cut), cut[0] if cut else None, len(unmatched), unmatched[0] if unmatched else None, in_calls, shared)


class Restart(NamedTuple):
    """A core whose counters began again in a process, how many times, and the first event after it."""

    cpu: int
    times: int
    first: ProbeEvent


def continue_counters(events: Sequence[ProbeEvent]) -> tuple[Restart, ...]:
    """Let each core's ticks count from the reading before, also where the kernel's counters began again. Returns the restarts.

    `events` are those of a process in the order of the log.
    """
    clock = np.array(log_clock_ns(events) or _counted_clock_ns(events), np.int64)
    columns = {layout: dict(columns_by_core(layout)) for layout in {event.layout for event in events}}
    rows: dict[Core, list[int]] = defaultdict(list)
    for number, event in enumerate(events):
        for core in columns[event.layout]:
            rows[core].append(number)
    restarted = []
    for core, of_core in sorted(rows.items()):
        own = [(events[number], columns[events[number].layout][core]) for number in of_core]
        counted = np.array([[event.ticks[column] for column in at] for event, at in own], np.int64)
        kept = np.flatnonzero(~torn(counted))
        passed = np.diff(clock[of_core][kept], prepend=clock[of_core[0]])
        is_begun = begun(counted[kept], (passed + LATE_NS) // TICK_NS, jitter=_JITTER_TICKS)
        # Lines that are late are in order again later, and of a single wrong reading nothing is known.
        is_lower = fallen(counted[kept], LATE_NS // TICK_NS) & ~is_begun
        is_lower[:_LEAST_READINGS], is_lower[1 - _LEAST_READINGS :] = False, False
        restarts = kept[is_begun | is_lower].tolist()
        if not restarts:
            continue
        added = continued(counted[kept], is_begun, is_lower) - counted[kept]
        counted += added[np.searchsorted(kept, np.arange(len(counted)), side="right") - 1]
        for (event, at), ticks in zip(own, counted.tolist(), strict=True):
            event.count_ticks(at, ticks)
        restarted.append(Restart(core[0], len(restarts), own[restarts[0]][0]))
    return tuple(restarted)


def _counted_clock_ns(events: Sequence[ProbeEvent]) -> list[int]:
    """The time of each event by the core that counts most from event to event, for logs without times."""
    clock, last = [0], dict[int, int]()
    for event in events:
        totals = event.totals()
        grown = [ticks - last[cpu] for cpu, ticks in totals.items() if cpu in last]
        clock.append(clock[-1] + max([0, *grown]) * TICK_NS)
        last |= totals
    return clock[1:]
