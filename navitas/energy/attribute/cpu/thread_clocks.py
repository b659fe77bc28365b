"""Each thread's cumulative CPU time, from readings of its own clock (anchors) and from schedstat (samples)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.curves import Knots, group_ends, time_span
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.tables import CpuClock, Thread

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
