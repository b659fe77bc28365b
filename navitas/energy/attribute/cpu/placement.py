"""Estimates of the clusters that each thread ran on in each slot, and of each CPU's share of the slot's work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.rate import Cluster, CoreWatts, Load, SlotRate, mix_per_slot, stretches
from navitas.energy.attribute.curves import Knots
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import CpuStat

_MIN_WEIGHT = 0.02


def cluster_growth(stat: CpuStat | None, clusters: Sequence[Cluster], edges: I64) -> tuple[F64, I64] | None:
    """Busy time of the clusters in each stretch of /proc/stat, and each slot's stretch; None without /proc/stat."""
    growth = _growth(stat, clusters, edges)
    if growth is None:
        return None
    return np.asarray(np.add.reduceat(growth[0], _first_columns(clusters), axis=1), np.float64), growth[1]


def cpu_shares(stat: CpuStat | None, clusters: Sequence[Cluster], edges: I64, by_cluster: F64) -> F64:
    """Each CPU's share of a slot's CPU time (rows: slots; columns in the order of the clusters' CPUs).

    `by_cluster` has the clusters' shares. CPUs of a cluster divide its share as in /proc/stat, or equally without it.
    """
    sizes = [len(cluster.cpus) for cluster in clusters]
    cluster_number = np.repeat(np.arange(len(sizes)), sizes)
    growth = _growth(stat, clusters, edges)
    if growth is None:
        return np.asarray(by_cluster[:, cluster_number] / np.array(sizes)[cluster_number], np.float64)
    by_cpu, stretch = growth
    cluster_ns = np.add.reduceat(by_cpu, _first_columns(clusters), axis=1)
    within = by_cpu / np.maximum(cluster_ns, 1.0)[:, cluster_number]
    return np.asarray(by_cluster[:, cluster_number] * within[stretch], np.float64)


def governed_weights(clusters: Sequence[Cluster], edges: I64) -> F64:
    """A first estimate of the clusters' shares of each slot's work (rows sum to 1).

    A governor raises the frequency of a busy cluster. So a cluster's weight is its mean frequency above its lowest one, plus a
    small constant.
    """
    weights = np.full((len(edges) - 1, len(clusters)), _MIN_WEIGHT)
    for column, cluster in enumerate(clusters):
        if cluster.residency is not None:
            freq = cluster.residency.freq_khz.astype(np.float64)
            weights[:, column] += mix_per_slot(cluster.residency, edges) @ ((freq - freq.min()) / max(freq.max(), 1.0))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)


def _busy(stat: CpuStat, cpus: Sequence[int]) -> I64:
    column_of_cpu = {cpu: column for column, cpu in enumerate(stat.cpus)}
    busy = np.zeros((len(stat.t_ns), len(cpus)), np.int64)
    for column, cpu in enumerate(cpus):
        if cpu in column_of_cpu:
            busy[:, column] = stat.busy_ns[:, column_of_cpu[cpu]]
    return busy


def _growth(stat: CpuStat | None, clusters: Sequence[Cluster], edges: I64) -> tuple[F64, I64] | None:
    if stat is None or len(stat.t_ns) < 2:
        return None
    growth, stretch = stretches(stat.t_ns, _busy(stat, [cpu for cluster in clusters for cpu in cluster.cpus]), edges)
    return (growth, stretch) if len(growth) else None


def _first_columns(clusters: Sequence[Cluster]) -> I64:
    return np.cumsum([0, *(len(cluster.cpus) for cluster in clusters[:-1])])


_FITTING_ROUNDS = 30
_PLACEMENT_ROUNDS = 3
# Two half-lives of the utilization that the kernel places a thread by (PELT).
_MEMORY_NS = 64_000_000
_MIN_NEED = 1e-3
# The number of threads is unknown. With one, many light threads would count as a heavy one.
_THREADS_OF_REST = 2
_STEEPNESS = 2.0


@dataclass(frozen=True, slots=True)
class Placement:
    """Shares of CPU time by cluster (columns).

    `threads` has a row per thread (`owner`) and slot, sorted by owner, then slot; `rest` has a row per slot for all other
    CPU time.
    """

    owner: I64
    slot: I64
    spent_ns: F64
    threads: F64
    rest: F64


@dataclass(frozen=True, slots=True)
class Work:
    """CPU time of threads (an entry per thread and slot), then all other CPU time (an entry per slot).

    `busy` is the share of a core's time that each entry used.
    """

    slot: I64
    spent_ns: F64
    busy: F64


def work_of(load: Load, knots: Knots, cpu_ns: F64) -> tuple[I64, Work]:
    """The owners of the threads' entries, and all entries. Threads' `busy` covers at least 64 ms, like the kernel's."""
    ran = load.spent_ns > 0
    owner, slot, spent_ns = load.owner[ran], load.slot[ran], load.spent_ns[ran]
    end_ns = load.edges[slot + 1]
    span_ns = np.maximum(_MEMORY_NS, end_ns - load.edges[slot])
    recent_ns = knots.place(owner, end_ns).read(cpu_ns) - knots.place(owner, end_ns - span_ns).read(cpu_ns)
    rest_ns = np.maximum(load.rest_ns, 0.0)
    busy = np.concatenate([recent_ns / span_ns, rest_ns / np.diff(load.edges) / _THREADS_OF_REST])
    return owner, Work(np.append(slot, np.arange(len(rest_ns))), np.append(spent_ns, rest_ns), np.minimum(busy, 1.0))


def place(stat: CpuStat | None, clusters: Sequence[Cluster], load: Load, knots: Knots, cpu_ns: F64) -> Placement:
    """Estimate the clusters of every thread's work (docs/how-it-measures.md, "Which cluster a thread ran on")."""
    owner, work = work_of(load, knots, cpu_ns)
    governed = governed_weights(clusters, load.edges)
    share = governed[work.slot]
    growth = cluster_growth(stat, clusters, load.edges)
    if growth is not None:
        by_cluster, stretch = growth
        speed = _speeds(clusters, load.edges)[work.slot]
        need = work.busy
        for _ in range(_PLACEMENT_ROUNDS):
            share = governed[work.slot] * _cluster_weights(clusters, need)
            share = _fitted(share, work.spent_ns, by_cluster, stretch[work.slot])
            need = work.busy * (share * speed).sum(axis=1)
    count = len(owner)
    return Placement(owner, work.slot[:count], work.spent_ns[:count], share[:count], share[count:])


def _speeds(clusters: Sequence[Cluster], edges: I64) -> F64:
    """The mean frequency of each cluster in each slot, relative to the highest frequency of all clusters."""
    tables = [cluster.residency for cluster in clusters]
    middle = [float(cluster.power.freq_khz[len(cluster.power.freq_khz) // 2]) for cluster in clusters]
    mean = [
        np.full(len(edges) - 1, khz) if table is None else mix_per_slot(table, edges) @ table.freq_khz
        for table, khz in zip(tables, middle, strict=True)
    ]
    return np.stack(mean, axis=1) / max(float(cluster.power.freq_khz.max()) for cluster in clusters)


def _cluster_weights(clusters: Sequence[Cluster], need: F64) -> F64:
    """Weights of the clusters for work that needs this share of a core. The scheduler (EAS) puts light work on small cores."""
    order = np.argsort([cluster.power.core_ma.max() for cluster in clusters], kind="stable")
    rank = np.argsort(order)
    return np.asarray(np.maximum(need, _MIN_NEED)[:, None] ** (_STEEPNESS * rank), np.float64)


def _fitted(share: F64, spent_ns: F64, by_cluster: F64, stretch: I64) -> F64:
    """Iterative proportional fitting: rows sum to 1, and each cluster's total in a stretch matches its share of busy time."""
    spent = np.maximum(spent_ns, 1.0)
    target = by_cluster / by_cluster.sum(axis=1, keepdims=True)
    target *= np.bincount(stretch, spent, len(by_cluster))[:, None]
    share = share / share.sum(axis=1, keepdims=True)
    for _ in range(_FITTING_ROUNDS):
        for column in range(share.shape[1]):
            current = np.bincount(stretch, spent * share[:, column], len(by_cluster))
            share[:, column] *= (target[:, column] / np.maximum(current, 1e-9))[stretch]
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
    return share


def slot_shares(placement: Placement, load: Load) -> F64:
    """Each cluster's share (columns) of all CPU time in each slot (rows)."""
    rest = np.maximum(load.rest_ns, 1.0)[:, None] * placement.rest
    spent = [
        np.bincount(placement.slot, np.maximum(placement.spent_ns, 1.0) * column, len(rest)) for column in placement.threads.T
    ]
    total = rest + np.stack(spent, axis=1)
    return np.asarray(total / total.sum(axis=1, keepdims=True), np.float64)


def placed_rate(edges: I64, watts: CoreWatts, placement: Placement) -> SlotRate:
    """The watts of each thread, and of all other CPU time, averaged over their clusters."""
    on_cluster = watts.core + watts.shared
    thread_w = watts.active[placement.slot] + (placement.threads * on_cluster[placement.slot]).sum(axis=1)
    rest_w = watts.active + (placement.rest * on_cluster).sum(axis=1)
    return SlotRate(edges, rest_w, placement.owner * len(rest_w) + placement.slot, thread_w)
