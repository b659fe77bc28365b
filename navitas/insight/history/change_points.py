"""Change points: between which sessions the level of a figure changed, by optimal segmentation (ruptures) and a test of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from navitas.base.extra_libraries import extra_library
from navitas.insight.compare.effect import stats

LIMIT = 0.05
"""The probability of a change point in a figure that does not change."""
LEAST = 2
"""The fewest sessions on each side: a single session can be shifted as a whole."""
_DRAWS, _SEED = 999, 1
_LEAST_PERMUTED, _PERMUTATIONS = 10, 499
_ROUNDING = 1e-12
_CLEARLY = 0.85
"""A ratio of residual variances: 0.5 % of 200 steps of 20 % in 20 sessions then count as a drift."""
_TAIL = 0.1
"""The share of draws to which the tail is fitted."""


def first_p(levels: np.ndarray) -> float:
    """Return the probability of a split as good as the best one in sessions without a change. `levels`: mean logarithms."""
    return _best(levels)[0]


def change_points(levels: np.ndarray, limit: float = LIMIT) -> list[int]:
    """Return the indexes of the sessions that begin a new level.

    If nothing changes, sessions are assumed to be independent, with normal errors: whole sessions differ (docs/comparing.md).
    From 10 sessions on, a change point must also be unlikely in the same sessions in other orders, whatever their errors.
    Where a straight line fits better, the figure drifts, and has no change point.
    Tried are one change point, and two, for a figure that comes back; and so on within each part.
    """
    p, ends = _best(levels)
    if p > limit or is_drift(levels):
        return []
    found: list[int] = []
    bounds = [0, *ends, len(levels)]
    for start, end in pairwise(bounds):
        found += [start, *(start + inner for inner in change_points(levels[start:end], limit / (len(bounds) - 1)))]
    return found[1:]


def is_drift(levels: np.ndarray) -> bool:
    """Whether a straight line fits clearly better than the best change points."""
    places = np.arange(len(levels)) - (len(levels) - 1) / 2
    centered = levels - levels.mean()
    line = float(places @ centered) ** 2 / float(places @ places)
    whole = float((centered**2).sum())
    count = max(1, len(_best(levels)[1]))
    if not whole or len(levels) <= 3 * count + 1:
        return False
    # Residual variances: a line has two parameters; each change point a level, and its place counts twice, since all were tried.
    by_steps = (1 - _gain(levels, count)) / (len(levels) - 1 - 3 * count)
    return bool((1 - line / whole) / (len(levels) - 2) <= _CLEARLY * by_steps)


def _best(levels: np.ndarray) -> tuple[float, list[int]]:
    """The p-value of the better of one and two change points, and them."""
    options = [(_p(levels, count), count) for count in (1, 2) if len(levels) >= (count + 1) * LEAST and len(levels) >= 4]
    if not options:
        return 1.0, []
    p, count = min(options)
    return min(1.0, p * len(options)), _segments(levels, count)


def _p(levels: np.ndarray, count: int) -> float:
    gain, sessions = _gain(levels, count), len(levels)
    p = min(_share_above(gain, _null(sessions, count)), _bound(gain, sessions, count))
    if p > LIMIT or sessions < _LEAST_PERMUTED:
        return p
    random = np.random.default_rng(_SEED)
    return max(
        p, _tail(gain, 3 / (sessions - 1 - count), _gains(random.permuted(np.tile(levels, (_PERMUTATIONS, 1)), axis=1), count))
    )


def _share_above(gain: float, drawn: np.ndarray) -> float:
    return float((1 + np.sum(drawn >= gain - _ROUNDING)) / (1 + len(drawn)))


def _bound(gain: float, sessions: int, count: int) -> float:
    """An upper bound of the probability of a gain: that of one given segmentation (a beta distribution), times their number."""
    segmentations = math.comb(sessions - (count + 1) * (LEAST - 1) - 1, count)
    return float(min(1.0, segmentations * stats().beta.sf(gain, count / 2, (sessions - 1 - count) / 2)))


def _tail(gain: float, most_excess: float, drawn: np.ndarray) -> float:
    """The probability of a gain, also of one that no draw reaches: -log(1 - gain) then has an exponential tail.

    `most_excess`: its greatest mean excess, 1.5 times that for normal errors. Orders of few sessions repeat the change itself.
    """
    p = _share_above(gain, drawn)
    if p > 10 / len(drawn):
        return p
    logs = -np.log(np.maximum(1 - drawn, _ROUNDING))
    start = float(np.quantile(logs, 1 - _TAIL))
    excess = float((logs[logs > start] - start).mean()) if np.any(logs > start) else 0.0
    distance = -math.log(max(1 - gain, _ROUNDING)) - start
    return min(p, _TAIL * math.exp(-distance / min(excess, most_excess))) if excess else p


@cache
def _null(sessions: int, count: int) -> np.ndarray:
    """The gains of segmentations of sessions without a change. They do not depend on the mean and the spread."""
    draws = np.random.default_rng(_SEED).normal(size=(_DRAWS, sessions))
    return _gains(draws, count)


def _gain(levels: np.ndarray, count: int) -> float:
    """The share of the sum of squares that the best segmentation removes."""
    return float(_gains(levels[None], count)[0])


def _gains(series: np.ndarray, count: int) -> np.ndarray:
    """The gain of each row, by the sums up to each session: `ruptures` takes too long for thousands of series."""
    length = series.shape[1]
    centered = series - series.mean(axis=1, keepdims=True)
    sums = np.cumsum(centered, axis=1).T  # of the first sessions
    whole = (centered**2).sum(axis=1)
    most = np.zeros(len(series))
    for start in range(LEAST, length - count * LEAST + 1):
        first = sums[start - 1]
        ends = np.arange(start + LEAST, length - LEAST + 1)[:, None] if count == 2 else np.array([[start]])
        until = sums[ends[:, 0] - 1]
        inner = (until - first) ** 2 / np.maximum(ends - start, 1)
        most = np.maximum(most, (first**2 / start + inner + until**2 / (length - ends)).max(axis=0))
    least = _ROUNDING**2 * np.maximum(1.0, (series**2).sum(axis=1))
    return np.where(whole > least, most / np.maximum(whole, least), 0.0)


def _segments(levels: np.ndarray, count: int) -> list[int]:
    ruptures: Any = extra_library("ruptures", "change points need", "history")
    fitted = ruptures.KernelCPD(kernel="linear", min_size=LEAST).fit(np.asarray(levels, dtype=float).reshape(-1, 1))
    ends: Sequence[int] = fitted.predict(n_bkps=count)
    return [int(end) for end in ends[:-1]]
