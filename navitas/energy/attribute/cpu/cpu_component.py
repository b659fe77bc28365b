"""The CPU component: computes a run's energy curves at the best level of evidence that its tables allow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from navitas.energy.attribute.calls.paths import Paths
from navitas.energy.attribute.calls.walk import walk
from navitas.energy.attribute.component import ComponentCurves, ComponentInputs, EvidenceLevel, RailUse, ThreadCurves
from navitas.energy.attribute.cpu.placement import Placement, cpu_shares, place, placed_rate, slot_shares
from navitas.energy.attribute.cpu.rate import (
    Cluster,
    CoreWatts,
    Load,
    Rate,
    SlotRate,
    clusters_of,
    core_watts,
    integrate,
    integrate_curve,
    slot_edges,
)
from navitas.energy.attribute.cpu.sched import Untraced, traced_run
from navitas.energy.attribute.cpu.thread_clocks import MAX_LOWER, Rest, ThreadClocks, rest_of_cpu, thread_clocks
from navitas.energy.attribute.cpu.thread_freq import Estimator, ThreadFreqRate, residencies_of
from navitas.energy.attribute.curves import (
    EMPTY_CURVE,
    Curve,
    Knots,
    RowsByTime,
    constant_power,
    group_ends,
    group_starts,
    interval_increments,
    overlaps,
)
from navitas.power.model import PowerModel
from navitas.recording.manifest import IMPORTED_FROM
from navitas.recording.parse.arrays import F64, I64, cumulative
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import CpuClock, Mounts, RunTables, Thread

NO_THREAD_CLOCKS = Reason(
    "no_thread_clocks", "threads' CPU times were not recorded: threads inside of calls share the process's energy equally"
)
NO_PROCESS_CLOCK = Reason(
    "no_process_clock", "the process's CPU time was not recorded: CPU time of unknown threads counts as other processes'"
)
NO_CPU_STAT = Reason(
    "no_cpu_stat",
    "/proc/stat was not recorded: other processes have no energy, and CPU time is assigned to clusters by their frequencies",
)
LEVELS = (
    EvidenceLevel("sched", "a kernel trace that shows which thread ran on which core at which frequency", 0.05),
    EvidenceLevel("thread-freq", "each thread's CPU time by frequency", 0.09),
    EvidenceLevel("thread-time", "each thread's CPU time, and the time that cores spent at each frequency", 0.11),
    EvidenceLevel("device", "only the CPU time of the device or process, shared equally among threads in calls", 0.59),
)
MIN_UNSEEN = 0.01
"""The least share of virtual threads' CPU time that gives a reason."""
_CPU_RAIL = re.compile(r"(?:^|_)CPU", re.IGNORECASE)
NO_RESIDENCY = "time_in_state was not recorded for CPUs {cpus}: they are assumed to run at their middle operating point"


class Cpu:
    """The CPU: levels *sched*, *thread-freq*, *thread-time* and *device* (docs/how-it-measures.md)."""

    name = "cpu"
    levels = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        """As `Component.rail_use`. `S4M_VDD_CPUCL0` (Pixel) supplies a cluster, `VSYS_CPU_BASE` (virtual phone) base power."""
        if _CPU_RAIL.search(rail) is None:
            return None
        return RailUse.BASE if rail.endswith("_BASE") else RailUse.ACTIVE

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves:
        """As `Component.curves`. The alternative model `paper1` is formula (1) of paper 1."""
        manifest = inputs.manifest
        is_imported = IMPORTED_FROM in manifest.settings
        clusters = clusters_of(run, manifest.device.policies, inputs.model.cpu, is_imported=is_imported)
        result = _curves(run, clusters, inputs)
        return (
            replace(result, alternative=paper1_curve(clusters, inputs.model))
            if inputs.settings.alternative == "paper1"
            else result
        )


def _curves(run: RunTables, clusters: Sequence[Cluster], inputs: ComponentInputs) -> ComponentCurves:
    """All curves. Only level *device* reads events."""
    model = inputs.model
    clocks = thread_clocks(run.threads, run.start_ns)
    rest = rest_of_cpu(run, clocks.knots, clocks.cpu_ns)
    load, watts, placement = _load(run, clusters, model, clocks, rest)
    placed = placed_rate(load.edges, watts, placement)
    idle_w = (model.cpu.suspend_ma + model.cpu.idle_ma) * model.voltage_v / 1e3
    base = constant_power(idle_w, (run.start_ns, run.end_ns))
    level = "device" if all(cluster.residency is None for cluster in clusters) else "thread-time"
    reasons = _reasons(run, clusters)
    is_traced = run.cpu.trace is not None and len(run.cpu.trace.switches) > 0
    if not is_traced and not any(len(thread.anchors.t_ns) or len(thread.samples.t_ns) for thread in run.threads):
        process_j, others = _process_curves(run, clusters, model, placed, rest)
        knots, energy_j, unattributed = shared_equally(run.threads, Paths(inputs.methods), process_j, run.start_ns)
        threads = ThreadCurves(knots, energy_j, np.zeros(len(energy_j)))
        return ComponentCurves("device", (NO_THREAD_CLOCKS, *run.cpu.reasons, *reasons), threads, others, base, unattributed)
    rate: Rate = placed
    rest_rate = placed
    if any(thread.residency for thread in run.threads):
        residencies = residencies_of(run.threads, clusters, Estimator(load, watts, placement), model.voltage_v)
        rate = ThreadFreqRate(load, watts, placement, residencies)
        rest_rate = rate.rest
        missing, uncovered = rate.uncovered(clocks)
        level, reasons = "thread-freq" if missing <= MAX_LOWER else level, (*reasons, *uncovered)
    others, unattributed = integrate_curve(rest_rate, rest.others), integrate_curve(rest_rate, rest.unattributed)
    traced = None
    if run.cpu.trace is not None and is_traced:
        traced = traced_run(run, run.cpu.trace, clusters, model, Untraced(level, clocks, rate, others, unattributed))
        level, clocks, rate = traced.level, traced.clocks, traced.rate
        # Data that lower levels lack matters only if most of the CPU time is at a lower level.
        reasons = (*traced.reasons, *(() if level == "sched" else reasons))
    knots, cpu_ns, energy_j = integrate(rate, clocks, inputs.marks)
    if traced is not None:
        others, unattributed = traced.others, traced.unattributed(knots, energy_j)
    threads = ThreadCurves(knots, energy_j, cpu_ns, by_clock=True)
    if run.cpu.mounts is not None:
        threads = mounted(threads, run.cpu.mounts)
        reasons = (*reasons, *_unseen(run.cpu.mounts, threads))
    return ComponentCurves(level, (*run.cpu.reasons, *reasons), threads, others, base, unattributed)


def _unseen(mounts: Mounts, threads: ThreadCurves) -> tuple[Reason, ...]:
    """The reason that names the CPU time of virtual threads which may be their carriers', if it matters."""
    assert threads.cpu_ns is not None
    spent_ns = threads.cpu_ns[threads.knots.start[1:] - 1] - threads.cpu_ns[threads.knots.start[:-1]]
    share = mounts.unseen_ns / max(float(spent_ns[np.unique(mounts.thread)].sum()), 1.0)
    text = "of virtual threads' CPU time may be other work of their carriers: the end of a thread's first mount is not recorded"
    return (Reason("unseen_unmounts", text, share),) if share >= MIN_UNSEEN else ()


def _load(
    run: RunTables, clusters: Sequence[Cluster], model: PowerModel, clocks: ThreadClocks, rest: Rest
) -> tuple[Load, CoreWatts, Placement]:
    edges = slot_edges(run, clusters)
    owner, slot, spent_ns = interval_increments(clocks.knots, clocks.cpu_ns, edges)
    rest_ns: F64 = np.diff(rest.others.at(edges)) + np.diff(rest.unattributed.at(edges))
    load = Load(edges, owner, slot, spent_ns, rest_ns)
    placement = place(run.cpu.stat, clusters, load, clocks.knots, clocks.cpu_ns)
    shares = cpu_shares(run.cpu.stat, clusters, edges, slot_shares(placement, load))
    return load, core_watts(load, shares, clusters, model), placement


def _process_curves(
    run: RunTables, clusters: Sequence[Cluster], model: PowerModel, rate: SlotRate, rest: Rest
) -> tuple[Curve, Curve]:
    """The energy of the process and of other processes if no thread's clock is known.

    From the process's CPU time; without it from all CPU time; without that by paper 1's formula. The last two give no energy
    of other processes.
    """
    if _usable(run.cpu.process):
        return integrate_curve(rate, rest.unattributed), integrate_curve(rate, rest.others)
    if rest.others is not EMPTY_CURVE:
        return integrate_curve(rate, rest.others), EMPTY_CURVE
    return paper1_curve(clusters, model), EMPTY_CURVE


def _usable(clock: CpuClock | None) -> bool:
    return clock is not None and len(clock.t_ns) > 1


def _reasons(run: RunTables, clusters: Sequence[Cluster]) -> tuple[Reason, ...]:
    reasons = [] if _usable(run.cpu.process) else [NO_PROCESS_CLOCK]
    if run.cpu.stat is None or len(run.cpu.stat.t_ns) < 2:
        reasons.append(NO_CPU_STAT)
    for cluster in clusters:
        if cluster.residency is None:
            reasons.append(Reason("no_time_in_state", NO_RESIDENCY.format(cpus=f"{min(cluster.cpus)}-{max(cluster.cpus)}")))
    return tuple(reasons)


def mounted(curves: ThreadCurves, mounts: Mounts) -> ThreadCurves:
    """Return the curves in which each mounted thread has what its carrier used meanwhile, and the carrier has the rest.

    A virtual thread has no curve of its own before. The sum of all curves stays the same.
    """
    if not len(mounts.carrier):
        return curves
    old = curves.knots
    owner = np.concatenate([old.owner, mounts.carrier, mounts.carrier])
    t_ns = np.concatenate([old.t_ns, mounts.start_ns, mounts.end_ns])
    order = np.lexsort((t_ns, owner))
    owner, t_ns = owner[order], t_ns[order]
    owner, t_ns = owner[(last := group_ends(owner, t_ns))], t_ns[last]
    place = old.place(owner, t_ns)
    within = np.flatnonzero(np.diff(owner) == 0)
    begin_ns, end_ns = t_ns[within], t_ns[within + 1]
    mount = RowsByTime(mounts.carrier, mounts.start_ns).at(owner[within], begin_ns)
    is_mounted = (mount >= 0) & (begin_ns < mounts.end_ns[mount])
    user = np.where(is_mounted, mounts.thread[mount], owner[within])

    owners = len(old.start) - 1
    others = np.setdiff1d(np.arange(owners), mounts.thread)  # a mounted thread's curve begins with its first mount
    owner = np.concatenate([user, user, others])
    t_ns = np.concatenate([begin_ns, end_ns, old.first_ns[others]])
    # The end of a stretch is sorted after the start of the next one, and stays.
    growth_of = np.concatenate([np.full(len(user), -1), np.arange(len(user)), np.full(len(others), -1)])
    order = np.lexsort((growth_of, t_ns, owner))
    owner, t_ns, growth_of = owner[order], t_ns[order], growth_of[order]
    kept = np.flatnonzero(group_ends(owner, t_ns))
    knots = Knots.from_columns(owner[kept], t_ns[kept], owners)

    def given(cumulative: F64) -> F64:
        growth = np.append(np.diff(place.read(cumulative))[within], 0.0)
        return knots.cumulate(growth[growth_of[kept]])

    cpu_ns = None if curves.cpu_ns is None else given(curves.cpu_ns)
    return replace(curves, knots=knots, energy_j=given(curves.energy_j), cpu_ns=cpu_ns)


def paper1_curve(clusters: Sequence[Cluster], model: PowerModel) -> Curve:
    """W(t) = Σ cores Σ frequencies time_in_state × C, with C = `cpu.core_power` × voltage; joules since the first sample.

    A method's energy is W(exit) − W(enter), regardless of other threads (Navitas Framework, section IV.C).
    """
    tables = [(cluster, cluster.residency) for cluster in clusters if cluster.residency is not None]
    if not tables:
        return EMPTY_CURVE
    grid = np.unique(np.concatenate([table.t_ns for _, table in tables]))
    joules = np.zeros(len(grid))
    for cluster, table in tables:
        t_ns, last = np.unique(table.t_ns[::-1], return_index=True)
        spent = (table.ns - table.ns[0])[::-1][last]
        milliamp_ns = spent @ cluster.power.core_ma_at(table.freq_khz)
        per_core = Curve(t_ns, np.maximum.accumulate(milliamp_ns)).at(grid)
        joules += len(cluster.cpus) * per_core * model.voltage_v / 1e12
    return Curve(grid, joules)


def shared_equally(threads: Sequence[Thread], paths: Paths, process_j: Curve, start_ns: int) -> tuple[Knots, F64, Curve]:
    """The energy curves of threads, and the energy used while no thread was in a call.

    At every instant, the threads inside of calls share the process's power equally. (Paper 1 charges each of them all of it.)
    """
    owner, enter_ns, exit_ns = _in_calls(threads, paths)
    times = np.unique(np.concatenate([process_j.t_ns, enter_ns, exit_ns]))
    if not process_j.t_ns.size or not times.size:
        count = len(threads)
        return Knots.from_columns(np.arange(count), np.full(count, start_ns), count), np.zeros(count), EMPTY_CURVE
    steps = np.zeros(len(times), np.int64)
    np.add.at(steps, np.searchsorted(times, enter_ns), 1)
    np.add.at(steps, np.searchsorted(times, exit_ns), -1)
    sharing = np.cumsum(steps)[:-1]
    joules = np.diff(process_j.at(times))
    per_thread = cumulative(np.where(sharing > 0, joules / np.maximum(sharing, 1), 0.0))
    unattributed = cumulative(np.where(sharing > 0, 0.0, joules))
    span, at = overlaps(np.searchsorted(times, enter_ns), np.searchsorted(times, exit_ns))
    added = np.where(group_starts(span), 0.0, np.diff(per_thread[at], prepend=0.0))
    without_calls = np.setdiff1d(np.arange(len(threads)), owner)
    owners = np.concatenate([owner[span], without_calls])
    knot_ns = np.concatenate([times[at], np.full(len(without_calls), start_ns)])
    order = np.lexsort((knot_ns, owners))
    knots = Knots.from_columns(owners[order], knot_ns[order], len(threads))
    return knots, knots.cumulate(np.concatenate([added, np.zeros(len(without_calls))])[order]), Curve(times, unattributed)


def _in_calls(threads: Sequence[Thread], paths: Paths) -> tuple[I64, I64, I64]:
    """The spans in which threads were inside of calls: thread, start, end. Spans of one thread do not touch.

    Memory grows with the number of outermost calls, since each adds knots to a thread's curve.
    """
    none = np.empty(0, np.int64)
    owners, starts, ends = [none], [none], [none]
    for batch in walk(threads, paths, none):
        inside = batch.depth > 0
        inside[batch.start[1:] - 1] = False
        begin = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) > 0)
        end = np.flatnonzero(np.diff(inside.astype(np.int8), prepend=0) < 0)
        threads_of_pieces = np.array([piece.thread for piece in batch.pieces], np.int64)
        owners.append(threads_of_pieces[np.searchsorted(batch.start, begin, side="right") - 1])
        starts.append(batch.t_ns[begin])
        ends.append(batch.t_ns[end])
    for index, thread in enumerate(threads):
        inside = thread.folded.self_ns > 0
        owners.append(np.full(int(inside.sum()), index))
        starts.append(thread.folded.epoch_start_ns[inside])
        ends.append(thread.folded.epoch_end_ns[inside])
    owner, start, end = np.concatenate(owners), np.concatenate(starts), np.concatenate(ends)
    order = np.lexsort((start, owner))
    owner, start, end = owner[order], start[order], end[order]
    reach = end.copy()
    for number in np.unique(owner).tolist():
        part = slice(*np.searchsorted(owner, [number, number + 1]))
        reach[part] = np.maximum.accumulate(end[part])
    fresh = group_starts(owner)
    fresh[1:] |= start[1:] > reach[:-1]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(owner)) - 1 if len(first) else first
    return owner[first], start[first], reach[last]
