"""Level *sched*: a run's clocks, rates and curves from its kernel trace; in the trace's holes, from other data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.instants import CoreClock, Pieces, core_clocks, traced_energy
from navitas.energy.attribute.cpu.rate import Cluster, Rate
from navitas.energy.attribute.cpu.sched_slices import Holes, SchedSlices, slices_of, stitched
from navitas.energy.attribute.cpu.thread_clocks import MAX_LOWER, MIN_REPORTED, ThreadClocks, readings
from navitas.energy.attribute.curves import Curve, Knots, RowsByTime, group_ends, interval_increments, middle, monotone, overlaps
from navitas.power.model import PowerModel
from navitas.recording.parse.arrays import F64, I64, Bool, cumulative
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables, Thread
from navitas.recording.parse.trace.trace_tables import Trace


class TracedRate:
    """Watts of each running thread: those of the piece nearest in time; in holes, the rate `elsewhere`."""

    def __init__(self, elsewhere: Rate, holes: Holes, pieces: Pieces) -> None:
        self._elsewhere, self._holes, self._pieces = elsewhere, holes, pieces
        self._rows = RowsByTime(pieces.owner, pieces.start_ns)

    @property
    def edges(self) -> I64:
        return np.union1d(self._elsewhere.edges, self._holes.edges)

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        watts = self._elsewhere.during(owner, a_ns, b_ns)
        if len(self._pieces.owner):
            at = middle(a_ns, b_ns)
            piece = self._nearest(owner, at)
            in_trace = (piece >= 0) & ~self._holes.contain(at)
            watts[in_trace] = self._pieces.watts[piece[in_trace]]
        return watts

    def _nearest(self, owner: I64, t_ns: I64) -> I64:
        """The piece of each owner that is nearest to each time, -1 for an owner without pieces."""
        pieces, rows = self._pieces, self._rows
        before = rows.at(owner, t_ns)
        after = np.minimum(np.where(before < 0, np.searchsorted(rows.owner, owner), before + 1), len(rows.owner) - 1)
        is_own = rows.owner[after] == owner
        nearer = is_own & ((before < 0) | (pieces.start_ns[after] - t_ns < t_ns - pieces.end_ns[before]))
        return np.where(nearer, after, before)


def traced_clocks(threads: Sequence[Thread], plain: ThreadClocks, holes: Holes, pieces: Pieces) -> ThreadClocks:
    """CPU time of threads at their anchors and at every start and end of their pieces.

    Anchors are exact. Between them, and from a thread's birth on, CPU time grows as in the trace. In holes, it grows as in
    `plain`, the clocks without the trace.
    """
    old = plain.knots
    is_end = np.zeros(len(old.t_ns), bool)
    is_end[[*old.start[:-1], *(old.start[1:] - 1)]] = True
    anchors = readings([thread.anchors for thread in threads])
    is_end[old.place(anchors[0], anchors[1]).left] = True
    edges = _within_lives(old, holes.edges)
    ones = np.ones(len(pieces.owner), bool)
    owner = np.concatenate([old.owner, pieces.owner, pieces.owner, edges[0]])
    t_ns = np.concatenate([old.t_ns, pieces.start_ns, pieces.end_ns, edges[1]])
    keep = np.concatenate([is_end | (plain.is_knot & holes.contain(old.t_ns)), ones, ones, np.ones(len(edges[0]), bool)])
    order = np.lexsort((keep, t_ns, owner))
    owner, t_ns, keep = owner[order], t_ns[order], keep[order]
    last = group_ends(owner, t_ns)
    knots = Knots.from_columns(owner[last], t_ns[last], len(threads))
    born = _birth_knots(knots, plain)
    at = np.concatenate([born, knots.place(anchors[0], anchors[1]).left])
    cpu_ns = _fitted_through(knots, _growth(knots, plain, holes, pieces), at, np.concatenate([np.zeros(len(born)), anchors[2]]))
    return ThreadClocks(knots, cpu_ns, keep[last], plain.first_anchor_ns, plain.last_anchor_ns)


def _birth_knots(knots: Knots, plain: ThreadClocks) -> I64:
    """First knots of threads that had not run before, neither by their clock nor in the trace."""
    is_birth: Bool = (plain.cpu_ns[plain.knots.start[:-1]] == 0) & (plain.knots.first_ns == knots.first_ns)
    return knots.start[:-1][is_birth]


def _within_lives(knots: Knots, edges: I64) -> tuple[I64, I64]:
    """All pairs of a curve and an edge between the curve's first and last knot."""
    first = np.searchsorted(edges, knots.first_ns, side="right")
    owner, edge = overlaps(first, np.searchsorted(edges, knots.last_ns, side="left") - 1)
    return owner, edges[edge]


def _growth(knots: Knots, plain: ThreadClocks, holes: Holes, pieces: Pieces) -> F64:
    """CPU time since each curve's first knot: as in the trace; in holes, as in the plain clocks."""
    owner, t_ns = knots.owner, knots.t_ns
    traced = _run_until(pieces, owner, t_ns)
    counted = plain.knots.place(owner, t_ns).read(plain.cpu_ns)
    hole = holes.contain(middle(t_ns[:-1], t_ns[1:]))
    return knots.cumulate(np.concatenate([[0.0], np.where(hole, np.diff(counted), np.diff(traced))]))


def _run_until(pieces: Pieces, owner: I64, t_ns: I64) -> F64:
    """Time in ns that each owner ran until each time, up to a constant per owner."""
    length = pieces.end_ns - pieces.start_ns
    before = np.concatenate([[0], np.cumsum(length)])
    rows = RowsByTime(pieces.owner, pieces.start_ns)
    piece = rows.at(owner, t_ns)
    if not len(length):
        return np.zeros(len(owner))
    inside = before[piece] + np.minimum(t_ns - pieces.start_ns[piece], length[piece])
    return np.where(piece < 0, before[np.searchsorted(rows.owner, owner)], inside).astype(np.float64)


def _fitted_through(knots: Knots, grown: F64, at: I64, cpu_ns: F64) -> F64:
    """Fit the growth to fixed values: the knots `at` have `cpu_ns`, and growth between two of them is scaled to match."""
    number, owner = np.arange(len(grown)), knots.owner
    value, fixed = np.zeros(len(grown)), np.zeros(len(grown), bool)
    value[at], fixed[at] = cpu_ns, True
    before = np.maximum.accumulate(np.where(fixed, number, -1))
    after = len(grown) - 1 - np.maximum.accumulate(np.where(fixed[::-1], number, -1))[::-1]
    has_before, has_after = before >= knots.start[owner], after < knots.start[owner + 1]
    before, after = np.where(has_before, before, number), np.where(has_after, after, number)
    span, length = grown[after] - grown[before], knots.t_ns[after] - knots.t_ns[before]
    by_growth = (grown - grown[before]) / np.where(span > 0, span, 1.0)
    by_time = (knots.t_ns - knots.t_ns[before]) / np.maximum(length, 1)
    between = value[before] + np.where(span > 0, by_growth, by_time) * (value[after] - value[before])
    beyond = np.where(has_before, value[before] + grown - grown[before], value[after] - grown[after] + grown)
    return np.where(has_before & has_after, between, np.where(has_before | has_after, beyond, grown))


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
        return Curve(grid, monotone(unattributed.at(grid) - cumulative(beyond)))


def _drawn(pieces: Pieces) -> Curve:
    """Cumulative joules of all pieces."""
    t_ns = np.concatenate([pieces.start_ns, pieces.end_ns])
    order = np.argsort(t_ns, kind="stable")
    watts = np.cumsum(np.concatenate([pieces.watts, -pieces.watts])[order])
    t_ns = t_ns[order]
    joules = watts[:-1] * (np.diff(t_ns) / 1e9)
    return Curve(t_ns, cumulative(joules))


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
        "trace_without_frequencies", f"CPUs {unknown} ran, but their frequencies are unknown: the trace has holes while they ran"
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
