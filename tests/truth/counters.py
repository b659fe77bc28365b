"""The kernel's counters at any time, with their real resolution."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import numpy as np
from numpy.typing import NDArray

from truth.record import Record
from truth.work import Thread

I64 = NDArray[np.int64]
USER_HZ_NS = 10_000_000


class Intervals:
    """Consecutive intervals in which a thread or core ran."""

    def __init__(self, start_ns: list[int], end_ns: list[int]) -> None:
        self.start_ns, self.end_ns = np.array(start_ns, np.int64), np.array(end_ns, np.int64)
        self.before_ns = np.concatenate([[0], np.cumsum(self.end_ns - self.start_ns)])

    def until(self, t_ns: I64, tick_ns: int = 1) -> I64:
        """The time run until `t_ns`. The current interval counts up to the last tick."""
        at = np.searchsorted(self.start_ns, t_ns, side="right") - 1
        safe = np.maximum(at, 0)
        if not len(self.start_ns):
            return np.zeros(len(t_ns), np.int64)
        over = t_ns >= self.end_ns[safe]
        seen = np.where(over, self.end_ns[safe], np.maximum(t_ns // tick_ns * tick_ns, self.start_ns[safe]))
        return np.where(at < 0, 0, self.before_ns[safe] + seen - self.start_ns[safe])

    def at(self, run_ns: I64) -> I64:
        """The time at which the time run is `run_ns`, which is less than all of it."""
        at = np.searchsorted(self.before_ns, run_ns, side="right") - 1
        return np.asarray(self.start_ns[at] + run_ns - self.before_ns[at], np.int64)


class Counters:
    """Counters of one run at any time. Each began at a random time (`seed`) before the run."""

    def __init__(self, record: Record, seed: int = 0) -> None:
        self.record = record
        random = Random(seed)
        self._intervals = _intervals(record)
        self._residency = _residency(record)
        self._since_boot = [[random.randrange(10**9, 10**12) for _ in cluster.freq_khz] for cluster in record.phone.clusters]
        self._busy_since_boot = [random.randrange(10**11, 10**13) for _ in record.phone.cluster_of]
        self._ticks: defaultdict[int, list[int]] = defaultdict(list)
        states: defaultdict[Thread, list[tuple[int, int, int]]] = defaultdict(list)
        for t_ns, cpu, thread, index in record.ticks:
            self._ticks[cpu].append(t_ns)
            states[thread].append((t_ns, record.phone.cluster_of[cpu], index))
        self._states = {thread: np.array(rows, np.int64) for thread, rows in states.items()}

    def running(self, thread: Thread) -> Intervals:
        """When a thread ran."""
        return self._intervals[thread]

    def thread_ns(self, thread: Thread, t_ns: I64) -> I64:
        """The run time in schedstat. For a running thread, it grows at ticks."""
        return self._intervals[thread].until(t_ns, self.record.tick_ns)

    def process_ticks(self, t_ns: I64) -> I64:
        """User plus system time of the app in USER_HZ, as in /proc/self/stat."""
        app = [self.thread_ns(thread, t_ns) for thread in self.record.threads if thread.app]
        return np.asarray(np.sum(app, axis=0) // USER_HZ_NS, np.int64)

    def time_in_state(self, k: int, t_ns: I64) -> I64:
        """Ticks that cluster k spent at each frequency, idle or not (rows: times; columns: operating points)."""
        columns = [
            intervals.until(t_ns) + since for intervals, since in zip(self._residency[k], self._since_boot[k], strict=True)
        ]
        return np.stack(columns, axis=1) // USER_HZ_NS

    def busy_ticks(self, cpu: int, t_ns: I64) -> I64:
        """Busy time in /proc/stat: a full scheduler tick for the thread that runs at the tick (kernel: account_process_tick)."""
        seen = np.searchsorted(np.array(self._ticks[cpu], np.int64), t_ns, side="right")
        return (seen * self.record.tick_ns + self._busy_since_boot[cpu]) // USER_HZ_NS

    def thread_states(self, thread: Thread, t_ns: int) -> dict[tuple[int, int], int]:
        """A thread's time_in_state in USER_HZ by (cluster, operating point). A tick at which it runs counts in full."""
        rows = self._states.get(thread)
        found: dict[tuple[int, int], int] = {}
        if rows is not None:
            seen, counts = np.unique(rows[rows[:, 0] <= t_ns, 1:], axis=0, return_counts=True)
            for (k, index), count in zip(seen.tolist(), counts.tolist(), strict=True):
                found[k, index] = count * self.record.tick_ns // USER_HZ_NS
        return found


def _intervals(record: Record) -> dict[Thread, Intervals]:
    starts: dict[Thread, list[int]] = {thread: [] for thread in record.threads}
    ends: dict[Thread, list[int]] = {thread: [] for thread in record.threads}
    for switch in record.switches:
        if switch.previous is not None:
            ends[switch.previous].append(switch.t_ns)
        if switch.following is not None:
            starts[switch.following].append(switch.t_ns)
    for thread, started in starts.items():
        if len(ends[thread]) < len(started):
            ends[thread].append(record.end_ns)
    return {thread: Intervals(starts[thread], ends[thread]) for thread in record.threads}


def _residency(record: Record) -> list[list[Intervals]]:
    tables: list[list[Intervals]] = []
    for k, cluster in enumerate(record.phone.clusters):
        starts: list[list[int]] = [[] for _ in cluster.freq_khz]
        ends: list[list[int]] = [[] for _ in cluster.freq_khz]
        changes = [(t_ns, index) for t_ns, of, index in record.frequencies if of == k]
        for (t_ns, index), (until_ns, _) in zip(changes, [*changes[1:], (record.end_ns, 0)], strict=True):
            starts[index].append(t_ns)
            ends[index].append(until_ns)
        tables.append([Intervals(a, b) for a, b in zip(starts, ends, strict=True)])
    return tables
