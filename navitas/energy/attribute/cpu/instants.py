"""Power of every running core at every instant of a kernel trace: AOSP's CPU model without averages, by each core's clock.

An event `cpu_frequency` names a core. Newer kernels write an event for each core that shares the clock. Older ones (schedutil)
write one event, for the core that happened to change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.cpu.rate import Cluster
from navitas.energy.attribute.cpu.sched_slices import OTHER_PROCESSES, UNATTRIBUTED, SchedSlices
from navitas.energy.attribute.curves import Curve, distinct
from navitas.power.model import PowerModel
from navitas.recording.parse.arrays import F64, I64, Bool, ColumnTable
from navitas.recording.parse.trace.trace_tables import Frequencies, Trace

_TOGETHER_NS = 100_000
"""Events of one change are this close. A clock changes at most every 500 µs."""
_LASTING_NS = 1_000_000
_LEAST_CHANGES = 3
_MOST_REPEATED = 0.9
_ONE_SPEED = 0.95
_ALWAYS, _NEVER = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class CoreClock:
    """The clock of core `cpu`: `khz[i]` from `t_ns[i]` on. Before `known_ns`, the trace does not show it, and it is guessed.

    `before_ma` is the current of the running core before `t_ns[0]`.
    """

    cpu: int
    cluster: Cluster
    t_ns: I64
    khz: I64
    known_ns: int
    before_ma: float

    def core_ma(self, at_ns: I64) -> F64:
        """Current of the running core at any times."""
        milliamps = np.append(self.cluster.power.core_ma_at(self.khz), self.before_ma)
        return np.asarray(milliamps[np.searchsorted(self.t_ns, at_ns, side="right") - 1], np.float64)


@dataclass(frozen=True, slots=True)
class CoreClocks:
    """The clocks of all cores, cluster by cluster, and the clusters whose cores have different ones."""

    cores: tuple[CoreClock, ...]
    apart: tuple[Cluster, ...]


def core_clocks(frequencies: Frequencies, clusters: Sequence[Cluster]) -> CoreClocks:
    """Return each core's own clock. A core that no event names has the frequency of the last event of its cluster.

    That is known if the kernel says that the cores share a clock, or if events name any of the cores that share it.
    """
    cores: list[CoreClock] = []
    apart: list[Cluster] = []
    for cluster in clusters:
        cpu, t_ns, khz = _in_order(frequencies, cluster.cpus)
        named = np.unique(cpu).tolist()
        is_one = len(named) < 2 or _is_one_clock(cpu, t_ns, khz)
        own = {each: (t_ns[cpu == each], khz[cpu == each]) for each in named}
        is_apart = not is_one and _are_apart(list(own.values()))
        apart += [cluster] if is_apart else []
        for each in cluster.cpus:
            changes = (t_ns, khz) if is_one else own.get(each, (t_ns, khz))
            is_shown = each in own or (cluster.is_policy and not is_apart) or (is_one and len(named) > 1)
            cores.append(_clock(each, cluster, *changes, is_shown=is_shown))
    return CoreClocks(tuple(cores), tuple(apart))


def _in_order(frequencies: Frequencies, cpus: Sequence[int]) -> tuple[I64, I64, I64]:
    rows = np.flatnonzero(np.isin(frequencies.cpu, cpus))
    rows = rows[np.argsort(frequencies.t_ns[rows], kind="stable")]
    return frequencies.cpu[rows].astype(np.int64), frequencies.t_ns[rows], frequencies.khz[rows]


def _is_one_clock(cpu: I64, t_ns: I64, khz: I64) -> bool:
    """Whether the events of several cores, in order of time, are about one clock that they share.

    Polls, and events of newer kernels, name all cores at once, and agree. Otherwise, an event can repeat the last frequency of
    its own core only if another core has named a change since, for the kernel writes only changes. Of cores with clocks of their
    own, an event can repeat the last frequency of another core, or, as some tracers poll, nearly all repeat those of their own.
    """
    first = np.flatnonzero(np.append(True, np.diff(t_ns) > _TOGETHER_NS))
    size = np.diff(first, append=len(t_ns))
    differ = np.minimum.reduceat(khz, first) != np.maximum.reduceat(khz, first)
    agreeing = int(np.count_nonzero(~differ & (size == len(np.unique(cpu)))))
    differing = int(np.count_nonzero(differ & (size > 1)))
    if differing > agreeing:
        return False
    if agreeing >= max(_LEAST_CHANGES, 10 * differing):
        return True
    order = np.lexsort((t_ns, cpu))
    of_own, of_any = np.full(len(khz), -1), np.roll(khz, 1)
    of_own[order[1:]] = np.where(np.diff(cpu[order]) == 0, khz[order[:-1]], -1)
    is_later = of_own >= 0
    is_single = is_later & (of_any != of_own) & (np.repeat(size, size) == 1)
    own_again, any_again = (np.count_nonzero(is_single & (khz == before)) for before in (of_own, of_any))
    repeated = np.count_nonzero(khz[is_later] == of_own[is_later])
    return bool(own_again > any_again and repeated < _MOST_REPEATED * np.count_nonzero(is_later))


def _are_apart(clocks: Sequence[tuple[I64, I64]]) -> bool:
    """Whether clocks differ for longer than it takes to write the events of one change."""
    times = np.unique(np.concatenate([t_ns for t_ns, _ in clocks]))
    times = times[np.append(np.diff(times) > _LASTING_NS, True)]
    lowest, highest = np.full(len(times), _NEVER), np.full(len(times), _ALWAYS)
    for t_ns, khz in clocks:
        row = np.searchsorted(t_ns, times, side="right") - 1
        lowest = np.where(row >= 0, np.minimum(lowest, khz[row]), lowest)
        highest = np.where(row >= 0, np.maximum(highest, khz[row]), highest)
    return bool((lowest < highest).any())


def _clock(cpu: int, cluster: Cluster, t_ns: I64, khz: I64, *, is_shown: bool) -> CoreClock:
    """A core's clock. Before its first change, it has the frequency whose time_in_state grew most until then."""
    known_ns = int(t_ns[0]) if is_shown and len(t_ns) else _NEVER
    table = cluster.residency
    if table is None:
        return CoreClock(cpu, cluster, t_ns, khz, known_ns, float(cluster.power.core_ma[len(cluster.power.core_ma) // 2]))
    until = int(np.searchsorted(table.t_ns, t_ns[0], side="right")) if len(t_ns) else len(table.t_ns)
    growth = table.ns[max(until - 1, 0)] - table.ns[0]
    if not growth.any():
        growth = table.ns[-1] - table.ns[0]
    elif growth.max() >= _ONE_SPEED * growth.sum() and (is_shown or not len(t_ns)):
        known_ns = _ALWAYS
    before_ma = float(cluster.power.core_ma_at(table.freq_khz[np.argmax(growth)]))
    return CoreClock(cpu, cluster, t_ns, khz, known_ns, before_ma)


_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Pieces(ColumnTable):
    """Sections of scheduling slices with constant power, sorted by owner, then time.

    A core drew `watts[i]` from `start_ns[i]` to `end_ns[i]`.
    """

    owner: I64
    start_ns: I64
    end_ns: I64
    watts: F64


@dataclass(frozen=True, slots=True)
class Traced:
    """Energy from a trace: pieces of the known threads, and cumulative joules of other processes and of unknown threads."""

    pieces: Pieces
    others: Curve
    unattributed: Curve


_NO_PIECES = Pieces(*(np.empty(0, np.int64),) * 3, np.empty(0))


def traced_energy(
    trace: Trace, slices: SchedSlices, clusters: Sequence[Cluster], clocks: Sequence[CoreClock], model: PowerModel
) -> Traced:
    """Compute the power between all instants at which a core starts or stops running, or changes its frequency.

    `clocks` are those of all cores, cluster by cluster.
    """
    grid = distinct(np.concatenate([slices.start_ns, slices.end_ns, trace.frequencies.t_ns]))
    cores = [(slices.of_cpu(clock.cpu), clock) for clock in clocks]
    parts: list[Pieces] = []
    non_thread_j = [np.zeros(1), np.zeros(1)]
    for low in range(0, max(len(grid) - 1, 0), _BLOCK):
        edges = grid[low : low + _BLOCK + 1]
        owner, watts = _block(edges, cores, clusters, model)
        joules = watts * (np.diff(edges) / 1e9)[:, None]
        for kind, sums in zip((OTHER_PROCESSES, UNATTRIBUTED), non_thread_j, strict=True):
            non_thread_j[kind == UNATTRIBUTED] = np.append(
                sums, sums[-1] + np.cumsum(np.where(owner == kind, joules, 0.0).sum(axis=1))
            )
        instant, column = np.nonzero(owner >= 0)
        parts.append(Pieces(owner[instant, column], edges[instant], edges[instant + 1], watts[instant, column]))
    t_ns = grid if len(grid) > 1 else np.empty(0, np.int64)
    others, unattributed = (Curve(t_ns, sums if len(t_ns) else np.empty(0)) for sums in non_thread_j)
    return Traced(_joined(parts), others, unattributed)


def _block(
    edges: I64, cores: Sequence[tuple[SchedSlices, CoreClock]], clusters: Sequence[Cluster], model: PowerModel
) -> tuple[I64, F64]:
    """Owner (less than `UNATTRIBUTED` if a core is idle) and watts of every core from each edge to the next."""
    shape = len(edges) - 1, len(cores)
    owner, core_ma = np.full(shape, UNATTRIBUTED - 1, np.int64), np.zeros(shape)
    cluster_number = np.repeat(np.arange(len(clusters)), [len(cluster.cpus) for cluster in clusters])
    for column, (slices, clock) in enumerate(cores):
        row = np.searchsorted(slices.start_ns, edges[:-1], side="right") - 1
        runs = (row >= 0) & (slices.end_ns[row] > edges[:-1]) if len(slices.cpu) else np.zeros(shape[0], bool)
        owner[runs, column] = slices.owner[row[runs]]
        core_ma[:, column] = clock.core_ma(edges[:-1])
    running = owner >= UNATTRIBUTED
    active = _split(running) * model.cpu.active_ma
    shared = np.zeros(shape)
    for number, cluster in enumerate(clusters):
        columns = cluster_number == number
        shared[:, columns] = _split(running[:, columns]) * cluster.power.cluster_ma
    return owner, np.where(running, (core_ma + shared + active) * (model.voltage_v / 1e3), 0.0)


def _split(running: Bool) -> F64:
    """Each running core's share of the power that all running cores share."""
    return np.asarray(1.0 / np.maximum(running.sum(axis=1, keepdims=True), 1), np.float64)


def _joined(parts: Sequence[Pieces]) -> Pieces:
    """All pieces by owner, then time; adjacent pieces with equal power are merged."""
    pieces = Pieces.joined([_NO_PIECES, *parts])
    pieces = pieces.chosen(np.lexsort((pieces.start_ns, pieces.owner)))
    first = np.ones(len(pieces), bool)
    is_same = (np.diff(pieces.owner) == 0) & (pieces.start_ns[1:] == pieces.end_ns[:-1])
    first[1:] = ~is_same | (np.diff(pieces.watts) != 0)
    return replace(pieces.chosen(first), end_ns=pieces.end_ns[np.roll(first, -1)])
