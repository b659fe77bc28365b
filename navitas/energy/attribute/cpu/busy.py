"""CPU time of no known thread: that of the measured process (unattributed), and that of other processes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, group_ends, interval_increments, monotone
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import RunTables


@dataclass(frozen=True, slots=True)
class Rest:
    """Cumulative CPU ns in addition to the known threads'."""

    unattributed: Curve
    others: Curve


def rest_of_cpu(run: RunTables, knots: Knots, cpu_ns: F64) -> Rest:
    """Unattributed = process − threads; others = all CPUs − process. Both are made non-decreasing.

    The process's and the CPUs' times are in ticks of 10 ms, so their difference fluctuates by one or two ticks. Clamping
    each step at 0 would accumulate the positive half of that noise. Isotonic regression of the cumulative difference does not.
    Other processes are fitted over the span for which the process's time is known. To the ends of that span, the curve is
    extended at its mean rate.
    """
    process, stat = run.cpu.process, run.cpu.stat
    unattributed = others = EMPTY_CURVE
    span_ns = run.start_ns, run.end_ns
    if process is not None and len(process.t_ns) > 1:
        grid = np.unique(process.t_ns)
        spent = Curve(*_last(process.t_ns, process.cpu_ns.astype(np.float64)))
        unattributed = Curve(grid, monotone(spent.value - _threads_at(knots, cpu_ns, grid)))
        span_ns = int(grid[0]), int(grid[-1])
    if stat is not None and len(stat.t_ns) > 1:
        grid, busy = _within(*span_ns, *_last(stat.t_ns, stat.busy_ns.sum(axis=1).astype(np.float64)))
        process_ns = spent.at(grid) if unattributed is not EMPTY_CURVE else _threads_at(knots, cpu_ns, grid)
        others = _extended(Curve(grid, monotone(busy - process_ns)), *span_ns)
    return Rest(unattributed, others)


def _within(first_ns: int, last_ns: int, t_ns: I64, value: F64) -> tuple[I64, F64]:
    """The readings in a span if there are at least two, otherwise all. Outside of it, the process's own time is unknown."""
    inside = (t_ns >= first_ns) & (t_ns <= last_ns)
    return (t_ns[inside], value[inside]) if np.count_nonzero(inside) > 1 else (t_ns, value)


def _extended(curve: Curve, first_ns: int, last_ns: int) -> Curve:
    """Extend the curve at its mean slope to the span's ends."""
    t_ns, value = curve.t_ns, curve.value
    slope = (value[-1] - value[0]) / max(t_ns[-1] - t_ns[0], 1)
    if first_ns < t_ns[0]:
        t_ns, value = np.insert(t_ns, 0, first_ns), np.insert(value, 0, value[0] - slope * (t_ns[0] - first_ns))
    if last_ns > t_ns[-1]:
        t_ns, value = np.append(t_ns, last_ns), np.append(value, value[-1] + slope * (last_ns - t_ns[-1]))
    return Curve(t_ns, value)


def _last(t_ns: I64, value: F64) -> tuple[I64, F64]:
    """Keep the last of several readings at one time."""
    keep = group_ends(t_ns)
    return t_ns[keep], value[keep]


def _threads_at(knots: Knots, cpu_ns: F64, grid: I64) -> F64:
    """CPU time of all threads since the first time of the grid."""
    _, interval, increment = interval_increments(knots, cpu_ns, grid)
    return np.concatenate([[0.0], np.cumsum(np.bincount(interval, increment, len(grid) - 1))])
