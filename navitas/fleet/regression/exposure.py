"""The share of a pair's time in which an app ran, seen at the pair's two ends, and how reliable that is.

Samples at level changes come too often while an app drains: how much smaller that makes its effect.

With rate *r* and time share *p*, an app that drains *a* runs at p(1 + (1 − p)a/r) of the level changes. Where other drains are
low, r is small, and the app seems to run more. So its running time is correlated with low other drains. For two-state Markov
chains with switch rate κ, the running time of a pair by its ends is too long by *a* p(1 − p) γ T/r, with γ = 1 − (1 − e⁻ᵘ)/u and
u = κT.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from navitas.fleet.statistics import F64, I64, Bool

EDGES_S = (600, 1800, 5400)
"""Bounds of the classes of pairs by length."""
CLASSES = len(EDGES_S) + 2
"""Classes of pairs: 0 if running times are exact, else by length."""
_LONGEST_RATE, _HALVINGS, _REWEIGHTED, _SATURATED = 1.0, 50, 3, 30.0
_SEEN, _TINY, _LEAST_EXCESS = 0.05, 1e-9, 0.05
_KNOWN, _UNKNOWN, _USUAL_RUN = 0.85, 0.95, 0.6
"""Shares of the shortest pairs whose ends differ, up to which the length of runs is known, and from which it is unknown; it then
counts as this part of such a pair.
"""
_LEAST_SHARE, _MOST_SHARE, _LONGEST = 0.5, 1.2, 1e3


def classes_of(seconds: I64, exact: np.ndarray) -> np.ndarray:
    """The class of each pair."""
    return np.where(exact, 0, 1 + np.searchsorted(EDGES_S, seconds, side="right"))


def switch_rates(changed: F64, varied: F64, length_s: F64) -> F64:
    """How often each app starts or stops, per second: the rate κ with which its state forgets the past.

    An app that starts and stops at random is a two-state Markov chain. With *u* = κ · length, pairs whose ends differ are a
    share tanh(*u* / 2) of the variance of the mean of both ends. `changed` and `varied` are these two sums by app and class of
    pairs (columns), `length_s` the mean length by class. Classes count by how much they say about κ: long pairs say little, as
    their ends are independent. NaN without any variance.
    """
    weight = 1 / np.maximum(length_s, 1.0)
    for _ in range(_REWEIGHTED):
        rate = _solved(weight * changed, weight * varied, length_s)
        weight = np.cosh(np.minimum(rate[:, None] * length_s / 2, _SATURATED)) ** -2 / np.maximum(length_s, 1.0)
    return np.where(varied.sum(axis=1) > 0, rate, np.nan)


def _solved(changed: F64, varied: F64, length_s: F64) -> F64:
    """κ for which Σ varied · tanh(κ · length / 2) = Σ changed, by bisection."""
    low, high = np.full(len(changed), 1e-9), np.full(len(changed), _LONGEST_RATE)
    total = changed.sum(axis=1)
    low, high = _bisected(low, high, lambda rate: (varied * np.tanh(rate[:, None] * length_s / 2)).sum(axis=1) < total)
    return np.asarray(np.sqrt(low * high))


def _bisected(low: F64, high: F64, is_below: Callable[[F64], Bool]) -> tuple[F64, F64]:
    """Bounds of the values at which `is_below` changes from true to false, by bisection of ratios."""
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, high


def reliability(rate: F64, length_s: F64) -> F64:
    """How much of the difference between ends' states is a difference of running time, by app and class of pairs.

    The best linear estimate of the running time from both ends is its mean plus tanh(*u*/2)/(*u*/2) times their deviation. A
    regression on the ends is too small by this factor (attenuation).
    """
    half = np.nan_to_num(rate)[:, None] * length_s / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(half > 1e-9, np.tanh(half) / half, 1.0)


def inferred_reliability(changed: F64, varied: F64, length_s: F64) -> F64:
    """The reliability by app and class of pairs, from how often ends differ (`switch_rates`), also for runs of one length.

    The correlation of such an app's state falls to 0 in a straight line, and ends of longer pairs differ more often than those of
    a Markov chain with the rate of shorter pairs. While runs are longer than a pair, the mean of both ends is exact. If they are
    much shorter than all pairs, neither their length nor their shape is known: the length is then a usual one.
    """
    rates, row = switch_rates(changed, varied, length_s), np.arange(len(varied))
    seen = varied > _SEEN * varied.sum(axis=1, keepdims=True)
    first = seen.argmax(axis=1)
    later = seen & (np.arange(varied.shape[1]) > first[:, None])
    second, has_second = later.argmax(axis=1), later.any(axis=1)
    differ = np.divide(changed, varied, out=np.zeros_like(varied), where=varied > 0)
    shorter, longer = np.clip(differ[row, first], _TINY, 1.0), differ[row, second]
    is_unknown = np.clip((shorter - _KNOWN) / (_UNKNOWN - _KNOWN), 0.0, 1.0)
    run_s = length_s[row, first] * ((1 - is_unknown) * (1 + 1 / shorter) / 2 + is_unknown * _USUAL_RUN)
    fixed = np.minimum(np.divide(run_s[:, None], length_s, out=np.ones_like(length_s), where=length_s > 0), 1.0)
    expected = np.tanh(np.nan_to_num(rates) * length_s[row, second] / 2)
    excess = np.clip((longer - expected) / np.maximum(1 - expected, _LEAST_EXCESS), 0.0, 1.0) * has_second
    chain = reliability(rates, length_s)
    return np.asarray(chain + np.maximum(excess, is_unknown)[:, None] * (fixed - chain))


def oversampled(reliability: F64) -> F64:
    """γ of classes of pairs with this reliability tanh(u/2)/(u/2)."""
    least, most = np.full(reliability.shape, 1e-6), np.full(reliability.shape, _LONGEST)
    low, _ = _bisected(least, most, lambda u: np.tanh(u / 2) / (u / 2) > reliability)
    return np.asarray(1 + np.expm1(-low) / low)


def corrected(reliability: F64, weight_s: F64, slow_s: F64, drains: F64) -> F64:
    """The reliability by app and class of pairs, times the share of the effect that oversampling leaves.

    `weight_s` is Σ T x̃ d, `slow_s` Σ q(1 − q) `within.slow_drops` with the share q of ends at which the app is seen, and `drains`
    a first estimate of a/r. Time shares p are smaller: p ≈ q / (1 + γ a/r). The share of the effect is limited to 0.5 … 1.2.
    """
    reliable, gamma = (weight_s * reliability).sum(axis=1), oversampled(reliability)
    bent = (slow_s * gamma / (1 + gamma * np.maximum(drains, 0.0)[:, None])).sum(axis=1)
    share = 1 + np.divide(bent, reliable, out=np.zeros(len(reliable)), where=reliable > 0)
    return np.asarray(reliability * np.clip(share, _LEAST_SHARE, _MOST_SHARE)[:, None])
