"""CPU time that no known thread shows: of this process (unattributed), and of all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import F64, NOTHING, Curve, Knots, cells, ends, monotone
from navitas.parse.tables import I64, RunTables


@dataclass(frozen=True, slots=True)
class Rest:
    """Cumulative CPU ns beside the known threads'."""

    unattributed: Curve
    others: Curve


def rest_of_cpu(run: RunTables, knots: Knots, cpu_ns: F64) -> Rest:
    """Unattributed = process − threads, others = all CPUs − process, each made non-decreasing.

    The process's and the CPUs' times come in ticks of 10 ms. A difference of two such counters wavers by a tick or two; holding
    each step at ≥ 0 would add up the upward half of that noise, isotonic regression of the cumulative difference does not.
    """
    process, stat = run.process_cpu, run.cpu_stat
    unattributed = others = NOTHING
    if process is not None and len(process.t_ns) > 1:
        grid = np.unique(process.t_ns)
        spent = Curve(*_last(process.t_ns, process.cpu_ns.astype(np.float64)))
        unattributed = Curve(grid, monotone(spent.value - _threads_at(knots, cpu_ns, grid)))
    if stat is not None and len(stat.t_ns) > 1:
        grid, busy = _last(stat.t_ns, stat.busy_ns.sum(axis=1).astype(np.float64))
        own = spent.at(grid) if unattributed is not NOTHING else _threads_at(knots, cpu_ns, grid)
        others = Curve(grid, monotone(busy - own))
    return Rest(unattributed, others)


def _last(t_ns: I64, value: F64) -> tuple[I64, F64]:
    """Of readings at one time, the last."""
    keep = ends(t_ns)
    return t_ns[keep], value[keep]


def _threads_at(knots: Knots, cpu_ns: F64, grid: I64) -> F64:
    """CPU time of all threads since the first time of the grid."""
    _, cell, increment = cells(knots, cpu_ns, grid)
    return np.concatenate([[0.0], np.cumsum(np.bincount(cell, increment, len(grid) - 1))])
