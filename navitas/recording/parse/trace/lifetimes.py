"""Derive threads' lifetimes, processes and last names from single facts, for all threads together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I32, I64, U8, ColumnTable
from navitas.recording.parse.trace.trace_builder import DIED, GONE, OPEN, SEEN
from navitas.recording.parse.trace.trace_tables import UNKNOWN, Tasks

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
