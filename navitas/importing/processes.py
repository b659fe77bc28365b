"""Splits a log into processes, and puts the events of each on one clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from navitas.importing.lanes import lanes
from navitas.importing.measured_log import LogPart, MeasuredLog
from navitas.importing.misfits import drop_misfits
from navitas.importing.pairs import CallPairs, pairs_of
from navitas.importing.probe_event import TICK_NS, ProbeEvent
from navitas.importing.reading_order import LATE_NS, counted_times, elapsed_ns, log_clock_ns, reading_order, times_of
from navitas.importing.restarted_cores import Restart, continue_counters

_RESTART_TICKS = 1000
"""If the highest counter falls by more than this, and stays lower, the phone was restarted."""
_BOOT_NS = 5_000_000_000
"""A phone needs longer than this to restart."""
_LEAST_READINGS = 2


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
