"""Sort a reader's results into the tables of a trace, and fill the gaps between the switches of a core."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I32, I64
from navitas.recording.parse.rail_readings import RailReadings
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, Facts, TraceBuilder, tasks_of
from navitas.recording.parse.trace.trace_tables import (
    ALL_CPUS,
    IDLE_TID,
    RUNNABLE,
    SLEEPS,
    UNKNOWN,
    CpuWindows,
    Frequencies,
    IdleStates,
    Losses,
    RawTrace,
    Snapshots,
    Switches,
    TimeSpans,
    Trace,
    TraceClock,
)


def build_trace(builder: TraceBuilder, rails: RailReadings | None = None) -> RawTrace:
    """Return the tables of a trace, on the trace's own clock."""
    start_ns, end_ns = builder.span_ns or (0, 0)
    tasks = tasks_of(Facts(**builder.facts.take()), builder.names.all(), start_ns, end_ns)
    switches = _with_offline(Switches(**builder.switches.take()), builder.offline.take())
    reported = _losses(builder.losses.take())
    switches, losses = fill_gaps(switches, reported, (start_ns, end_ns), builder.last_ns, builder.overwritten)
    trace = Trace(
        switches=switches,
        frequencies=Frequencies(**builder.frequencies.take()),
        idle=IdleStates(**builder.idle.take()),
        tasks=tasks,
        windows=_windows(switches, builder.last_ns, end_ns),
        losses=losses,
        suspends=_suspends(builder.suspends.take(), start_ns, end_ns),
        snapshots=_snapshots(builder.snapshots.take()),
        start_ns=start_ns,
        end_ns=end_ns,
        clock=cast(TraceClock, builder.clock or "global"),
        rails=rails,
    )
    skipped = sorted(builder.skipped, key=lambda line: line.number)
    others = dict(builder.other_machines)
    return RawTrace(trace, tuple(skipped), dict(builder.skipped_by_reason), tuple(builder.warnings), others)


def _with_offline(switches: Switches, offline: dict[str, NDArray[Any]]) -> Switches:
    """Add a switch to idle where a core goes offline, if no recorded switch does this."""
    cpu, t_ns = cast(I32, offline["cpu"]), cast(I64, offline["t_ns"])
    if not len(cpu) or not len(switches):
        return switches
    low, high = np.searchsorted(switches.cpu, cpu), np.searchsorted(switches.cpu, cpu, side="right")
    place = np.array([at + np.searchsorted(switches.t_ns[at:end], t) for at, end, t in zip(low, high, t_ns, strict=True)])
    following = np.minimum(place, len(switches) - 1)
    still_runs = (place < high) & (switches.prev_tid[following] != IDLE_TID)
    running = (place > low) & ~still_runs
    place, cpu, t_ns = place[running], cpu[running], t_ns[running]
    prev = switches.next_tid[place - 1]
    runs = prev != IDLE_TID
    place, cpu, t_ns, prev = place[runs], cpu[runs], t_ns[runs], prev[runs]
    return Switches(
        np.insert(switches.cpu, place, cpu),
        np.insert(switches.t_ns, place, t_ns),
        np.insert(switches.next_tid, place, IDLE_TID),
        np.insert(switches.prev_tid, place, prev),
        np.insert(switches.prev_state, place, SLEEPS),
    )


def _windows(switches: Switches, last_ns: dict[int, int], end_ns: int) -> CpuWindows:
    """Return each core's span from its first switch, which shows what runs, to the end of the trace or of the core's data."""
    first = np.unique(np.searchsorted(switches.cpu, np.arange(CPU_LIMIT)))
    first = first[first < len(switches)]
    cpu = switches.cpu[first]
    to_ns = np.array([last_ns.get(number, end_ns) for number in cpu.tolist()], np.int64)
    from_ns = switches.t_ns[first]
    return CpuWindows(cpu, from_ns, np.maximum(from_ns, to_ns))


def _losses(columns: dict[str, NDArray[Any]]) -> Losses:
    return Losses(**columns).chosen(np.lexsort((columns["to_ns"], columns["from_ns"])))


def _snapshots(columns: dict[str, NDArray[Any]]) -> Snapshots:
    return Snapshots(**columns).chosen(np.argsort(columns["trace_ns"], kind="stable"))


def _suspends(columns: dict[str, NDArray[Any]], start_ns: int, end_ns: int) -> TimeSpans:
    """Turn begins and ends into spans. A span that is open at the trace's start or end extends to it."""
    order = np.argsort(columns["t_ns"], kind="stable")
    t_ns, begins = columns["t_ns"][order], columns["begins"][order].astype(bool)
    if not len(t_ns):
        return TimeSpans(t_ns, t_ns)
    if not begins[0]:
        t_ns, begins = np.insert(t_ns, 0, start_ns), np.insert(begins, 0, True)
    if begins[-1]:
        t_ns, begins = np.append(t_ns, end_ns), np.append(begins, False)
    depth = np.cumsum(np.where(begins, 1, -1))
    starts = begins & (np.insert(depth[:-1], 0, 0) <= 0)
    from_ns = t_ns[starts]
    to_ns = t_ns[np.append(np.flatnonzero(starts)[1:], len(t_ns)) - 1]
    return TimeSpans(from_ns, to_ns)


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
    more = more.chosen(np.lexsort((more.to_ns, more.from_ns)))
    return _with_inferred(switches, place, np.concatenate(inferred_ns)), more


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


def _with_inferred(switches: Switches, place: I64, from_ns: I64) -> Switches:
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
