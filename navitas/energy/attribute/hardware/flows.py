"""Cumulative curves of energy over true time, and intervals of it."""

from __future__ import annotations

import numpy as np

from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, distinct
from navitas.recording.parse.arrays import F64, I64

_SHORTEST_NS = 1_000


def flow_of(begin_ns: I64, end_ns: I64, joules: F64, run_ns: tuple[int, int]) -> Curve:
    """The sum of energies that each flow evenly from begin to end, within a run.

    Spans are clipped to the run, and are at least 1 µs long.
    """
    if not len(joules):
        return EMPTY_CURVE
    low, high = run_ns
    begin = np.clip(begin_ns, low, max(high - _SHORTEST_NS, low))
    end = np.minimum(np.maximum(end_ns, begin + _SHORTEST_NS), max(high, low + 1))
    edges = distinct(np.concatenate([begin, end]))
    rate = joules / (end - begin)
    starts = np.bincount(np.searchsorted(edges, begin), rate, len(edges))
    slope = np.cumsum(starts - np.bincount(np.searchsorted(edges, end), rate, len(edges)))
    value = np.concatenate([[0.0], np.cumsum(np.maximum(slope[:-1], 0.0) * np.diff(edges))])
    return Curve(edges, value * (joules.sum() / value[-1] if value[-1] > 0 else 0.0))


def merged(begin_ns: I64, end_ns: I64) -> tuple[I64, I64]:
    """Merge overlapping and touching intervals, and drop empty ones. Returns ascending begins and ends."""
    is_used = end_ns > begin_ns
    order = np.argsort(begin_ns[is_used], kind="stable")
    begin, end = begin_ns[is_used][order], np.maximum.accumulate(end_ns[is_used][order])
    if not len(begin):
        return begin, end
    first = np.concatenate([[True], begin[1:] > end[:-1]])
    return begin[first], end[np.concatenate([first[1:], [True]])]


def during(begin_ns: I64, end_ns: I64, energy: Curve) -> Curve:
    """What a curve grows by in intervals, which may overlap; nothing outside of them."""
    return _restricted(begin_ns, end_ns, energy, is_inside=True)


def outside(begin_ns: I64, end_ns: I64, energy: Curve) -> Curve:
    """What a curve grows by outside of intervals."""
    return _restricted(begin_ns, end_ns, energy, is_inside=False)


def _restricted(begin_ns: I64, end_ns: I64, energy: Curve, *, is_inside: bool) -> Curve:
    edges = distinct(np.concatenate([energy.t_ns, begin_ns, end_ns]))
    if len(edges) < 2:
        return EMPTY_CURVE
    counted = (counts(edges, begin_ns, end_ns) > 0) == is_inside
    return Curve(edges, np.concatenate([[0.0], np.cumsum(np.diff(energy.at(edges)) * counted)]))


def counts(edges: I64, begin_ns: I64, end_ns: I64) -> I64:
    """The number of intervals that contain each step between edges. All begins and ends are edges."""
    change = np.zeros(len(edges), np.int64)
    np.add.at(change, np.searchsorted(edges, begin_ns), 1)
    np.add.at(change, np.searchsorted(edges, end_ns), -1)
    return np.cumsum(change)[:-1]
