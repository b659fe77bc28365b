"""Which CPUs the work of each slot ran on, from /proc/stat and from what the governor made of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.curves import F64
from navitas.attribute.frequency import Cluster, mix_per_slot, stretches
from navitas.parse.tables import I64, CpuStat

_AT_LOWEST = 0.02
_ROUNDS = 30


def cpu_shares(stat: CpuStat | None, clusters: Sequence[Cluster], edges: I64, load_ns: F64) -> F64:
    """Each CPU's share of a slot's CPU time (rows: slots, sum 1; columns in the order of the clusters' CPUs).

    /proc/stat says how much each CPU ran in some 200 ms, time_in_state which clusters were busy when: the shares are the
    nearest to `governed_weights` with which the slots' CPU time `load_ns` adds up to what /proc/stat saw (iterative proportional
    fitting). Without /proc/stat the weights stand alone.
    """
    weight = governed_weights(clusters, edges)
    sizes = [len(cluster.cpus) for cluster in clusters]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of_cluster = np.repeat(np.arange(len(sizes)), sizes)
    evenly = weight[:, of_cluster] / np.array(sizes)[of_cluster]
    if stat is None:
        return np.asarray(evenly, np.float64)
    growth, stretch = stretches(stat.t_ns, _busy(stat, [cpu for cluster in clusters for cpu in cluster.cpus]), edges)
    if not len(growth):
        return np.asarray(evenly, np.float64)
    by_cluster = np.add.reduceat(growth, first, axis=1)
    fitted = _fitted(weight, load_ns, by_cluster, stretch)
    within = growth / np.maximum(by_cluster, 1.0)[:, of_cluster]
    return np.asarray(fitted[:, of_cluster] * within[stretch], np.float64)


def governed_weights(clusters: Sequence[Cluster], edges: I64) -> F64:
    """A guess at the clusters' shares of each slot's work (rows sum to 1).

    A governor raises the frequency of a cluster that works, so a cluster counts by how far above its lowest one it stayed, and
    a little when it did not.
    """
    weights = np.full((len(edges) - 1, len(clusters)), _AT_LOWEST)
    for column, cluster in enumerate(clusters):
        if cluster.residency is not None:
            freq = cluster.residency.freq_khz.astype(np.float64)
            weights[:, column] += mix_per_slot(cluster.residency, edges) @ ((freq - freq.min()) / max(freq.max(), 1.0))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)


def _busy(stat: CpuStat, cpus: Sequence[int]) -> I64:
    known = {cpu: column for column, cpu in enumerate(stat.cpus)}
    busy = np.zeros((len(stat.t_ns), len(cpus)), np.int64)
    for column, cpu in enumerate(cpus):
        if cpu in known:
            busy[:, column] = stat.busy_ns[:, known[cpu]]
    return busy


def _fitted(weight: F64, load_ns: F64, by_cluster: F64, stretch: I64) -> F64:
    """Fit the weights: rows keep the sum 1, and each stretch's clusters get their part of its load."""
    load = np.maximum(load_ns, 1.0)
    wanted = by_cluster / by_cluster.sum(axis=1, keepdims=True)
    wanted *= np.bincount(stretch, load, len(by_cluster))[:, None]
    for _ in range(_ROUNDS):
        for column in range(weight.shape[1]):
            found = np.bincount(stretch, load * weight[:, column], len(by_cluster))
            weight[:, column] *= (wanted[:, column] / np.maximum(found, 1e-9))[stretch]
        weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    return weight
