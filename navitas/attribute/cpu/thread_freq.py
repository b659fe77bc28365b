"""Level *thread-freq*: rates of threads from their own time_in_state: on which clusters each ran, and how fast there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from navitas.attribute.cpu.energy import SlotRate, slots_of
from navitas.attribute.cpu.frequency import Cluster
from navitas.attribute.cpu.placement import Placement
from navitas.attribute.cpu.rate import CoreWatts, Load
from navitas.attribute.cpu.rows_by_time import RowsByTime
from navitas.attribute.cpu.thread_clocks import NOTED, ThreadClocks
from navitas.attribute.curves import Curve, middle
from navitas.parse.arrays import F64, I64
from navitas.parse.reasons import Reason
from navitas.parse.tables import Thread

_TICK_NS = 10_000_000
_ENOUGH_TICKS = 5
_PRIOR_NS = _TICK_NS / 10
_HARDLY = 1e-6


@dataclass(frozen=True, slots=True)
class Residencies:
    """Where threads ran, stretch by stretch, by owner, then time.

    By cluster (columns): `part` of the CPU time was spent there, where the core drew `ratio` times what cores did on average.
    """

    owner: I64
    start_ns: I64
    end_ns: I64
    part: F64
    ratio: F64


class ThreadFreqRate:
    """Watts by thread where its time_in_state is known; everything else has the rate `of_rest`.

    The rest ran where CPU time was spent and threads with time_in_state did not run. Slots are joined until it ran five ticks.
    """

    def __init__(self, load: Load, watts: CoreWatts, seen: Residencies) -> None:
        self._watts, self._seen = watts, seen
        self._rows = RowsByTime(seen.owner, seen.start_ns)
        row = self._row(load.owner, middle(load.edges[load.slot], load.edges[load.slot + 1]))
        left = load.total_ns[:, None] * watts.part
        known = row >= 0
        np.subtract.at(left, load.slot[known], load.spent_ns[known, None] * seen.part[row[known]])
        stretch = (np.cumsum(left.sum(axis=1)).clip(0.0) // (_ENOUGH_TICKS * _TICK_NS)).astype(np.int64)
        stretch = np.cumsum(np.diff(np.maximum.accumulate(stretch), prepend=stretch[0]) > 0)
        ran = np.stack([np.bincount(stretch, column) for column in left.T], axis=1).clip(0.0)[stretch]
        total = ran.sum(axis=1, keepdims=True)
        part = np.where(total > 0, ran / np.where(total > 0, total, 1.0), watts.part)
        self.of_rest = SlotRate(load.edges, watts.active + (part * (watts.core + watts.shared)).sum(axis=1))

    @property
    def edges(self) -> I64:
        """As `Rate.edges`."""
        return np.union1d(self.of_rest.edges, self._seen.start_ns)

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        """As `Rate.during`."""
        watts = self.of_rest.during(owner, a_ns, b_ns)
        row = self._row(owner, middle(a_ns, b_ns))
        known = np.flatnonzero(row >= 0)
        slot, row = slots_of(self.of_rest.edges, a_ns[known], b_ns[known]), row[known]
        on_cluster = self._watts.shared[slot] + self._seen.ratio[row] * self._watts.core[slot]
        watts[known] = self._watts.active[slot] + (self._seen.part[row] * on_cluster).sum(axis=1)
        return watts

    def uncovered(self, clocks: ThreadClocks) -> tuple[float, tuple[Reason, ...]]:
        """The share of the threads' CPU time that their time_in_state does not cover, and a reason if it is noticeable."""
        knots = clocks.knots
        row = self._row(knots.owner[1:], middle(knots.t_ns[:-1], knots.t_ns[1:]))
        missing = clocks.share_of(row < 0)
        text = "of the threads' CPU time is at level thread-time: their own time_in_state was not read then"
        return missing, (Reason("no_thread_time_in_state", text, missing),) if missing >= NOTED else ()

    def _row(self, owner: I64, t_ns: I64) -> I64:
        row = self._rows.at(owner, t_ns)
        if not len(self._seen.owner):
            return row
        return np.where((row >= 0) & (t_ns < self._seen.end_ns[row]), row, -1)


class Guess:
    """Estimates of where threads ran and what they drew without time_in_state: from their placement, else as all threads."""

    def __init__(self, load: Load, watts: CoreWatts, placement: Placement) -> None:
        self._edges, self._watts, self._placement = load.edges, watts, placement
        self._hardly = _HARDLY * load.total_ns[:, None] * watts.part
        self._mean_w = watts.core.mean(axis=0)

    def expected(self, owner: int, from_ns: int, to_ns: int) -> Expected:
        """What one thread is expected to have done, in the slots that overlap a span."""
        edges, placed = self._edges, self._placement
        first = max(int(np.searchsorted(edges, from_ns, side="right")) - 1, 0)
        last = max(int(np.searchsorted(edges, to_ns)), first + 1)
        ran = self._hardly[first:last].copy()
        own = slice(*np.searchsorted(placed.owner, [owner, owner + 1]).tolist())
        slot = placed.slot[own] - first
        inside = (slot >= 0) & (slot < len(ran))
        ran[slot[inside]] += (placed.spent_ns[own, None] * placed.threads[own])[inside]
        drew = ran * self._watts.core[first:last]

        def curves(columns: F64) -> tuple[Curve, ...]:
            return tuple(Curve(edges[first : last + 1], np.append(0.0, np.cumsum(column))) for column in columns.T)

        return Expected(curves(ran), curves(drew), self._mean_w)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a thread is thought to have done: by cluster, cumulative CPU ns and watt-ns."""

    ran: tuple[Curve, ...]
    drew: tuple[Curve, ...]
    mean_w: F64

    def between(self, edges: I64) -> tuple[F64, F64]:
        """By stretch and cluster: the part of the CPU time that was spent there, and the watts of a core there."""
        ran = np.stack([np.diff(curve.at(edges)) for curve in self.ran], axis=1)
        drew = np.stack([np.diff(curve.at(edges)) for curve in self.drew], axis=1)
        watts = np.where(ran > 0, drew / np.where(ran > 0, ran, 1.0), self.mean_w)
        total = ran.sum(axis=1, keepdims=True)
        return np.where(total > 0, ran / np.where(total > 0, total, 1.0), 1.0 / len(self.ran)), watts


def residencies_of(threads: Sequence[Thread], clusters: Sequence[Cluster], guess: Guess, voltage_v: float) -> Residencies:
    """Read all threads' tables.

    Readings come in ticks of 10 ms: neighbours are joined until five ticks have passed, and a tenth of a tick of what is expected
    of the thread is added: so one that hardly ran is taken to have run there.
    """
    wide = np.empty((0, len(clusters)))
    parts = [Residencies(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), wide, wide)]
    for owner, thread in enumerate(threads):
        if thread.residency and len(thread.residency[0].t_ns) > 1:
            first_ns, last_ns = thread.residency[0].t_ns[[0, -1]].tolist()
            parts.append(_of_thread(owner, thread, clusters, guess.expected(owner, first_ns, last_ns), voltage_v))
    return Residencies(*(np.concatenate([getattr(part, name.name) for part in parts]) for name in fields(Residencies)))


def _of_thread(owner: int, thread: Thread, clusters: Sequence[Cluster], thought: Expected, voltage_v: float) -> Residencies:
    grid = thread.residency[0].t_ns
    ran_ns, drew = np.zeros((len(grid), len(clusters))), np.zeros((len(grid), len(clusters)))
    for number, cluster in enumerate(clusters):
        for table in thread.residency:
            if table.policy in cluster.cpus:
                ran_ns[:, number] = table.ns.sum(axis=1)
                drew[:, number] = table.ns @ cluster.power.core_ma_at(table.freq_khz) * (voltage_v / 1e3)
    kept = _stretches(ran_ns.sum(axis=1))
    part, watts = thought.between(grid[kept])
    ran = np.diff(ran_ns[kept], axis=0) + part * _PRIOR_NS
    expected = ran * watts
    ratio = (np.diff(drew[kept], axis=0) + part * _PRIOR_NS * watts) / np.where(expected > 0, expected, 1.0)
    part = ran / ran.sum(axis=1, keepdims=True)
    return Residencies(np.full(len(part), owner), grid[kept][:-1], grid[kept][1:], part, np.where(expected > 0, ratio, 1.0))


def _stretches(total_ns: F64) -> I64:
    """Readings that end a stretch in which the thread ran for some ticks; the first and the last always do."""
    kept = [0]
    for i, value in enumerate(total_ns.tolist()):
        if value - total_ns[kept[-1]] >= _ENOUGH_TICKS * _TICK_NS:
            kept.append(i)
    if kept[-1] != len(total_ns) - 1:
        kept[max(len(kept) - 1, 1) :] = [len(total_ns) - 1]  # what is left joins the last stretch
    return np.array(kept, np.int64)
