"""Power of every running core at every instant of a kernel trace: AOSP's CPU model without averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.core_clocks import CoreClock
from navitas.energy.attribute.cpu.frequency import Cluster
from navitas.energy.attribute.cpu.sched_slices import OTHER_PROCESSES, UNATTRIBUTED, SchedSlices
from navitas.energy.attribute.curves import Curve, distinct
from navitas.power.model import PowerModel
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.trace.trace_tables import Trace

_BLOCK = 1 << 18
_COLUMNS = ("owner", "start_ns", "end_ns")


@dataclass(frozen=True, slots=True)
class Pieces:
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
    owner, start_ns, end_ns = (
        np.concatenate([getattr(part, name) for part in parts] or [np.empty(0, np.int64)]) for name in _COLUMNS
    )
    watts = np.concatenate([part.watts for part in parts] or [np.empty(0)])
    order = np.lexsort((start_ns, owner))
    owner, start_ns, end_ns, watts = owner[order], start_ns[order], end_ns[order], watts[order]
    first = np.ones(len(owner), bool)
    first[1:] = (np.diff(owner) != 0) | (start_ns[1:] != end_ns[:-1]) | (watts[1:] != watts[:-1])
    return Pieces(owner[first], start_ns[first], end_ns[np.roll(first, -1)], watts[first])
