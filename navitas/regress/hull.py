"""Where the training rows lie, so that predictions elsewhere are marked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.regress.arrays import F64

MOST_COMPONENTS = 32
TOLERANCE = 0.01
"""Values may be outside of a feature's training range by this share of the range."""
FACTOR = 1.5
"""Distances may be this many times the largest one of training rows."""
LEAST_WIDENED = 2.0
MOST_WIDENED = 1000.0
_FLOOR = 1e-3
_ROWS = 20_000
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Hull:
    """Ranges of features, and their main directions. `axes`: (k, p), of standardised features; `variance`: (k,).

    `rest`: the mean variance of the other directions. `limit`: the largest distance of a training row.
    """

    low: F64
    high: F64
    mean: F64
    deviation: F64
    axes: F64
    variance: F64
    rest: float
    limit: float

    def widening(self, x: F64) -> F64:
        """1 for rows inside. Otherwise by how much intervals are wider: 2 or more.

        It is the ratio of the row's distance to the limit, or 1 + the excess over a range in widths of the range.
        """
        found = np.ones(len(x))
        width = self.high - self.low
        slack = TOLERANCE * width + 1e-9 * np.maximum(np.abs(self.low), np.abs(self.high))
        divisor = np.where(width > 0, width, np.maximum(np.abs(self.high), 1.0))
        for begin in range(0, len(x), _BLOCK):
            rows = x[begin : begin + _BLOCK]
            beyond = np.maximum(self.low - slack - rows, rows - self.high - slack)
            excess = 1 + (beyond / divisor).max(axis=1, initial=0.0)
            ratio = np.sqrt(self.distance(rows) / max(self.limit, 1e-12))
            outside = (beyond > 0).any(axis=1) | (ratio > np.sqrt(FACTOR))
            widened = np.clip(np.maximum(excess, ratio), LEAST_WIDENED, MOST_WIDENED)
            found[begin : begin + _BLOCK] = np.where(outside, widened, 1.0)
        return found

    def distance(self, x: F64) -> F64:
        """The squared Mahalanobis distance from the mean; directions after the first 32 share one variance."""
        standard = (x - self.mean) / self.deviation
        along = standard @ self.axes.T
        rest = np.maximum((standard**2).sum(axis=1) - (along**2).sum(axis=1), 0.0)
        return np.asarray((along**2 / self.variance).sum(axis=1) + rest / self.rest, np.float64)


def hull_of(x: F64) -> Hull:
    """The hull of training rows. Main directions come from at most 20,000 of them, the limit from all.

    The distance of a training row is as if the row was left out of the mean and the directions' variances.
    """
    columns = x.shape[1]
    some = x if len(x) <= _ROWS else x[np.random.default_rng(0).choice(len(x), _ROWS, replace=False)]
    mean, deviation = some.mean(axis=0), some.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    standard = (some - mean) / deviation
    values, vectors = np.linalg.eigh(standard.T @ standard / len(some))
    order = np.argsort(-values)[:MOST_COMPONENTS]
    others = np.delete(values, order)
    rest = max(float(others.mean()) if others.size else 0.0, _FLOOR)
    hull = Hull(x.min(axis=0), x.max(axis=0), mean, deviation, vectors[:, order].T, values[order] + _FLOOR, rest, 1.0)
    distances = np.concatenate([hull.distance(x[begin : begin + _BLOCK]) for begin in range(0, len(x), _BLOCK)])
    leverage = np.minimum((distances + 1) / len(x), 0.5)
    limit = float((distances / (1 - leverage) ** 2).max(initial=float(columns)))
    return Hull(hull.low, hull.high, mean, deviation, hull.axes, hull.variance, rest, limit)
