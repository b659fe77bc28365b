"""Power of running cores by thread and time (AOSP's CPU model), from the clusters' frequencies, and its integration to curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from navitas.energy.attribute.cpu.thread_clocks import ThreadClocks
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, group_ends, middle, overlaps
from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.recording.manifest import Policy
from navitas.recording.parse.arrays import F64, I64, Bool, cumulative
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


class Rate(Protocol):
    """Watts of a running core, by thread and time."""

    @property
    def edges(self) -> I64:
        """Times at which the rate of any thread may change, ascending."""
        ...

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        """Watts of threads in spans in which neither the rate nor the slope of the thread's clock changes."""
        ...


@dataclass(frozen=True, slots=True)
class SlotRate:
    """Watts by slot: `watts[i]` is the default from `edges[i]` to `edges[i + 1]`; the first and last slot extend outwards.

    `thread_w[j]` replaces it for one thread in one slot: `key[j]` (ascending) = thread · number of slots + slot.
    """

    edges: I64
    watts: F64
    key: I64 = field(default_factory=lambda: np.empty(0, np.int64))
    thread_w: F64 = field(default_factory=lambda: np.empty(0))

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        slot = slots_of(self.edges, a_ns, b_ns)
        watts = self.watts[slot]
        if len(self.key):
            key = owner * len(self.watts) + slot
            at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
            has_own = self.key[at] == key
            watts[has_own] = self.thread_w[at[has_own]]
        return watts

    def default(self, a_ns: I64, b_ns: I64) -> F64:
        """Watts of CPU time of no known thread, in spans that lie within one slot each."""
        return self.watts[slots_of(self.edges, a_ns, b_ns)]


def slots_of(edges: I64, a_ns: I64, b_ns: I64) -> I64:
    """The slot that contains each span's middle."""
    return np.clip(np.searchsorted(edges, middle(a_ns, b_ns), side="right") - 1, 0, len(edges) - 2)


def integrate(rate: Rate, clocks: ThreadClocks, marks: I64) -> tuple[Knots, F64, F64]:
    """Energy curves of threads: knots, CPU ns and joules, where joules = ∫ watts d(CPU time) over all readings and slots.

    Knots are a thread's anchors, the `marks` (edges of tests), and, outside of the anchors, the thread's samples and slots.
    """
    fine, cpu_ns, keep = _refined(clocks, np.union1d(rate.edges, marks), marks)
    owner = fine.owner
    joules = np.zeros(len(owner))
    joules[1:] = rate.during(owner[1:], fine.t_ns[:-1], fine.t_ns[1:]) * np.diff(cpu_ns) / 1e9
    energy_j = fine.cumulate(joules)
    return Knots.from_columns(owner[keep], fine.t_ns[keep], len(fine.start) - 1), cpu_ns[keep], energy_j[keep]


def integrate_curve(rate: SlotRate, spent_ns: Curve) -> Curve:
    """∫ watts d(CPU time) of one curve, with knots at the curve's times and the rate's edges."""
    if not spent_ns.t_ns.size:
        return EMPTY_CURVE
    inside = rate.edges[(rate.edges > spent_ns.t_ns[0]) & (rate.edges < spent_ns.t_ns[-1])]
    t_ns = np.union1d(spent_ns.t_ns, inside)
    joules = rate.default(t_ns[:-1], t_ns[1:]) * np.diff(spent_ns.at(t_ns)) / 1e9
    return Curve(t_ns, cumulative(joules))


def _refined(clocks: ThreadClocks, cuts: I64, marks: I64) -> tuple[Knots, F64, Bool]:
    """Merge readings and cuts: knots, CPU ns, and which of them are knots of the result."""
    old = clocks.knots
    first = np.searchsorted(cuts, old.first_ns, side="right")
    owner, cut = overlaps(first, np.searchsorted(cuts, old.last_ns, side="left") - 1)
    t_ns = cuts[cut]
    stays = np.isin(t_ns, marks) | (t_ns < clocks.first_anchor_ns[owner]) | (t_ns > clocks.last_anchor_ns[owner])
    owners, times = np.concatenate([old.owner, owner]), np.concatenate([old.t_ns, t_ns])
    cpu_ns = np.concatenate([clocks.cpu_ns, old.place(owner, t_ns).read(clocks.cpu_ns)])
    keep = np.concatenate([clocks.is_knot, stays])
    order = np.lexsort((keep, times, owners))
    owners, times, cpu_ns, keep = owners[order], times[order], cpu_ns[order], keep[order]
    last = group_ends(owners, times)
    return Knots.from_columns(owners[last], times[last], len(old.start) - 1), cpu_ns[last], keep[last]
