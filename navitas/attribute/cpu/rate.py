"""What a running core costs, slot by slot: AOSP's CPU model, shared among the cores that run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.cpu.frequency import Cluster, mix_per_slot, running_mix
from navitas.parse.arrays import F64, I64
from navitas.power.model import PowerModel

_ALWAYS = 1.0 - 1e-9


@dataclass(frozen=True, slots=True)
class Load:
    """What used CPU in each slot: known threads, one entry a thread (`owner`) and slot it ran in, and all else in `rest_ns`."""

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
    """Watts that one running core bears in each slot: of `cpu.active`, and by cluster (columns) if it runs there.

    `part` is each cluster's part of the slot's CPU time.
    """

    active: F64
    part: F64
    core: F64
    shared: F64


def core_watts(load: Load, shares: F64, clusters: Sequence[Cluster], model: PowerModel) -> CoreWatts:
    """Watts of one core that runs, in each slot: the core, its part of its cluster and its part of `cpu.active`.

    `shares` are the CPUs' shares of a slot's CPU time (rows: slots; columns in the order of the clusters' CPUs).
    Source: AOSP CpuPowerCalculator; docs/how-it-measures.md, "What a running core costs".
    """
    cores = load.total_ns / np.diff(load.edges)
    watts = model.voltage_v / 1e3
    part, core, shared = (np.empty((len(cores), len(clusters))) for _ in range(3))
    column = 0
    for number, cluster in enumerate(clusters):
        own = shares[:, column : column + len(cluster.cpus)]
        column += len(cluster.cpus)
        part[:, number] = own.sum(axis=1)
        on_per_core = _on_per_core(load, own)
        running = np.minimum(on_per_core * part[:, number] * cores, 1.0)
        core[:, number] = _core_ma(cluster, load.edges, running) * watts
        shared[:, number] = on_per_core * cluster.power.cluster_ma * watts
    return CoreWatts(model.cpu.active_ma * _on_per_core(load, shares) * watts, part, core, shared)


def _core_ma(cluster: Cluster, edges: I64, running: F64) -> F64:
    """Mean current of a running core of a cluster in each slot; without residency that of its middle operating point."""
    table = cluster.residency
    if table is None:
        return np.full(len(running), cluster.power.core_ma[len(cluster.power.core_ma) // 2])
    mix = running_mix(mix_per_slot(table, edges), table.freq_khz, running, np.diff(edges).astype(np.float64))
    return np.asarray(mix @ cluster.power.core_ma_at(table.freq_khz), np.float64)


def _on_per_core(load: Load, shares: F64) -> F64:
    """Time in which at least one of some cores runs, over the sum of their running times (0 … 1].

    Only sums are known. Two estimates take what they add up as independent: cores (too low when a thread moves between cores),
    and threads (too low when threads take turns on a core; all that no thread shows counts as as few as can have run it). The
    higher one holds, and never more than the sum of running times.
    """
    length = np.diff(load.edges).astype(np.float64)
    part, cores = shares.sum(axis=1), load.total_ns / length
    by_core = 1.0 - np.prod(1.0 - np.minimum(shares * cores[:, None], 1.0), axis=1)
    by_thread = np.bincount(load.slot, _log_idle(load.spent_ns / length[load.slot] * part[load.slot]), len(length))
    full, some = np.divmod(load.rest_ns / length, 1.0)
    log_idle = by_thread + full * _log_idle(part) + _log_idle(some * part)
    busy = part * cores
    on = np.minimum(np.maximum(by_core, 1.0 - np.exp(log_idle)), np.minimum(busy, 1.0))
    return np.where(busy > 1e-9, on / np.maximum(busy, 1e-9), 1.0)


def _log_idle(load: F64) -> F64:
    return np.asarray(np.log1p(-np.clip(load, 0.0, _ALWAYS)), np.float64)
