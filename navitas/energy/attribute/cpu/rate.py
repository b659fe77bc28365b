"""Power of a running core in each slot: AOSP's CPU model, with shared currents divided among the running cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.frequency import Cluster, mix_per_slot, running_mix
from navitas.power.model import PowerModel
from navitas.recording.parse.arrays import F64, I64

_ALWAYS = 1.0 - 1e-9


@dataclass(frozen=True, slots=True)
class Load:
    """CPU time used in each slot: an entry per known thread (`owner`) and slot; `rest_ns` has all other CPU time by slot."""

    edges: I64
    owner: I64
    slot: I64
    spent_ns: F64
    rest_ns: F64

    @property
    def total_ns(self) -> F64:
        """CPU time used in each slot."""
        return np.asarray(np.bincount(self.slot, self.spent_ns, len(self.rest_ns)) + self.rest_ns, np.float64)


@dataclass(frozen=True, slots=True)
class CoreWatts:
    """Watts of one running core in each slot: its share of `cpu.active`; by cluster (columns), its own and shared power.

    `share` is each cluster's share of the slot's CPU time.
    """

    active: F64
    share: F64
    core: F64
    shared: F64


def core_watts(load: Load, shares: F64, clusters: Sequence[Cluster], model: PowerModel) -> CoreWatts:
    """Watts of one running core in each slot: the core's own, its share of its cluster's and its share of `cpu.active`.

    `shares` has each CPU's share of a slot's CPU time (rows: slots; columns in the order of the clusters' CPUs).
    Source: AOSP CpuPowerCalculator; docs/how-it-measures.md, "What a running core costs".
    """
    cores = load.total_ns / np.diff(load.edges)
    watts = model.voltage_v / 1e3
    share, core, shared = (np.empty((len(cores), len(clusters))) for _ in range(3))
    column = 0
    for number, cluster in enumerate(clusters):
        cpu_shares = shares[:, column : column + len(cluster.cpus)]
        column += len(cluster.cpus)
        share[:, number] = cpu_shares.sum(axis=1)
        awake_per_core = _awake_per_core(load, cpu_shares)
        running = np.minimum(awake_per_core * share[:, number] * cores, 1.0)
        core[:, number] = _core_ma(cluster, load.edges, running) * watts
        shared[:, number] = awake_per_core * cluster.power.cluster_ma * watts
    return CoreWatts(model.cpu.active_ma * _awake_per_core(load, shares) * watts, share, core, shared)


def _core_ma(cluster: Cluster, edges: I64, running: F64) -> F64:
    """Mean current of a cluster's running core in each slot; without residency, the current of the middle operating point."""
    table = cluster.residency
    if table is None:
        return np.full(len(running), cluster.power.core_ma[len(cluster.power.core_ma) // 2])
    mix = running_mix(mix_per_slot(table, edges), table.freq_khz, running, np.diff(edges).astype(np.float64))
    return np.asarray(mix @ cluster.power.core_ma_at(table.freq_khz), np.float64)


def _awake_per_core(load: Load, shares: F64) -> F64:
    """The time in which at least one core of a set runs, divided by the sum of the cores' running times (0 … 1].

    Only sums of time are known, so overlaps are estimated, as if either cores or threads ran independently. The estimate from
    cores is too low if a thread moves between cores. The one from threads is too low if threads take turns on a core; CPU time
    of no known thread counts as the smallest possible number of threads. The result is the higher estimate, limited by the
    sum of running times.
    """
    length = np.diff(load.edges).astype(np.float64)
    share, cores = shares.sum(axis=1), load.total_ns / length
    by_core = 1.0 - np.prod(1.0 - np.minimum(shares * cores[:, None], 1.0), axis=1)
    by_thread = np.bincount(load.slot, _log_idle(load.spent_ns / length[load.slot] * share[load.slot]), len(length))
    full, fraction = np.divmod(load.rest_ns / length, 1.0)
    log_idle = by_thread + full * _log_idle(share) + _log_idle(fraction * share)
    busy = share * cores
    awake = np.minimum(np.maximum(by_core, 1.0 - np.exp(log_idle)), np.minimum(busy, 1.0))
    return np.where(busy > 1e-9, awake / np.maximum(busy, 1e-9), 1.0)


def _log_idle(load: F64) -> F64:
    return np.asarray(np.log1p(-np.clip(load, 0.0, _ALWAYS)), np.float64)
