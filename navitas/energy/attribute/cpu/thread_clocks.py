"""The cumulative CPU time of each thread, from its own clock (anchors) and from schedstat (samples), and of no known thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, group_ends, interval_increments, monotone, time_span
from navitas.energy.attribute.forest import binned
from navitas.recording.parse.arrays import F64, I64, Bool, cumulative
from navitas.recording.parse.tables import CpuClock, RunTables, Thread

MIN_REPORTED = 1e-3
"""The least share of CPU time at a lower level that gives a reason."""
MAX_LOWER = 0.5
"""A run with a higher share of its CPU time at a lower level is of that level."""


@dataclass(frozen=True, slots=True)
class ThreadClocks:
    """CPU time of threads at all their readings. The readings with `is_knot` become knots of the energy curves.

    `first_anchor_ns` > `last_anchor_ns` for a thread without anchors.
    """

    knots: Knots
    cpu_ns: F64
    is_knot: Bool
    first_anchor_ns: I64
    last_anchor_ns: I64

    def share_of(self, chosen: Bool) -> float:
        """The share of all CPU time that lies between adjacent knots i and i + 1 with `chosen[i]`."""
        spent = self.spent_ns
        total = float(spent.sum())
        return float(spent[chosen].sum()) / total if total > 0 else 0.0

    @property
    def spent_ns(self) -> F64:
        """CPU time between adjacent knots; 0 from one thread's last knot to the next thread's first."""
        spent = np.diff(self.cpu_ns)
        spent[self.knots.start[1:-1] - 1] = 0.0
        return spent


def thread_clocks(threads: Sequence[Thread], start_ns: int) -> ThreadClocks:
    """Merge anchors and samples of all threads (docs/how-it-measures.md, "A thread's CPU time").

    Between a thread's first and last anchor, samples are clamped to the anchors around them. The reason is that schedstat of a
    running thread lags by up to a tick. A thread without any reading has the constant 0, from `start_ns`.
    """
    owners = len(threads)
    anchors = readings([thread.anchors for thread in threads])
    samples = readings([thread.samples for thread in threads])
    samples, inside = _clamped(anchors, samples, owners)
    unread = np.setdiff1d(np.arange(owners), np.concatenate([anchors[0], samples[0]]))
    parts = [anchors, samples, (unread, np.full(len(unread), start_ns), np.zeros(len(unread)))]
    owner, t_ns, cpu_ns = (np.concatenate(column) for column in zip(*parts, strict=True))
    keep = np.concatenate([np.ones(len(anchors[0]), bool), ~inside, np.ones(len(unread), bool)])
    order = np.lexsort((cpu_ns, keep, t_ns, owner))
    owner, t_ns, cpu_ns, keep = owner[order], t_ns[order], cpu_ns[order], keep[order]
    last = group_ends(owner, t_ns)
    knots = Knots.from_columns(owner[last], t_ns[last], owners)
    bounds = np.iinfo(np.int64)
    first_ns, last_ns = np.full(owners, bounds.max), np.full(owners, bounds.min)
    np.minimum.at(first_ns, anchors[0], anchors[1])
    np.maximum.at(last_ns, anchors[0], anchors[1])
    return ThreadClocks(knots, _ascending(knots, cpu_ns[last]), keep[last], first_ns, last_ns)


def readings(clocks: Sequence[CpuClock]) -> tuple[I64, I64, F64]:
    """All clocks' readings as columns (owner, time, CPU ns), sorted by owner, then time."""
    owner = np.repeat(np.arange(len(clocks)), [len(clock.t_ns) for clock in clocks])
    t_ns = np.concatenate([*(clock.t_ns for clock in clocks), np.empty(0, np.int64)])
    cpu_ns = np.concatenate([*(clock.cpu_ns for clock in clocks), np.empty(0, np.int64)])
    order = np.lexsort((t_ns, owner))
    return owner[order], t_ns[order], cpu_ns[order].astype(np.float64)


def _clamped(anchors: tuple[I64, I64, F64], samples: tuple[I64, I64, F64], owners: int) -> tuple[tuple[I64, I64, F64], Bool]:
    """Clamp samples to the anchors around them; also return which samples lie between two anchors."""
    owner, t_ns, cpu_ns = samples
    if not len(anchors[0]) or not len(owner):
        return samples, np.zeros(len(owner), bool)
    origin, span = time_span(np.concatenate([anchors[1], t_ns]), owners)
    first, end = np.searchsorted(anchors[0], owner), np.searchsorted(anchors[0], owner, side="right")
    after = np.searchsorted(anchors[0] * span + anchors[1] - origin, owner * span + t_ns - origin, side="right")
    limit = len(anchors[0]) - 1
    low = np.where(after > first, anchors[2][np.clip(after - 1, 0, limit)], -np.inf)
    high = np.where(after < end, anchors[2][np.clip(after, 0, limit)], np.inf)
    return (owner, t_ns, np.clip(cpu_ns, low, np.maximum(low, high))), (after > first) & (after < end)


def _ascending(knots: Knots, cpu_ns: F64) -> F64:
    """Raise readings that are below an earlier one of the same thread (damaged data)."""
    falling = np.flatnonzero((np.diff(cpu_ns) < 0) & (np.diff(knots.owner) == 0))
    for thread in np.unique(knots.owner[falling]).tolist():
        part = slice(knots.start[thread], knots.start[thread + 1])
        cpu_ns[part] = np.maximum.accumulate(cpu_ns[part])
    return cpu_ns


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
    return cumulative(binned(interval, increment, len(grid) - 1))
