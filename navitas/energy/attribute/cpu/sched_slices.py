"""Scheduling slices of a run's threads, from a kernel trace, and the trace's holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.curves import Curve, RowsByTime, distinct, in_sorted, middle
from navitas.recording.parse.arrays import I32, I64, Bool, ColumnTable, cumulative
from navitas.recording.parse.tables import Thread
from navitas.recording.parse.trace.trace_tables import IDLE_TID, Trace

OTHER_PROCESSES, UNATTRIBUTED = -1, -2
"""Owners of slices without a known thread: another process, or an unknown thread of this one."""


@dataclass(frozen=True, slots=True)
class SchedSlices(ColumnTable):
    """Each row is one thread running on one CPU without interruption; rows are sorted by CPU, then time.

    `owner` is the index of the run's thread, `OTHER_PROCESSES` or `UNATTRIBUTED`.
    """

    cpu: I64
    start_ns: I64
    end_ns: I64
    owner: I64

    def of_cpu(self, cpu: int) -> SchedSlices:
        low, high = np.searchsorted(self.cpu, [cpu, cpu + 1]).tolist()
        return self.chosen(slice(low, high))

    def of_other_cpus(self, cpus: Sequence[int]) -> SchedSlices:
        return self.chosen(~np.isin(self.cpu, cpus))

    def overlapping_share(self) -> float:
        """The share of the threads' running time in which a thread runs on two CPUs at once: 0 in an undamaged trace."""
        rows = np.flatnonzero(self.owner >= 0)
        if not len(rows):
            return 0.0
        rows = rows[np.lexsort((self.start_ns[rows], self.owner[rows]))]
        first_ns = self.start_ns[rows].min()
        start_us, end_us = (self.start_ns[rows] - first_ns) // 1000, (self.end_ns[rows] - first_ns) // 1000
        shift_us = self.owner[rows] * (end_us.max() + 1)  # each thread has a separate section of one axis
        before_us = np.maximum.accumulate(end_us + shift_us)[:-1]
        doubled_us = np.minimum(before_us, (end_us + shift_us)[1:]) - (start_us + shift_us)[1:]
        return float(np.maximum(doubled_us, 0).sum() / max((end_us - start_us).sum(), 1))


def slices_of(trace: Trace, threads: Sequence[Thread]) -> SchedSlices:
    """All slices of a trace. The last slice of a CPU ends with the trace's window of that CPU."""
    switches, windows = trace.switches, trace.windows
    cpu, t_ns = switches.cpu.astype(np.int64), switches.t_ns
    end_ns = np.append(t_ns[1:], 0)[: len(t_ns)]
    is_last = np.append(np.diff(cpu) != 0, True)[: len(cpu)]
    end_ns[is_last] = windows.to_ns[np.searchsorted(windows.cpu, cpu[is_last])]
    ran = (switches.next_tid != IDLE_TID) & (end_ns > t_ns)
    tid, start_ns = switches.next_tid[ran], t_ns[ran]
    return SchedSlices(cpu[ran], start_ns, end_ns[ran], _owners(tid, start_ns, trace, threads))


def _owners(tid: I32, start_ns: I64, trace: Trace, threads: Sequence[Thread]) -> I64:
    """The owner of each slice.

    Threads with the same tid have separate lifetimes in the trace. Within a lifetime, the latest thread owns the slice.
    """
    tasks = trace.tasks
    lives = RowsByTime(tasks.tid, tasks.from_ns)
    index = np.array([i for i, thread in enumerate(threads) if thread.tid > 0], np.int64)
    own_tid = np.array([threads[i].tid for i in index], np.int32)
    seen_ns = np.array([_seen_ns(threads[i]) for i in index], np.int64)
    order = np.lexsort((seen_ns, own_tid))
    index, own_tid, seen_ns = index[order], own_tid[order], seen_ns[order]
    life, own_life = lives.at(tid, start_ns), lives.at(own_tid, seen_ns)
    owner = np.full(len(tid), OTHER_PROCESSES, np.int64)
    latest = RowsByTime(own_tid, seen_ns).at(tid, start_ns)
    first = np.searchsorted(own_tid, tid)
    for candidate in (np.where(latest < 0, first, latest + 1), latest):  # the last match is used
        at = np.clip(candidate, 0, len(index) - 1)
        fits = (candidate >= 0) & (candidate < len(index))
        if len(index):
            fits &= (own_tid[at] == tid) & (own_life[at] == life)
            owner[fits] = index[at[fits]]
    if len(tasks):
        processes = distinct(tasks.tgid[own_life[own_life >= 0]].astype(np.int64))
        ours = (life >= 0) & in_sorted(tasks.tgid[life].astype(np.int64), processes[processes >= 0])
        owner[ours & (owner == OTHER_PROCESSES)] = UNATTRIBUTED
    return owner


def _seen_ns(thread: Thread) -> int:
    """A time at which the thread was alive: its first anchor, event or fold epoch, otherwise its last reading or stack sample."""
    if len(thread.anchors.t_ns):
        return int(thread.anchors.t_ns[0])
    if len(thread.calls):
        return thread.calls.span_ns[0]
    if len(thread.folded.epoch_start_ns):
        return int(thread.folded.epoch_start_ns[0])
    return int(thread.samples.t_ns[-1]) if len(thread.samples.t_ns) else thread.seen_ns or 0


@dataclass(frozen=True, slots=True)
class Holes:
    """Disjoint spans of time in which a trace is incomplete, in ascending order."""

    from_ns: I64
    to_ns: I64

    @classmethod
    def from_trace(cls, trace: Trace, without_frequency: SchedSlices | None = None) -> Holes:
        """The holes of a trace: losses on any CPU, slices of CPUs without frequencies, and the time outside of the trace."""
        bounds = np.iinfo(np.int64)
        none = np.empty(0, np.int64)
        starts, ends = (none, none) if without_frequency is None else (without_frequency.start_ns, without_frequency.end_ns)
        from_ns = np.concatenate([[bounds.min, trace.end_ns], trace.losses.from_ns, starts]).astype(np.int64)
        to_ns = np.concatenate([[trace.start_ns, bounds.max], trace.losses.to_ns, ends]).astype(np.int64)
        order = np.argsort(from_ns, kind="stable")
        from_ns, to_ns = from_ns[order], np.maximum.accumulate(to_ns[order])
        first = np.append(True, from_ns[1:] > to_ns[:-1])
        return cls(from_ns[first], to_ns[np.roll(first, -1)])

    def contain(self, t_ns: I64) -> Bool:
        """Whether each time lies in a hole."""
        hole = np.searchsorted(self.from_ns, t_ns, side="right") - 1
        return np.asarray((hole >= 0) & (t_ns < self.to_ns[hole]))

    @property
    def edges(self) -> I64:
        """The times at which holes begin and end within the trace."""
        return np.unique(np.concatenate([self.from_ns[1:], self.to_ns[:-1]]))


def stitched(holes: Holes, inside: Curve, outside: Curve) -> Curve:
    """A curve that grows as `inside` where the trace is complete, and as `outside` in its holes."""
    t_ns = distinct(np.concatenate([inside.t_ns, outside.t_ns, holes.edges]))
    if len(t_ns) < 2:
        return outside
    hole = holes.contain(middle(t_ns[:-1], t_ns[1:]))
    growth = np.where(hole, np.diff(outside.at(t_ns)), np.diff(inside.at(t_ns)))
    return Curve(t_ns, cumulative(growth))
