"""On which clusters each thread ran, slot by slot, without a record of it: from what all ran, and how much each needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.cpu.energy import SlotRate
from navitas.attribute.cpu.frequency import Cluster, mix_per_slot
from navitas.attribute.cpu.rate import CoreWatts, Load
from navitas.attribute.cpu.shares import cluster_growth, governed_weights
from navitas.attribute.curves import Knots
from navitas.parse.arrays import F64, I64
from navitas.parse.tables import CpuStat

_ROUNDS = 30
_GUESSES = 3
# Two half-lives of the utilisation by which the kernel places a thread (PELT).
_MEMORY_NS = 64_000_000
_LEAST_NEED = 1e-3
# The number of threads is unknown; one would count as a heavy thread where many light ones ran.
_THREADS_OF_REST = 2
_STEEPNESS = 2.0


@dataclass(frozen=True, slots=True)
class Placement:
    """By cluster (columns), parts of CPU time: of the thread `owner` in `slot`, by owner, then slot; and of all else by slot."""

    owner: I64
    slot: I64
    spent_ns: F64
    threads: F64
    rest: F64


@dataclass(frozen=True, slots=True)
class Work:
    """CPU time of threads (an entry a thread and slot), then of all else (one a slot); `busy` is how much of a core each used."""

    slot: I64
    spent_ns: F64
    busy: F64


def work_of(load: Load, knots: Knots, cpu_ns: F64) -> tuple[I64, Work]:
    """The owners of the threads' entries, and all entries. A thread is as busy as in the last 64 ms: the kernel remembers."""
    ran = load.spent_ns > 0
    owner, slot, spent_ns = load.owner[ran], load.slot[ran], load.spent_ns[ran]
    end_ns = load.edges[slot + 1]
    span_ns = np.maximum(_MEMORY_NS, end_ns - load.edges[slot])
    of_late = knots.place(owner, end_ns).read(cpu_ns) - knots.place(owner, end_ns - span_ns).read(cpu_ns)
    rest_ns = np.maximum(load.rest_ns, 0.0)
    busy = np.concatenate([of_late / span_ns, rest_ns / np.diff(load.edges) / _THREADS_OF_REST])
    return owner, Work(np.append(slot, np.arange(len(rest_ns))), np.append(spent_ns, rest_ns), np.minimum(busy, 1.0))


def place(stat: CpuStat | None, clusters: Sequence[Cluster], load: Load, knots: Knots, cpu_ns: F64) -> Placement:
    """Put every thread's work on clusters (docs/how-it-measures.md, "Which cluster a thread ran on")."""
    owner, work = work_of(load, knots, cpu_ns)
    governed = governed_weights(clusters, load.edges)
    part = governed[work.slot]
    growth = cluster_growth(stat, clusters, load.edges)
    if growth is not None:
        by_cluster, stretch = growth
        speed = _speeds(clusters, load.edges)[work.slot]
        need = work.busy
        for _ in range(_GUESSES):
            part = governed[work.slot] * _fits(clusters, need)
            part = _fitted(part, work.spent_ns, by_cluster, stretch[work.slot])
            need = work.busy * (part * speed).sum(axis=1)
    count = len(owner)
    return Placement(owner, work.slot[:count], work.spent_ns[:count], part[:count], part[count:])


def _speeds(clusters: Sequence[Cluster], edges: I64) -> F64:
    """How fast each cluster was in each slot, beside the highest frequency of all."""
    tables = [cluster.residency for cluster in clusters]
    middle = [float(cluster.power.freq_khz[len(cluster.power.freq_khz) // 2]) for cluster in clusters]
    mean = [
        np.full(len(edges) - 1, khz) if table is None else mix_per_slot(table, edges) @ table.freq_khz
        for table, khz in zip(tables, middle, strict=True)
    ]
    return np.stack(mean, axis=1) / max(float(cluster.power.freq_khz.max()) for cluster in clusters)


def _fits(clusters: Sequence[Cluster], need: F64) -> F64:
    """How likely a scheduler puts what needs so much of a core there: what needs little goes to small cores (kernel: EAS)."""
    order = np.argsort([cluster.power.core_ma.max() for cluster in clusters], kind="stable")
    rank = np.argsort(order)
    return np.asarray(np.maximum(need, _LEAST_NEED)[:, None] ** (_STEEPNESS * rank), np.float64)


def _fitted(part: F64, spent_ns: F64, by_cluster: F64, stretch: I64) -> F64:
    """Iterative proportional fitting: rows keep the sum 1, and each stretch's clusters get their part of its CPU time."""
    spent = np.maximum(spent_ns, 1.0)
    wanted = by_cluster / by_cluster.sum(axis=1, keepdims=True)
    wanted *= np.bincount(stretch, spent, len(by_cluster))[:, None]
    part = part / part.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        for column in range(part.shape[1]):
            found = np.bincount(stretch, spent * part[:, column], len(by_cluster))
            part[:, column] *= (wanted[:, column] / np.maximum(found, 1e-9))[stretch]
        part /= np.maximum(part.sum(axis=1, keepdims=True), 1e-300)
    return part


def of_slots(placement: Placement, load: Load) -> F64:
    """By slot and cluster, the part of all CPU time that was spent there."""
    rest = np.maximum(load.rest_ns, 1.0)[:, None] * placement.rest
    spent = [
        np.bincount(placement.slot, np.maximum(placement.spent_ns, 1.0) * column, len(rest)) for column in placement.threads.T
    ]
    total = rest + np.stack(spent, axis=1)
    return np.asarray(total / total.sum(axis=1, keepdims=True), np.float64)


def placed_rate(edges: I64, watts: CoreWatts, placement: Placement) -> SlotRate:
    """What each thread, and all else, draws on the clusters that it is on."""
    on_cluster = watts.core + watts.shared
    own_w = watts.active[placement.slot] + (placement.threads * on_cluster[placement.slot]).sum(axis=1)
    rest_w = watts.active + (placement.rest * on_cluster).sum(axis=1)
    return SlotRate(edges, rest_w, placement.owner * len(rest_w) + placement.slot, own_w)
