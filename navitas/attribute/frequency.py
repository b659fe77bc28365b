"""Which clusters ran at which frequencies, slot by slot, from time_in_state and /proc/stat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import F64
from navitas.parse.tables import I64, CpuStat, RunTables, TimeInState
from navitas.power.model import ClusterPower, CpuPower
from navitas.recording.manifest import Policy


@dataclass(frozen=True, slots=True)
class Cluster:
    """CPUs that share a frequency: their currents, and their residency where it was recorded."""

    cpus: tuple[int, ...]
    power: ClusterPower
    residency: TimeInState | None


def clusters_of(run: RunTables, policies: Sequence[Policy], power: CpuPower) -> tuple[Cluster, ...]:
    """The device's policies with the power profile's clusters; one that shares no CPU with a policy is matched by position."""
    if not policies:
        policies = [Policy(id=cluster.cpus[0], cpus=list(cluster.cpus)) for cluster in power.clusters]
    seen = {table.policy: table for table in run.time_in_state if len(table.t_ns) > 1 and np.any(table.ns[-1] > table.ns[0])}
    found = []
    for position, policy in enumerate(sorted(policies, key=lambda policy: policy.id)):
        shared = [len(set(policy.cpus) & set(cluster.cpus)) for cluster in power.clusters]
        best = int(np.argmax(shared)) if any(shared) else min(position, len(power.clusters) - 1)
        found.append(Cluster(tuple(policy.cpus), power.clusters[best], seen.get(policy.id)))
    return tuple(found)


def slot_edges(run: RunTables, clusters: Sequence[Cluster]) -> I64:
    """Edges of the slots in which the power of a running core is taken as constant: the samples of the finest time_in_state."""
    tables = [cluster.residency.t_ns for cluster in clusters if cluster.residency is not None]
    if not tables:
        tables = [clock.t_ns for clock in (run.process_cpu, run.cpu_stat) if clock is not None]
    finest = max(tables, key=len, default=np.empty(0, np.int64))
    inner = finest[(finest > run.start_ns) & (finest < run.end_ns)]
    return np.unique(np.concatenate([[run.start_ns], inner, [max(run.end_ns, run.start_ns + 1)]])).astype(np.int64)


def mix_per_slot(residency: TimeInState, edges: I64) -> F64:
    """Shares of time at each frequency in each slot, idle time included (rows sum to 1).

    Residency moves in ticks of 10 ms: a stretch of samples without any movement joins the next one.
    """
    return _rates(residency.t_ns, residency.ns, edges)


def shares_per_slot(stat: CpuStat, cpus: Sequence[int], edges: I64) -> F64:
    """Each CPU's share of all busy time in each slot, as in the /proc/stat interval around it (rows sum to 1)."""
    known = {cpu: column for column, cpu in enumerate(stat.cpus)}
    busy = np.zeros((len(stat.t_ns), len(cpus)), np.int64)
    for column, cpu in enumerate(cpus):
        if cpu in known:
            busy[:, column] = stat.busy_ns[:, known[cpu]]
    return _rates(stat.t_ns, busy, edges)


def assumed_shares(clusters: Sequence[Cluster], edges: I64) -> F64:
    """Shares of the CPUs without /proc/stat: a governor raises the frequency of a cluster that works.

    Each core counts by how far its cluster stays above its lowest frequency; all alike when none does.
    """
    columns = []
    for cluster in clusters:
        weight = np.full(len(edges) - 1, 1e-3)
        if cluster.residency is not None:
            freq = cluster.residency.freq_khz.astype(np.float64)
            weight += mix_per_slot(cluster.residency, edges) @ ((freq - freq.min()) / freq.max())
        columns += [weight] * len(cluster.cpus)
    shares = np.stack(columns, axis=1)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def running_mix(mix: F64, freq_khz: I64, running: F64) -> F64:
    """Shares of *running* time at each frequency, from shares of all time (rows: slots) and the share of time that a core ran.

    A cluster that always runs spends its running time as it spends all time. One that is partly idle runs rather at the higher of
    its frequencies, since schedutil asks for a frequency in proportion to the load: residency is weighted by f^(1 − running).
    """
    relative = np.maximum(freq_khz, 1) / max(int(freq_khz.max()), 1)
    weighted = mix * relative[None, :] ** (1.0 - running[:, None])
    return np.asarray(weighted / weighted.sum(axis=1, keepdims=True), np.float64)


def _rates(t_ns: I64, counter: I64, edges: I64) -> F64:
    """Row-wise shares of a counter's growth in the interval of movement around the middle of each slot."""
    moved = np.append(True, np.diff(counter.sum(axis=1)) > 0)
    kept = np.flatnonzero(moved)
    growth = np.maximum(np.diff(counter[kept], axis=0), 0).astype(np.float64)
    if not len(growth):
        return np.full((len(edges) - 1, counter.shape[1]), 1.0 / counter.shape[1])
    middle = edges[:-1] + np.diff(edges) // 2
    interval = np.clip(np.searchsorted(t_ns[kept], middle, side="right") - 1, 0, len(growth) - 1)
    shares = growth / np.maximum(growth.sum(axis=1, keepdims=True), 1e-9)
    return np.asarray(shares[interval], np.float64)
