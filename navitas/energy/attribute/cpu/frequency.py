"""Frequencies of the clusters in each slot, from time_in_state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.manifest import Policy
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import RunTables, TimeInState

_UNSEEN = 1e-9
_FOLLOWS_NS = 32_000_000


@dataclass(frozen=True, slots=True)
class Cluster:
    """CPUs that share a frequency: their currents, and their residency, None if not recorded.

    `is_policy`: the kernel says so. Otherwise, the power profile lists them together.
    """

    cpus: tuple[int, ...]
    power: ClusterPower
    residency: TimeInState | None
    is_policy: bool = True


def clusters_of(run: RunTables, policies: Sequence[Policy], power: CpuPower, *, is_imported: bool = False) -> tuple[Cluster, ...]:
    """Match the device's policies with the power profile's clusters, by common CPUs, or by position if there are none.

    Those of an imported recording are not the kernel's.
    """
    are_policies = bool(policies) and not is_imported
    if not policies:
        policies = [Policy(id=cluster.cpus[0], cpus=list(cluster.cpus)) for cluster in power.clusters]
    seen = {table.policy: table for table in run.cpu.time_in_state if len(table.t_ns) > 1 and np.any(table.ns[-1] > table.ns[0])}
    matched = []
    for position, policy in enumerate(sorted(policies, key=lambda policy: policy.id)):
        shared = [len(set(policy.cpus) & set(cluster.cpus)) for cluster in power.clusters]
        best = int(np.argmax(shared)) if any(shared) else min(position, len(power.clusters) - 1)
        matched.append(Cluster(tuple(policy.cpus), power.clusters[best], seen.get(policy.id), are_policies))
    return tuple(matched)


def slot_edges(run: RunTables, clusters: Sequence[Cluster]) -> I64:
    """Edges of the slots in which a running core's power counts as constant: the samples of the most finely sampled policy."""
    tables = [cluster.residency.t_ns for cluster in clusters if cluster.residency is not None]
    if not tables:
        tables = [clock.t_ns for clock in (run.cpu.process, run.cpu.stat) if clock is not None]
    finest = max(tables, key=len, default=np.empty(0, np.int64))
    inner = finest[(finest > run.start_ns) & (finest < run.end_ns)]
    return np.unique(np.concatenate([[run.start_ns], inner, [max(run.end_ns, run.start_ns + 1)]])).astype(np.int64)


def mix_per_slot(residency: TimeInState, edges: I64) -> F64:
    """Shares of time at each frequency in each slot, including idle time (rows sum to 1).

    Residency counts in ticks of 10 ms: samples without growth join the next ones.
    """
    growth, stretch = stretches(residency.t_ns, residency.ns, edges)
    return np.asarray((growth / growth.sum(axis=1, keepdims=True))[stretch], np.float64)


def running_mix(mix: F64, freq_khz: I64, running: F64, length_ns: F64) -> F64:
    """Shares of *running* time at each frequency, from shares of all time (rows: slots) and the share of time that a core ran.

    In a long slot, running time fills the frequencies from the highest down. The governor schedutil raises the frequency when
    a task wakes (to its previous need: util_est) and lowers it when nothing runs. So the idle time of a partly idle cluster is
    at its lower frequencies. The governor reacts within about 32 ms (PELT's half-life). In a shorter slot, running time is
    therefore distributed as all time is.
    """
    order = np.argsort(-freq_khz, kind="stable")
    falling = mix[:, order]
    above = np.cumsum(falling, axis=1) - falling
    taken = np.clip(running[:, None] - above, 0.0, falling) + _UNSEEN * falling
    filled = np.empty_like(taken)
    filled[:, order] = taken / taken.sum(axis=1, keepdims=True)
    follows = (length_ns / (length_ns + _FOLLOWS_NS))[:, None]
    return np.asarray(follows * filled + (1.0 - follows) * mix, np.float64)


def stretches(t_ns: I64, counter: I64, edges: I64) -> tuple[F64, I64]:
    """Growth of a counter between samples that differ, and the stretch (row of the growth) that contains each slot's middle."""
    grew = np.flatnonzero(np.append(True, np.diff(counter.sum(axis=1)) > 0))
    growth = np.maximum(np.diff(counter[grew], axis=0), 0).astype(np.float64)
    middle = edges[:-1] + np.diff(edges) // 2
    stretch = np.clip(np.searchsorted(t_ns[grew], middle, side="right") - 1, 0, max(len(growth) - 1, 0))
    return growth, stretch
