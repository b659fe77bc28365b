"""Level *sched*: a run's clocks, rates and curves from its kernel trace; in the trace's holes, from other data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.core_clocks import CoreClock, core_clocks
from navitas.energy.attribute.cpu.energy import Rate
from navitas.energy.attribute.cpu.frequency import Cluster
from navitas.energy.attribute.cpu.holes import Holes, stitched
from navitas.energy.attribute.cpu.instants import Pieces, traced_energy
from navitas.energy.attribute.cpu.sched_slices import SchedSlices, slices_of
from navitas.energy.attribute.cpu.thread_clocks import MAX_LOWER, MIN_REPORTED, ThreadClocks
from navitas.energy.attribute.cpu.traced import TracedRate, traced_clocks
from navitas.energy.attribute.curves import Curve, Knots, interval_increments, middle, monotone
from navitas.power.model import PowerModel
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables
from navitas.recording.parse.trace.trace_tables import Trace


@dataclass(frozen=True, slots=True)
class MissedTime:
    """CPU time of threads in excess of their pieces in a trace, outside of its holes."""

    holes: Holes
    pieces: Pieces

    def share_of(self, clocks: ThreadClocks) -> float:
        """The share of the threads' CPU time, by their own clocks, that the trace misses."""
        knots, pieces, spent_ns = clocks.knots, self.pieces, clocks.spent_ns
        clock_ns = spent_ns[~self.holes.contain(middle(knots.t_ns[:-1], knots.t_ns[1:]))].sum()
        trace_ns = (pieces.end_ns - pieces.start_ns)[~self.holes.contain(middle(pieces.start_ns, pieces.end_ns))].sum()
        total_ns = spent_ns.sum()
        return max(float(clock_ns - trace_ns) / float(total_ns), 0.0) if total_ns > 0 else 0.0

    def deducted_from(self, unattributed: Curve, knots: Knots, energy_j: F64, edges: I64) -> Curve:
        """The unattributed energy without the energy that the trace misses, computed for each interval between edges.

        A thread's clock takes precedence over the trace, which counts missed time as unattributed. The result never decreases.
        """
        if not len(unattributed.t_ns):
            return unattributed
        first, last = unattributed.t_ns[[0, -1]].tolist()
        grid = np.union1d(edges, self.holes.edges)
        grid = np.concatenate([[first], grid[(grid > first) & (grid < last)], [last]])
        _, interval, joules = interval_increments(knots, energy_j, grid)
        beyond = np.bincount(interval, joules, len(grid) - 1) - np.diff(_drawn(self.pieces).at(grid))
        beyond[self.holes.contain(middle(grid[:-1], grid[1:]))] = 0.0
        return Curve(grid, monotone(unattributed.at(grid) - np.append(0.0, np.cumsum(beyond))))


def _drawn(pieces: Pieces) -> Curve:
    """Cumulative joules of all pieces."""
    t_ns = np.concatenate([pieces.start_ns, pieces.end_ns])
    order = np.argsort(t_ns, kind="stable")
    watts = np.cumsum(np.concatenate([pieces.watts, -pieces.watts])[order])
    t_ns = t_ns[order]
    joules = watts[:-1] * (np.diff(t_ns) / 1e9)
    return Curve(t_ns, np.append(0.0, np.cumsum(joules)))


HOLES = Reason("trace_holes", "the trace has holes there")
GUESSED = Reason("trace_clock_guessed", "the trace does not show the clock of their cores")
MISSED = Reason("trace_misses_threads", "the trace does not show these threads run")


@dataclass(frozen=True, slots=True)
class Untraced:
    """The results for a run without its trace."""

    level: str
    clocks: ThreadClocks
    rate: Rate
    others: Curve
    unattributed: Curve


@dataclass(frozen=True, slots=True)
class TracedRun:
    """The results for a run with its trace.

    `reasons` name missing and contradictory data in the trace. `_missed` is None if the trace is complete.
    """

    level: str
    reasons: tuple[Reason, ...]
    clocks: ThreadClocks
    rate: TracedRate
    others: Curve
    _unattributed: Curve
    _missed: MissedTime | None

    def unattributed(self, knots: Knots, energy_j: F64) -> Curve:
        """Energy of the process's unknown threads, given the known threads' curves."""
        if self._missed is None:
            return self._unattributed
        return self._missed.deducted_from(self._unattributed, knots, energy_j, self.rate.edges)


def traced_run(run: RunTables, trace: Trace, clusters: Sequence[Cluster], model: PowerModel, plain: Untraced) -> TracedRun:
    """Combine a trace with the results without it (docs/how-it-measures.md, "Level sched")."""
    slices = slices_of(trace, run.threads)
    without_frequency = slices.of_other_cpus([cpu for cluster in clusters for cpu in cluster.cpus])
    holes = Holes.from_trace(trace, without_frequency)
    core = core_clocks(trace.frequencies, clusters)
    traced = traced_energy(trace, slices, clusters, core.cores, model)
    clocks = traced_clocks(run.threads, plain.clocks, holes, traced.pieces)
    others = stitched(holes, traced.others, plain.others)
    unattributed = stitched(holes, traced.unattributed, plain.unattributed)
    knots, missed = clocks.knots, MissedTime(holes, traced.pieces)
    lower = {
        HOLES: clocks.share_of(holes.contain(middle(knots.t_ns[:-1], knots.t_ns[1:]))),
        MISSED: missed.share_of(clocks),
        GUESSED: _guessed_share(slices, core.cores, holes),
    }
    level: str = "sched" if sum(lower.values()) <= MAX_LOWER else plain.level
    unknown = ", ".join(map(str, np.unique(without_frequency.cpu).tolist()))
    no_frequencies = Reason(
        "trace_without_frequencies",
        f"CPUs {unknown} ran, but their frequencies are unknown: the trace has holes while they ran",
    )
    reasons = [no_frequencies] if unknown else []
    if (overlapping := slices.overlapping_share()) >= MIN_REPORTED:
        text = "of the threads' time is on two CPUs at once in the trace, which is impossible: the trace is damaged"
        reasons.append(Reason("trace_contradicts", text, overlapping))
    for cluster in core.apart:
        listed = ", ".join(map(str, cluster.cpus))
        text = f"CPUs {listed} have different clocks in the trace: each core's own counts"
        reasons.append(Reason("trace_core_clocks", text))
    lower_level = {
        why: Reason(why.code, f"of the threads' CPU time is at level {plain.level}: {why.text}", share)
        for why, share in lower.items()
        if share >= MIN_REPORTED
    }
    rate = TracedRate(plain.rate, holes, traced.pieces)
    is_incomplete = bool(unknown) or not lower_level.keys() <= {GUESSED}
    return TracedRun(
        level, (*reasons, *lower_level.values()), clocks, rate, others, unattributed, missed if is_incomplete else None
    )


def _guessed_share(slices: SchedSlices, cores: Sequence[CoreClock], holes: Holes) -> float:
    """The share of the known threads' time in the trace, outside of its holes, on cores whose clock is guessed."""
    counts = (slices.owner >= 0) & ~holes.contain(middle(slices.start_ns, slices.end_ns))
    cpu, start_ns, end_ns = slices.cpu[counts], slices.start_ns[counts], slices.end_ns[counts]
    known_ns = np.full(int(cpu.max(initial=0)) + 1, np.iinfo(np.int64).max)
    for clock in cores:
        known_ns[clock.cpu : clock.cpu + 1] = clock.known_ns
    guessed_ns = np.clip(known_ns[cpu], start_ns, end_ns) - start_ns
    return float(guessed_ns.sum() / max((end_ns - start_ns).sum(), 1))
