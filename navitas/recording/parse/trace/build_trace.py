"""Sort a reader's results into the tables of a trace."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I32, I64
from navitas.recording.parse.rail_readings import RailReadings
from navitas.recording.parse.trace.gaps import fill_gaps
from navitas.recording.parse.trace.lifetimes import Facts, tasks_of
from navitas.recording.parse.trace.trace_builder import CPU_LIMIT, TraceBuilder
from navitas.recording.parse.trace.trace_tables import (
    IDLE_TID,
    SLEEPS,
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
    order = np.lexsort((columns["to_ns"], columns["from_ns"]))
    return Losses(columns["cpu"][order], columns["from_ns"][order], columns["to_ns"][order])


def _snapshots(columns: dict[str, NDArray[Any]]) -> Snapshots:
    order = np.argsort(columns["trace_ns"], kind="stable")
    return Snapshots(**{name: column[order] for name, column in columns.items()})


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
