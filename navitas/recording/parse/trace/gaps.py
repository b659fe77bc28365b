"""Gaps between the switches of a core: infer which thread ran if possible, otherwise record a loss."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from navitas.recording.parse.arrays import I64
from navitas.recording.parse.trace.trace_tables import ALL_CPUS, RUNNABLE, SLEEPS, UNKNOWN, Losses, Switches

# A core's ring buffer has not been overwritten if it has less than this fraction of the fullest buffer's events.
_FULL = 0.25
_NONE = np.empty(0, np.int64)


def fill_gaps(
    switches: Switches, losses: Losses, span_ns: tuple[int, int], ends_ns: Mapping[int, int], overwritten: bool
) -> tuple[Switches, Losses]:
    """Add inferred switches, and add losses where nothing can be inferred.

    - Before a core's first switch, the thread that leaves there has run since the trace's start. The exception is a core whose
      events the kernel had overwritten (`overwritten`, and its ring buffer is full).
    - After a loss, the thread that leaves at the next switch has run since the end of the loss. If that thread is unknown
      (Perfetto's compact format), the loss extends to that switch.
    - If the thread that leaves differs from the thread that last started, events are missing that the tracer did not report.
    - If a core's events end before the trace (`ends_ns`), the rest of the core's time is a loss.
    """
    start_ns, end_ns = span_ns
    cores = _cores(switches)
    most = max((core.stop - core.start for core in cores), default=0)
    rows, from_ns, inferred, inferred_ns = [_NONE], [_NONE], [_NONE], [_NONE]
    # Each core separately, to save memory: a long trace has tens of millions of switches.
    for core in cores:
        late = overwritten and core.stop - core.start >= _FULL * most
        missing, follows, since_ns = _judged(switches, losses, core, start_ns, late)
        rows.append(missing + core.start)
        from_ns.append(since_ns[missing])
        inferred.append(follows + core.start)
        inferred_ns.append(since_ns[follows])
    lost, place = np.concatenate(rows), np.concatenate(inferred)
    early = [(number, at) for number, at in ends_ns.items() if at < end_ns]
    more = Losses(
        np.concatenate([losses.cpu, switches.cpu[lost], [number for number, _ in early]]).astype(np.int32),
        np.concatenate([losses.from_ns, *from_ns, [at for _, at in early]]).astype(np.int64),
        np.concatenate([losses.to_ns, switches.t_ns[lost], [end_ns for _ in early]]).astype(np.int64),
    )
    order = np.lexsort((more.to_ns, more.from_ns))
    return _with(switches, place, np.concatenate(inferred_ns)), Losses(more.cpu[order], more.from_ns[order], more.to_ns[order])


def _judged(switches: Switches, losses: Losses, core: slice, start_ns: int, late: bool) -> tuple[I64, I64, I64]:
    """Return, for one core: switches after missing events, switches whose leaving thread had run before them, and since when.

    `late` means that the core's events begin after the trace.
    """
    t_ns, prev = switches.t_ns[core], switches.prev_tid[core]
    before_ns, expected = np.roll(t_ns, 1), np.roll(switches.next_tid[core], 1)
    before_ns[0], expected[0] = start_ns, UNKNOWN
    unknown_prev = prev == UNKNOWN
    since_ns = _last_loss(losses, int(switches.cpu[core.start]), t_ns, before_ns)
    is_lost = since_ns >= 0
    since_ns = np.where(is_lost, since_ns, before_ns)
    differs = prev != expected
    missing = ~unknown_prev & ~is_lost & differs
    missing[0] = late or (unknown_prev[0] and switches.prev_state[core.start] != RUNNABLE)
    missing |= is_lost & unknown_prev
    follows = is_lost & differs
    follows[0] = prev[0] != 0
    follows &= ~missing & ~unknown_prev
    is_before = since_ns < t_ns
    return np.flatnonzero(missing & is_before), np.flatnonzero(follows & is_before), since_ns


def _last_loss(losses: Losses, number: int, t_ns: I64, before_ns: I64) -> I64:
    """Return the end of a core's last loss between each switch and the previous one; -1 if there is none."""
    own = (losses.cpu == number) | (losses.cpu == ALL_CPUS)
    if not own.any():
        return np.full(len(t_ns), UNKNOWN, np.int64)
    to_ns = np.sort(losses.to_ns[own])
    last = np.searchsorted(to_ns, t_ns, side="right") - 1
    ends = to_ns[last]
    return np.where((last >= 0) & (ends > before_ns), ends, UNKNOWN)


def _cores(switches: Switches) -> list[slice]:
    """Return the rows of each core."""
    bounds = [0, *(np.flatnonzero(switches.cpu[1:] != switches.cpu[:-1]) + 1).tolist(), len(switches)]
    return [slice(low, high) for low, high in pairwise(bounds) if low < high]


def _with(switches: Switches, place: I64, from_ns: I64) -> Switches:
    """Insert a switch at `from_ns` to the thread that leaves at each switch in `place`."""
    if not len(place):
        return switches
    return Switches(
        np.insert(switches.cpu, place, switches.cpu[place]),
        np.insert(switches.t_ns, place, from_ns),
        np.insert(switches.next_tid, place, switches.prev_tid[place]),
        np.insert(switches.prev_tid, place, UNKNOWN),
        np.insert(switches.prev_state, place, SLEEPS),
    )
