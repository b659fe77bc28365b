"""Shares of the CPUs and clusters in each slot's work, from /proc/stat and the governor's frequencies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.energy.attribute.cpu.frequency import Cluster, mix_per_slot, stretches
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
