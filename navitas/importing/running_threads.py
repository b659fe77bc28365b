"""When each thread of a kernel trace ran, and which of them are the threads of a method trace."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from navitas.importing.art_trace import ArtThread, ArtTrace
from navitas.parse.arrays import I64
from navitas.parse.trace.trace_tables import IDLE_TID, Trace

_COMM_CHARS = 15
_NEAR_NS = 20_000
_MAIN = "main"


@dataclass(frozen=True, slots=True)
class RunningSpans:
    """The time spans in which a thread ran on some core, in order."""

    from_ns: I64
    to_ns: I64

    def share_inside(self, t_ns: I64) -> float:
        """Return the share of these times at which the thread ran, or began or ended to run within 20 µs."""
        if not len(t_ns) or not len(self.from_ns):
            return 0.0
        at = np.searchsorted(self.from_ns, t_ns + _NEAR_NS, side="right") - 1
        return float(np.mean((at >= 0) & (t_ns <= self.to_ns[at] + _NEAR_NS)))


def running_threads(trace: Trace, tids: set[int]) -> dict[int, RunningSpans]:
    """Return when threads ran, by tid."""
    switches, windows = trace.switches, trace.windows
    ends = np.append(switches.t_ns[1:], 0)[: len(switches)]
    is_last = np.append(np.diff(switches.cpu) != 0, True)[: len(switches)]
    ends[is_last] = windows.to_ns[np.searchsorted(windows.cpu, switches.cpu[is_last])]
    found = {}
    for tid in sorted(tids - {IDLE_TID}):
        own = np.flatnonzero((switches.next_tid == tid) & (ends > switches.t_ns))
        own = own[np.argsort(switches.t_ns[own], kind="stable")]
        found[tid] = RunningSpans(switches.t_ns[own], ends[own])
    return found


def matched_threads(art: ArtTrace, trace: Trace, pid: int | None) -> tuple[int | None, dict[int, int]]:
    """Return the process id, and the tid of each thread of a method trace, by its number, as far as they are known.

    On older releases of Android, numbers are thread ids. Later they only count, and the name decides: of the process's threads,
    exactly one must have it, in both traces. Without a process id, that of the thread `main` is used if its number is a process
    of the trace.
    """
    tgid_of = dict(zip(trace.tasks.tid.tolist(), trace.tasks.tgid.tolist(), strict=True))
    known = pid if pid is not None else art.pid
    if known is None:
        mains = [one.number for one in art.threads if one.name == _MAIN and tgid_of.get(one.number) == one.number]
        known = mains[0] if mains else None
    names = _names(trace, known)
    by_name: dict[str, set[int]] = defaultdict(set)
    for tid, name in names.items():
        by_name[name].add(tid)
    tids = {one.number: _tid(one, known, names, by_name) for one in art.threads}
    claims = Counter(tids.values())
    return known, {number: tid for number, tid in tids.items() if tid is not None and (claims[tid] == 1 or tid == number)}


def _tid(one: ArtThread, pid: int | None, names: Mapping[int, str], by_name: Mapping[str, set[int]]) -> int | None:
    if one.number in names and (names[one.number] in _comms(one.name) or (one.name == _MAIN and one.number == pid)):
        return one.number
    if one.name == _MAIN:
        return pid
    found = set().union(*(by_name.get(comm, set()) for comm in _comms(one.name)))
    return found.pop() if len(found) == 1 else None


def _comms(name: str) -> set[str]:
    """The names that the kernel can have for a thread: Android keeps the first or the last 15 characters."""
    return {name[:_COMM_CHARS], name[-_COMM_CHARS:]}


def _names(trace: Trace, pid: int | None) -> dict[int, str]:
    """The last name of each thread of a process, or of all threads whose process is unknown, by tid."""
    tasks = trace.tasks
    found = {}
    for tid, tgid, name in zip(tasks.tid.tolist(), tasks.tgid.tolist(), tasks.name.tolist(), strict=True):
        if name >= 0 and (pid is None or tgid in (pid, -1)):
            found[tid] = bytes(tasks.names[name]).decode("utf-8", "replace")
    return found
