"""Switches of a core that do not follow from each other: who ran is told where it can be, the rest is a loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from navitas.parse.arrays import I32, I64, Bool
from navitas.parse.trace.trace_tables import ALL_CPUS, RUNNABLE, SLEEPS, UNKNOWN, Losses, Switches

# A ring of events that holds less than this part of the fullest one's has not been overwritten.
_FULL = 0.25


def bridged(
    switches: Switches, losses: Losses, span_ns: tuple[int, int], ends_ns: Mapping[int, int], overwritten: bool
) -> tuple[Switches, Losses]:
    """Add what follows from `prev_tid` and what does not follow from anything.

    - Before a core's first switch the thread that leaves there has run since the trace's start, unless the kernel had overwritten
      events of that core (`overwritten`, and its ring is full).
    - After a loss the thread that leaves at the next switch has run since the loss' end. Where it is not told (Perfetto's compact
      form) the loss goes on to that switch.
    - Where another thread leaves than the one that came, events are missing though nobody says so.
    - A core's events that end before the trace (`ends_ns`) are missing until its end.
    """
    start_ns, end_ns = span_ns
    cpu, t_ns, prev = switches.cpu, switches.t_ns, switches.prev_tid
    is_first = np.append(True, cpu[1:] != cpu[:-1])[: len(cpu)]
    before_ns = np.where(is_first, start_ns, np.roll(t_ns, 1))
    expected = np.where(is_first, UNKNOWN, np.roll(switches.next_tid, 1))
    untold = prev == UNKNOWN
    lost_ns = _last_loss(switches, losses, before_ns)
    is_lost = lost_ns >= 0
    late = is_first & _full(switches) if overwritten else np.zeros(len(cpu), bool)
    missing = (~is_first & ~untold & ~is_lost & (prev != expected)) | late
    missing |= is_first & untold & (switches.prev_state != RUNNABLE)
    from_ns = np.where(is_lost, lost_ns, before_ns)
    missing |= is_lost & untold
    told = ~missing & ~untold & np.where(is_first, prev != 0, is_lost & (prev != expected)) & (from_ns < t_ns)
    rows = np.flatnonzero(missing & (from_ns < t_ns))
    early = [(number, at) for number, at in ends_ns.items() if at < end_ns]
    more = Losses(
        np.concatenate([losses.cpu, cpu[rows], [number for number, _ in early]]).astype(np.int32),
        np.concatenate([losses.from_ns, from_ns[rows], [at for _, at in early]]).astype(np.int64),
        np.concatenate([losses.to_ns, t_ns[rows], [end_ns for _ in early]]).astype(np.int64),
    )
    order = np.lexsort((more.to_ns, more.from_ns))
    return _with(switches, np.flatnonzero(told), from_ns), Losses(more.cpu[order], more.from_ns[order], more.to_ns[order])


def _last_loss(switches: Switches, losses: Losses, before_ns: I64) -> I64:
    """Where the last loss ends that a core has between a switch and the one before; -1 where it has none."""
    found = np.full(len(switches), UNKNOWN, np.int64)
    for number, low, high in zip(*_cores(switches), strict=True):
        own = (losses.cpu == number) | (losses.cpu == ALL_CPUS)
        if own.any():
            to_ns, t_ns = np.sort(losses.to_ns[own]), switches.t_ns[low:high]
            last = np.searchsorted(to_ns, t_ns, side="right") - 1
            ends = to_ns[last]
            found[low:high] = np.where((last >= 0) & (ends > before_ns[low:high]), ends, UNKNOWN)
    return found


def _full(switches: Switches) -> Bool:
    """Which switches are of cores whose ring of events is full."""
    _, low, high = _cores(switches)
    count = high - low
    return np.repeat(count >= _FULL * count.max(initial=0), count)


def _cores(switches: Switches) -> tuple[I32, I64, I64]:
    """Each core with its first row and the one after its last."""
    number, low = np.unique(switches.cpu, return_index=True)
    return number, low.astype(np.int64), np.append(low[1:], len(switches)).astype(np.int64)[: len(low)]


def _with(switches: Switches, place: I64, from_ns: I64) -> Switches:
    """The thread that leaves at the switches `place` comes at `from_ns` of that row."""
    if not len(place):
        return switches
    return Switches(
        np.insert(switches.cpu, place, switches.cpu[place]),
        np.insert(switches.t_ns, place, from_ns[place]),
        np.insert(switches.next_tid, place, switches.prev_tid[place]),
        np.insert(switches.prev_tid, place, UNKNOWN),
        np.insert(switches.prev_state, place, SLEEPS),
    )
