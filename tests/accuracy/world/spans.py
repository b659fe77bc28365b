"""Arithmetic of time spans: arrays of shape (n, 2) with starts and ends in seconds, sorted, disjoint and half-open."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Spans = NDArray[np.float64]

NO_SPANS: Spans = np.empty((0, 2))


def merged(starts: Floats, ends: Floats, end_s: float = np.inf) -> Spans:
    """Return the union of intervals, rounded to milliseconds, within 0 and `end_s`. Empty intervals are dropped."""
    starts, ends = (np.asarray(np.round(np.clip(times, 0.0, end_s), 3), np.float64) for times in (starts, ends))
    keep = ends > starts
    return _union(starts[keep], ends[keep])


def _union(starts: Floats, ends: Floats) -> Spans:
    if len(starts) == 0:
        return NO_SPANS
    order = np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(ends[order])
    firsts = np.flatnonzero(np.concatenate([[True], starts[1:] > reach[:-1]]))
    lasts = np.concatenate([firsts[1:] - 1, [len(starts) - 1]])
    return np.column_stack([starts[firsts], reach[lasts]])


def covers(spans: Spans, times_s: Floats) -> Bools:
    """Return which times lie in a span."""
    return np.asarray(np.searchsorted(spans.ravel(), times_s, side="right") % 2 == 1, np.bool_)


def covered_s(spans: Spans, times_s: Floats) -> Floats:
    """Return how many seconds the spans cover before each time."""
    if len(spans) == 0:
        return np.zeros(len(times_s))
    after = np.cumsum(spans[:, 1] - spans[:, 0])
    before = after - (spans[:, 1] - spans[:, 0])
    return np.interp(times_s, spans.ravel(), np.column_stack([before, after]).ravel())


def total_s(spans: Spans) -> float:
    """Return the sum of the spans' lengths."""
    return float(np.sum(spans[:, 1] - spans[:, 0]))


def union(first: Spans, *others: Spans) -> Spans:
    """Return times that lie in any of the arguments."""
    every = np.concatenate([first, *others])
    return _union(every[:, 0], every[:, 1])


def intersection(first: Spans, second: Spans) -> Spans:
    """Return times that lie in both."""
    return _swept(first, second, np.logical_and)


def difference(first: Spans, second: Spans) -> Spans:
    """Return times that lie in `first` and not in `second`."""
    if len(second) == 0:
        return first
    return _swept(first, second, lambda inside, removed: inside & ~removed)


def _swept(first: Spans, second: Spans, keep: Callable[[Bools, Bools], Bools]) -> Spans:
    if len(first) == 0:
        return NO_SPANS
    edges = np.unique(np.concatenate([first.ravel(), second.ravel()]))
    return where(edges, keep(covers(first, edges[:-1]), covers(second, edges[:-1])))


def where(edges: Floats, inside: Bools) -> Spans:
    """Return spans of those segments between consecutive `edges` that are `inside`; shapes (n + 1,) and (n,)."""
    changes = np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8))
    return np.column_stack([edges[changes[: len(edges)] == 1], edges[changes[: len(edges)] == -1]])
