"""When a method trace began, on the clock of a kernel trace.

A method is entered and left while its thread runs. So the method trace is moved until as many of its events as possible are in
scheduling slices of their threads.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.importing.art_trace import ArtThread, ArtTrace
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.threads import COMM_CHARS
from navitas.recording.parse.trace.trace_tables import IDLE_TID, Trace

_BIN_NS = 100_000
_MOST_BINS = 1 << 21
_STEPS = 400
_MOST_EVENTS = 20_000
_MOST_THREADS = 10
_NEAR_NS = 5_000_000
_AS_GOOD = 0.98
_LEAST_SHARE = 0.5
_ROUNDING = 1e-3
_HINT = "Give the time at which it begins, on the clock of the trace: --start SECONDS"
_BESIDE_NS = 20_000
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
        at = np.searchsorted(self.from_ns, t_ns + _BESIDE_NS, side="right") - 1
        return float(np.mean((at >= 0) & (t_ns <= self.to_ns[at] + _BESIDE_NS)))


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

    From version 4 of method traces on, numbers are thread ids, and on old releases of Android. Otherwise they only count, and the
    name decides: of the process's threads, exactly one must have it, in both traces. Without a process id, that of the thread
    `main` is used if its number is a process of the trace.
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
    if art.has_tids:
        return known, {one.number: one.number for one in art.threads if one.number in names}
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
    return {name[:COMM_CHARS], name[-COMM_CHARS:]}


def _names(trace: Trace, pid: int | None) -> dict[int, str]:
    """The last name of each thread of a process, or of all threads whose process is unknown, by tid."""
    tasks = trace.tasks
    found = {}
    for tid, tgid, name in zip(tasks.tid.tolist(), tasks.tgid.tolist(), tasks.name.tolist(), strict=True):
        if name >= 0 and (pid is None or tgid in (pid, -1)):
            found[tid] = bytes(tasks.names[name]).decode("utf-8", "replace")
    return found


@dataclass(frozen=True, slots=True)
class Placed:
    """When a method trace began, and how sure that is.

    `share` of its events are in slices of their threads. Other starts up to `uncertain_ns` away fit as well.
    """

    start_ns: int
    share: float
    uncertain_ns: int
    source: str


@dataclass(frozen=True, slots=True)
class _Events:
    """The events of a thread since the start of the method trace, and when the thread ran."""

    t_ns: I64
    running: RunningSpans


def place(art: ArtTrace, trace: Trace, running: Mapping[int, RunningSpans], *, start_ns: int | None, shown: str) -> Placed:
    """Place a method trace. `running` is when its threads ran, by their numbers, and `start_ns` its start if the user knows it.

    Otherwise it is the start in its header, if that is on the trace's clock and fits, or else the one that fits best.
    Raises `RecordingError` if no start fits, or several fit as well.
    """
    events = [_Events(one.t_ns, running[one.number]) for one in art.threads if one.number in running]
    events = [one for one in events if len(one.t_ns) and len(one.running.from_ns)]
    if not events:
        raise RecordingError(f"{shown}: no thread of the method trace runs in the trace", "Give traces of the same time and app.")
    thinned = [_Events(one.t_ns[:: len(one.t_ns) // _MOST_EVENTS + 1], one.running) for one in events]
    if start_ns is not None:
        return Placed(start_ns, _share(thinned, start_ns), 0, "--start")
    busiest = heapq.nlargest(_MOST_THREADS, range(len(events)), key=lambda i: len(events[i].t_ns))
    low_ns, high_ns, rivals = _search([events[i] for i in busiest], trace)
    found = _refined([thinned[i] for i in busiest], low_ns, high_ns)
    found = replace(found, share=_share(thinned, found.start_ns))
    for candidate in _of_header(art, trace):
        share = _share(thinned, candidate)
        if share >= _AS_GOOD * found.share and share >= _LEAST_SHARE:
            return Placed(candidate, share, 0, "its header")
    if found.share < _LEAST_SHARE:
        raise RecordingError(
            f"{shown}: at most {found.share:.0%} of the entries and exits are at times at which their threads run in the trace",
            f"Give traces of the same time and app. {_HINT}",
        )
    if rivals:
        raise RecordingError(f"{shown}: it fits several places of the trace equally well", _HINT)
    return found


def _of_header(art: ArtTrace, trace: Trace) -> list[int]:
    """The start in the header, as monotonic time or boottime: Android's releases differ."""
    ahead = ahead_of_monotonic(trace, trace.snapshots.boottime_ns)
    found = dict.fromkeys((art.start_ns, art.start_ns - ahead, art.start_ns + ahead))
    return [start for start in found if trace.start_ns <= start <= trace.end_ns]


def ahead_of_monotonic(trace: Trace, clock_ns: I64) -> int:
    """Return how far a clock of the trace's snapshots is ahead of monotonic, 0 if that is unknown."""
    rows = np.flatnonzero((clock_ns > 0) & (trace.snapshots.monotonic_ns >= 0))
    return int(np.median(clock_ns[rows] - trace.snapshots.monotonic_ns[rows])) if len(rows) else 0


def _share(events: Sequence[_Events], start_ns: int) -> float:
    counts = [len(one.t_ns) for one in events]
    inside = [one.running.share_inside(one.t_ns + start_ns) for one in events]
    return float(np.average(inside, weights=counts))


def _search(events: Sequence[_Events], trace: Trace) -> tuple[int, int, bool]:
    """The earliest and latest start near the best one, and whether starts elsewhere fit as well. A cross-correlation of both."""
    length_ns = max(int(one.t_ns[-1]) for one in events) + 1
    span_ns = trace.end_ns - trace.start_ns + 1
    bin_ns = max(_BIN_NS, -(-(length_ns + span_ns) // _MOST_BINS))
    bins, own = int(span_ns // bin_ns) + 1, int(length_ns // bin_ns) + 1
    size = 1 << (bins + own).bit_length()
    total = np.zeros(size // 2 + 1, np.complex128)
    for one in events:
        happened = np.bincount(one.t_ns // bin_ns, minlength=own).astype(np.float64)
        total += np.conj(np.fft.rfft(happened, size)) * np.fft.rfft(_ran(one.running, trace.start_ns, bin_ns, bins), size)
    fits = np.fft.irfft(total, size)
    shift = np.arange(size)
    shift[shift >= bins] -= size  # later shifts are those to before the trace
    possible = (shift >= -own) & (trace.start_ns + shift * bin_ns >= 0)
    best = int(np.argmax(np.where(possible, fits, -1.0)))
    good = np.flatnonzero(possible & (fits >= _AS_GOOD * fits[best]))
    near = max(_NEAR_NS // bin_ns, 2)
    ordered = np.sort(shift[good])
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > near) + 1)
    around = next(group for group in groups if shift[best] in group)
    low, high = int(around[0] - near) * bin_ns, int(around[-1] + near) * bin_ns
    return trace.start_ns + low, trace.start_ns + high, len(groups) > 1


def _ran(running: RunningSpans, start_ns: int, bin_ns: int, bins: int) -> F64:
    """The share of each bin of time in which a thread ran."""
    edges = start_ns + np.arange(bins + 1, dtype=np.int64) * bin_ns
    spent = np.concatenate([[0], np.cumsum(running.to_ns - running.from_ns)])
    at = np.searchsorted(running.from_ns, edges, side="right")
    last_to = np.concatenate([[start_ns], running.to_ns])[at]
    until = spent[at] - np.maximum(last_to - edges, 0)
    return np.asarray(np.diff(until) / bin_ns, np.float64)


def _refined(events: Sequence[_Events], low_ns: int, high_ns: int) -> Placed:
    """The middle of the starts in a span that fit as well as any."""
    found = Placed(low_ns, 0.0, 0, "")
    for _ in range(2):
        starts = np.unique(np.linspace(low_ns, high_ns, _STEPS + 1).astype(np.int64))
        shares = np.array([_share(events, start) for start in starts.tolist()])
        good = np.flatnonzero(shares >= shares.max() - _ROUNDING)
        first, last = int(starts[good[0]]), int(starts[good[-1]])
        middle = int(starts[good[np.argmin(np.abs(starts[good] - (first + last) // 2))]])
        found = Placed(middle, float(shares.max()), (last - first) // 2, "the scheduling slices that fit best")
        step = (high_ns - low_ns) // _STEPS + 1
        low_ns, high_ns = first - step, last + step
    return found
