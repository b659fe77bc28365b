"""Change points: between which sessions the level of a figure changed, by optimal segmentation (ruptures) and a test of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from navitas.extra_libraries import extra_library

LIMIT = 0.05
"""The probability of a change point in a figure that does not change."""
LEAST = 2
"""The fewest sessions on each side: a single session can be shifted as a whole."""
_DRAWS, _SEED = 999, 1
_LEAST_PERMUTED, _PERMUTATIONS = 10, 499
_ROUNDING = 1e-12


def first_p(levels: np.ndarray) -> float:
    """Return the probability of a split as good as the best one in sessions without a change. `levels`: mean logarithms."""
    return _best(levels)[0]


def change_points(levels: np.ndarray, limit: float = LIMIT) -> list[int]:
    """Return the indexes of the sessions that begin a new level.

    If nothing changes, sessions are assumed to be independent, with normal errors: whole sessions differ (docs/comparing.md).
    From 10 sessions on, a change point must also be unlikely in the same sessions in other orders, whatever their errors.
    Tried are one change point, and two, for a figure that comes back; and so on within each part.
    """
    p, ends = _best(levels)
    if p > limit:
        return []
    found: list[int] = []
    bounds = [0, *ends, len(levels)]
    for start, end in pairwise(bounds):
        found += [start, *(start + inner for inner in change_points(levels[start:end], limit / (len(bounds) - 1)))]
    return found[1:]


def _best(levels: np.ndarray) -> tuple[float, list[int]]:
    """The p-value of the better of one and two change points, and them."""
    options = [(_p(levels, count), count) for count in (1, 2) if len(levels) >= (count + 1) * LEAST and len(levels) >= 4]
    if not options:
        return 1.0, []
    p, count = min(options)
    return min(1.0, p * len(options)), _segments(levels, count)


def _p(levels: np.ndarray, count: int) -> float:
    gain = _gain(levels, count)
    p = _share_above(gain, _null(len(levels), count))
    if p > LIMIT or len(levels) < _LEAST_PERMUTED:
        return p
    random = np.random.default_rng(_SEED)
    return max(p, _share_above(gain, np.array([_gain(random.permutation(levels), count) for _ in range(_PERMUTATIONS)])))


def _share_above(gain: float, drawn: np.ndarray) -> float:
    return float((1 + np.sum(drawn >= gain - _ROUNDING)) / (1 + len(drawn)))


@cache
def _null(sessions: int, count: int) -> np.ndarray:
    """The gains of segmentations of sessions without a change. They do not depend on the mean and the spread."""
    draws = np.random.default_rng(_SEED).normal(size=(_DRAWS, sessions))
    return np.array([_gain(one, count) for one in draws])


def _gain(levels: np.ndarray, count: int) -> float:
    """The share of the sum of squares that the best segmentation removes."""
    bounds = [0, *_segments(levels, count), len(levels)]
    whole = _squares(levels)
    rest = sum(_squares(levels[start:end]) for start, end in pairwise(bounds))
    return 1 - rest / whole if whole > _ROUNDING**2 * max(1.0, float((levels**2).sum())) else 0.0


def _squares(levels: np.ndarray) -> float:
    return float(((levels - levels.mean()) ** 2).sum())


def _segments(levels: np.ndarray, count: int) -> list[int]:
    ruptures: Any = extra_library("ruptures", "change points need", "history")
    fitted = ruptures.KernelCPD(kernel="linear", min_size=LEAST).fit(np.asarray(levels, dtype=float).reshape(-1, 1))
    ends: Sequence[int] = fitted.predict(n_bkps=count)
    return [int(end) for end in ends[:-1]]
