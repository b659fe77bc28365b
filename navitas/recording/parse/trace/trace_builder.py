"""Collects a trace reader's results piece by piece, before `build_trace` sorts them into tables, with threads' lifetimes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from navitas.base.cpu_limit import MAX_CPUS
from navitas.recording.parse.arrays import I32, I64, U8, Bool, ColumnTable
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace.growing_rows import CoreRows, GrowingRows
from navitas.recording.parse.trace.trace_tables import DEAD, IDLE_MIN_GAP_NS, RUNNABLE, SLEEPS, UNKNOWN, SkippedLine, Tasks

CPU_LIMIT: Final = MAX_CPUS
OPEN, SEEN, DIED, GONE, LISTED = 0, 1, 2, 3, 4
"""Kinds of facts about a thread.

The thread starts; it runs or is named; it ran for the last time; it is leaving or gone; or a reading of /proc listed it
(at an inexact time).
"""
NO_NAME: Final = -1

_SKIPPED_KEPT = 100
_WARNINGS_KEPT = 20
_TEXT_KEPT = 200
_NAME_BYTES = 64
# EXIT_DEAD, EXIT_ZOMBIE, and TASK_DEAD of old kernels.
_DEAD_BITS = 0x10 | 0x20 | 0x40
# State of a preempted runnable thread: 0 or TASK_STATE_MAX, whose value differs between kernel versions.
_PREEMPTED = (0, 0x100, 0x400, 0x800, 0x1000)


class LastRows:
    """Finds the last row of each thread."""

    def __init__(self) -> None:
        self._row = np.zeros(TID_LIMIT, np.int32)

    def mask(self, tid: I64) -> Bool:
        """Return True for rows without a later row of the same thread."""
        rows = np.arange(len(tid), dtype=np.int32)
        self._row[tid] = rows
        last: Bool = self._row[tid] == rows
        return last


class ThreadNames:
    """Numbers for the names of threads."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def number(self, name: bytes) -> int:
        """Return the number of a name, or `NO_NAME` for an empty name or a placeholder."""
        if name in (b"", b"<...>"):
            return NO_NAME
        return self._numbers.setdefault(name[:_NAME_BYTES], len(self._numbers))

    def numbers(self, names: NDArray[np.bytes_]) -> I32:
        """Return the numbers of several names."""
        unique, index = np.unique(names, return_inverse=True)
        known = np.array([self.number(name) for name in unique.tolist()], np.int32)
        return known[index] if len(known) else np.empty(0, np.int32)

    def all(self) -> NDArray[np.bytes_]:
        """Return all names in order of their numbers."""
        return np.array(list(self._numbers) or [b""])


class TraceBuilder:
    """All data found so far. Callers check threads' states and numbers before they add them."""

    def __init__(self) -> None:
        i32, i64, u8 = np.int32, np.int64, np.uint8
        self.switches = CoreRows(next_tid=i32, prev_tid=i32, prev_state=u8)
        self.frequencies = CoreRows(khz=i64)
        self.idle = CoreRows(IDLE_MIN_GAP_NS, state=i32)
        self.facts = GrowingRows(_informative, t_ns=i64, tid=i32, kind=u8, tgid=i32, name=i32, parent=i32)
        self.losses = GrowingRows(cpu=i32, from_ns=i64, to_ns=i64)
        self.offline = GrowingRows(cpu=i32, t_ns=i64)
        self.suspends = GrowingRows(t_ns=i64, begins=u8)
        self.snapshots = GrowingRows(trace_ns=i64, monotonic_ns=i64, boottime_ns=i64, realtime_ns=i64)
        self.names = ThreadNames()
        self.skipped: list[SkippedLine] = []
        self.skipped_by_reason: Counter[str] = Counter()
        self.warnings: list[str] = []
        self.last_ns: dict[int, int] = {}
        """Time at which a core's events end, if that is before the end of the trace (a cut file)."""
        self.span_ns: tuple[int, int] | None = None
        self.clock: str | None = None
        self.cut = False
        self.packet = 0
        """Number of the current packet."""
        self.other_machines: Counter[int] = Counter()
        """Numbers of packets that were left out, by machine."""
        self.overwritten = False
        """Whether new events replaced the oldest ones before the trace was read."""

    def add_fact(self, t_ns: int, tid: int, kind: int, *, tgid: int = UNKNOWN, name: bytes = b"", parent: int = UNKNOWN) -> None:
        """Add one fact about a thread."""
        if 0 < tid < TID_LIMIT:
            tgid = tgid if 0 < tgid < TID_LIMIT else UNKNOWN
            parent = parent if 0 < parent < TID_LIMIT else UNKNOWN
            self.facts.row(t_ns=t_ns, tid=tid, kind=kind, tgid=tgid, name=self.names.number(name), parent=parent)

    def warn(self, text: str) -> None:
        """Add a warning about the whole trace. Only a few are kept, because a file may repeat anything."""
        if text not in self.warnings and len(self.warnings) < _WARNINGS_KEPT:
            self.warnings.append(text)

    def extend_span(self, first_ns: int, last_ns: int) -> None:
        """Extend the trace's time span by `first_ns` to `last_ns`."""
        low, high = self.span_ns or (first_ns, last_ns)
        self.span_ns = (min(low, first_ns), max(high, last_ns))

    def skip_packet(self, text: bytes, reason: str) -> None:
        """Record that part of the current packet cannot be used."""
        self.skip(self.packet, text, reason)

    def skip(self, number: int, text: bytes, reason: str) -> None:
        """Record that a line or packet cannot be used."""
        self.skipped_by_reason[reason] += 1
        if len(self.skipped) < _SKIPPED_KEPT:
            shown = text[:_TEXT_KEPT].decode("utf-8", "replace")[:_TEXT_KEPT]
            self.skipped.append(SkippedLine(number, shown, reason))


def _informative(facts: Mapping[str, NDArray[Any]]) -> Bool:
    """Select all facts except those between two facts of the same thread with the same content."""
    order = np.lexsort((facts["t_ns"], facts["tid"]))
    middle = np.isin(facts["kind"][order], (SEEN, LISTED))
    middle[:1] = middle[-1:] = False
    for name in ("tid", "kind", "tgid", "name", "parent"):
        column = facts[name][order]
        alike = column[1:] == column[:-1]
        middle[1:-1] &= alike[:-1] & alike[1:]
    informative = np.empty(len(order), bool)
    informative[order] = ~middle
    return informative


def state_of_numbers(states: I64) -> U8:
    """Convert the kernel's state numbers to `SLEEPS`, `RUNNABLE` or `DEAD`."""
    kind = np.where(np.isin(states, _PREEMPTED), RUNNABLE, SLEEPS)
    return np.where((states > 0) & (states & _DEAD_BITS != 0), DEAD, kind).astype(np.uint8)


_TIME_BITS = 40


@dataclass(frozen=True, slots=True)
class Facts(ColumnTable):
    """Facts about threads in any order: time, thread, kind (`trace_builder.OPEN` …), process, name and parent (-1: unknown).

    `parent` is a thread of the same process. A fact with time -1 holds throughout the trace.
    """

    t_ns: I64
    tid: I32
    kind: U8
    tgid: I32
    name: I32
    parent: I32


def tasks_of(facts: Facts, names: NDArray[np.bytes_], start_ns: int, end_ns: int) -> Tasks:
    """Return lifetimes by thread, then time.

    A start opens a lifetime, and so does a fact about a thread that had died. A lifetime without a start begins at the trace's
    start, or at the end of the tid's previous lifetime. A lifetime without an end lasts until the trace's end.
    """
    t_ns = np.where(facts.t_ns < 0, start_ns, facts.t_ns)
    keys = _Keys(start_ns, end_ns)
    order = np.argsort(keys.numbers(facts.tid, t_ns), kind="stable")
    tid, kind, t_ns = facts.tid[order], facts.kind[order], t_ns[order]
    same = np.zeros(len(order), bool)
    same[1:] = tid[1:] == tid[:-1]
    before = np.zeros(len(order), np.uint8)
    before[1:] = kind[:-1]
    opens = ~same | ((kind == OPEN) & (before != OPEN)) | ((kind == SEEN) & (before == DIED))
    first = np.flatnonzero(opens)
    if not len(first):
        none, never = np.empty(0, np.int32), np.empty(0, np.int64)
        return Tasks(none, none, never, never, none, names)
    lifetime = np.cumsum(opens) - 1
    from_ns = np.where((kind[first] == OPEN) | same[first], t_ns[first], start_ns)
    last = np.append(first[1:], len(order)) - 1
    to_ns = np.where(np.isin(kind[last], (DIED, GONE)), t_ns[last], end_ns)
    died = kind == DIED
    to_ns[lifetime[died]] = t_ns[died]
    cut = np.flatnonzero(same[first])
    to_ns[cut - 1] = np.minimum(to_ns[cut - 1], from_ns[cut])
    tasks = Tasks(tid[first], _last(lifetime, facts.tgid[order]), from_ns, to_ns, _last(lifetime, facts.name[order]), names)
    return _with_processes(tasks, _last(lifetime, facts.parent[order]), keys)


class _Keys:
    """Sort keys: one number for a thread and a time. In long traces the time's unit is coarser than one nanosecond."""

    def __init__(self, start_ns: int, end_ns: int) -> None:
        self._start_ns, self._length_ns = start_ns, end_ns - start_ns
        self._shift = max(0, (end_ns - start_ns).bit_length() - _TIME_BITS)

    def numbers(self, tid: I32, t_ns: I64) -> I64:
        return (tid.astype(np.int64) << (_TIME_BITS + 1)) + (np.clip(t_ns - self._start_ns, 0, self._length_ns) >> self._shift)


def _last(lifetime: I64, value: I32) -> I32:
    """Return the last value of each lifetime that is not -1."""
    per_lifetime = np.full(int(lifetime[-1]) + 1, UNKNOWN, np.int32)
    known = np.flatnonzero(value != UNKNOWN)
    per_lifetime[lifetime[known]] = value[known]
    return per_lifetime


def _with_processes(tasks: Tasks, parent: I32, keys: _Keys) -> Tasks:
    """Give each thread of an unknown process the process of its nearest ancestor with a known one."""
    child = np.flatnonzero((tasks.tgid == UNKNOWN) & (parent != UNKNOWN))
    if not len(child):
        return tasks
    place = (
        np.searchsorted(keys.numbers(tasks.tid, tasks.from_ns), keys.numbers(parent[child], tasks.from_ns[child]), side="right")
        - 1
    )
    good = (place >= 0) & (tasks.tid[np.maximum(place, 0)] == parent[child])
    ancestor = np.arange(len(tasks))
    ancestor[child[good]] = place[good]
    for _ in range(len(tasks).bit_length()):
        ancestor = ancestor[ancestor]
    tgid = tasks.tgid.copy()
    tgid[child] = tasks.tgid[ancestor[child]]
    return Tasks(tasks.tid, tgid, tasks.from_ns, tasks.to_ns, tasks.name, tasks.names)
