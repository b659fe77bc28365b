"""Level *thread-freq*: rates of threads from their own time_in_state, by cluster and frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.cpu.placement import Placement, placed_rate
from navitas.energy.attribute.cpu.rate import Cluster, CoreWatts, Load, slots_of
from navitas.energy.attribute.cpu.thread_clocks import MIN_REPORTED, ThreadClocks
from navitas.energy.attribute.curves import Curve, RowsByTime, middle, monotone
from navitas.energy.attribute.forest import binned
from navitas.recording.parse.arrays import F64, I64, ColumnTable, cumulative
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import Thread

_TICK_NS = 10_000_000
_ENOUGH_TICKS = 5
_PRIOR_NS = _TICK_NS / 10
_PRIOR_SHARE = 1e-6


@dataclass(frozen=True, slots=True)
class Residencies(ColumnTable):
    """Where threads ran in each stretch; rows are sorted by owner, then time.

    By cluster (columns): `share` is the cluster's share of the thread's CPU time, `ratio` the core's power relative to the
    average of all running cores there.
    """

    owner: I64
    start_ns: I64
    end_ns: I64
    share: F64
    ratio: F64


class ThreadFreqRate:
    """Watts of a thread while its time_in_state is known; other CPU time of threads has those of their placement.

    CPU time of no known thread has the rate `rest`: it is the time on each cluster in excess of the threads'. Slots are joined
    until it has five ticks.
    """

    def __init__(self, load: Load, watts: CoreWatts, placement: Placement, known: Residencies) -> None:
        self._watts, self._known = watts, known
        self._rows = RowsByTime(known.owner, known.start_ns)
        row = self._row(placement.owner, middle(load.edges[placement.slot], load.edges[placement.slot + 1]))
        remaining_ns = load.total_ns[:, None] * watts.share
        shares, has_row = placement.threads.copy(), row >= 0
        shares[has_row] = known.share[row[has_row]]
        np.subtract.at(remaining_ns, placement.slot, placement.spent_ns[:, None] * shares)
        stretch = (np.cumsum(remaining_ns.sum(axis=1)).clip(0.0) // (_ENOUGH_TICKS * _TICK_NS)).astype(np.int64)
        stretch = np.cumsum(np.diff(np.maximum.accumulate(stretch), prepend=stretch[0]) > 0)
        # Both clocks have ticks. Their noise in each stretch must not add up, as its positive half would.
        left = [monotone(cumulative(binned(stretch, column, int(stretch[-1]) + 1))) for column in remaining_ns.T]
        ran = np.diff(np.stack(left, axis=1), axis=0)[stretch]
        total = ran.sum(axis=1, keepdims=True)
        share = np.where(total > 0, ran / np.where(total > 0, total, 1.0), watts.share)
        rest_w = watts.active + (share * (watts.core + watts.shared)).sum(axis=1)
        self.rest = replace(placed_rate(load.edges, watts, placement), watts=rest_w)

    @property
    def edges(self) -> I64:
        return np.union1d(self.rest.edges, self._known.start_ns)

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        watts = self.rest.during(owner, a_ns, b_ns)
        row = self._row(owner, middle(a_ns, b_ns))
        has_row = np.flatnonzero(row >= 0)
        slot, row = slots_of(self.rest.edges, a_ns[has_row], b_ns[has_row]), row[has_row]
        on_cluster = self._watts.shared[slot] + self._known.ratio[row] * self._watts.core[slot]
        watts[has_row] = self._watts.active[slot] + (self._known.share[row] * on_cluster).sum(axis=1)
        return watts

    def uncovered(self, clocks: ThreadClocks) -> tuple[float, tuple[Reason, ...]]:
        """The share of the threads' CPU time that their time_in_state does not cover, and a reason if it is large enough."""
        knots = clocks.knots
        row = self._row(knots.owner[1:], middle(knots.t_ns[:-1], knots.t_ns[1:]))
        missing = clocks.share_of(row < 0)
        text = "of the threads' CPU time is at level thread-time: their own time_in_state was not read then"
        return missing, (Reason("no_thread_time_in_state", text, missing),) if missing >= MIN_REPORTED else ()

    def _row(self, owner: I64, t_ns: I64) -> I64:
        row = self._rows.at(owner, t_ns)
        if not len(self._known.owner):
            return row
        return np.where((row >= 0) & (t_ns < self._known.end_ns[row]), row, -1)


class Estimator:
    """Estimates where threads ran and their power, without their time_in_state: from their placement, or as all threads."""

    def __init__(self, load: Load, watts: CoreWatts, placement: Placement) -> None:
        self._edges, self._watts, self._placement = load.edges, watts, placement
        self._prior_ns = _PRIOR_SHARE * load.total_ns[:, None] * watts.share
        self._mean_w = watts.core.mean(axis=0)

    def expected(self, owner: int, from_ns: int, to_ns: int) -> Expected:
        """Expected CPU time and energy of one thread in the slots that overlap a span."""
        edges, placed = self._edges, self._placement
        first = max(int(np.searchsorted(edges, from_ns, side="right")) - 1, 0)
        last = max(int(np.searchsorted(edges, to_ns)), first + 1)
        ran = self._prior_ns[first:last].copy()
        rows = slice(*np.searchsorted(placed.owner, [owner, owner + 1]).tolist())
        slot = placed.slot[rows] - first
        inside = (slot >= 0) & (slot < len(ran))
        ran[slot[inside]] += (placed.spent_ns[rows, None] * placed.threads[rows])[inside]
        # A stretch has one share for each cluster, in all of its slots.
        drew = ran.sum(axis=1, keepdims=True) * self._watts.core[first:last]

        def curves(columns: F64) -> tuple[Curve, ...]:
            return tuple(Curve(edges[first : last + 1], cumulative(column)) for column in columns.T)

        return Expected(curves(ran), curves(drew), self._mean_w)


@dataclass(frozen=True, slots=True)
class Expected:
    """Expected cumulative CPU ns of a thread by cluster, and its watt-ns if it had run on this cluster alone."""

    ran: tuple[Curve, ...]
    drew: tuple[Curve, ...]
    mean_w: F64

    def between(self, edges: I64) -> tuple[F64, F64]:
        """By stretch and cluster: the cluster's share of the CPU time, and the watts of a core there."""
        ran = np.stack([np.diff(curve.at(edges)) for curve in self.ran], axis=1)
        drew = np.stack([np.diff(curve.at(edges)) for curve in self.drew], axis=1)
        total = ran.sum(axis=1, keepdims=True)
        some, whole = total > 0, np.where(total > 0, total, 1.0)
        return np.where(some, ran / whole, 1.0 / len(self.ran)), np.where(some, drew / whole, self.mean_w)


def residencies_of(threads: Sequence[Thread], clusters: Sequence[Cluster], estimator: Estimator, voltage_v: float) -> Residencies:
    """Read the residencies of all threads.

    Readings are in ticks of 10 ms. Adjacent ones are joined until five ticks have passed. A tenth of a tick of the expected
    residency is added, which decides where a thread with too few ticks ran.
    """
    wide = np.empty((0, len(clusters)))
    parts = [Residencies(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), wide, wide)]
    for owner, thread in enumerate(threads):
        if thread.residency and len(thread.residency[0].t_ns) > 1:
            first_ns, last_ns = thread.residency[0].t_ns[[0, -1]].tolist()
            parts.append(_of_thread(owner, thread, clusters, estimator.expected(owner, first_ns, last_ns), voltage_v))
    return Residencies.joined(parts)


def _of_thread(owner: int, thread: Thread, clusters: Sequence[Cluster], expected: Expected, voltage_v: float) -> Residencies:
    grid = thread.residency[0].t_ns
    ran_ns, drew = np.zeros((len(grid), len(clusters))), np.zeros((len(grid), len(clusters)))
    for number, cluster in enumerate(clusters):
        for table in thread.residency:
            if table.policy in cluster.cpus:
                ran_ns[:, number] = table.ns.sum(axis=1)
                drew[:, number] = table.ns @ cluster.power.core_ma_at(table.freq_khz) * (voltage_v / 1e3)
    kept = _stretches(ran_ns.sum(axis=1))
    share, watts = expected.between(grid[kept])
    ran = np.diff(ran_ns[kept], axis=0) + share * _PRIOR_NS
    average = ran * watts
    ratio = (np.diff(drew[kept], axis=0) + share * _PRIOR_NS * watts) / np.where(average > 0, average, 1.0)
    share = ran / ran.sum(axis=1, keepdims=True)
    return Residencies(np.full(len(share), owner), grid[kept][:-1], grid[kept][1:], share, np.where(average > 0, ratio, 1.0))


def _stretches(total_ns: F64) -> I64:
    """Indexes of the readings that bound stretches. In each stretch, the thread ran for at least five ticks."""
    bounds = [0]
    for i, value in enumerate(total_ns.tolist()):
        if value - total_ns[bounds[-1]] >= _ENOUGH_TICKS * _TICK_NS:
            bounds.append(i)
    if bounds[-1] != len(total_ns) - 1:
        bounds[max(len(bounds) - 1, 1) :] = [len(total_ns) - 1]  # the remaining readings join the last stretch
    return np.array(bounds, np.int64)
