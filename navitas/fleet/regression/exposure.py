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
_FADING_S = np.geomspace(120.0, 604_800.0, 40)
"""Integrals of an app's correlation with its past that are considered: half of the length of runs of one length."""
_ONE_LENGTH, _MISFIT, _LEAST_EXPECTED = 0.1, 0.15, 0.02
"""How likely runs of one length are beforehand. Then the relative error of the expected share of pairs whose ends differ, which
is at least so large: runs are of neither kind, and samples at level changes show short pairs of a hog while it runs.
"""
_APPS = 4096
"""Apps whose courses are compared at a time: each needs 8 KiB."""
_HALVINGS, _TINY = 50, 1e-9
_LEAST_SHARE, _MOST_SHARE, _LONGEST = 0.5, 1.2, 1e3


def classes_of(seconds: I64, exact: np.ndarray) -> np.ndarray:
    """The class of each pair."""
    return np.where(exact, 0, 1 + np.searchsorted(EDGES_S, seconds, side="right"))


def _bisected(low: F64, high: F64, is_below: Callable[[F64], Bool]) -> tuple[F64, F64]:
    """Bounds of the values at which `is_below` changes from true to false, by bisection of ratios."""
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low, high


def inferred_reliability(changed: F64, varied: F64, length_s: F64, weight_s: F64) -> tuple[F64, F64]:
    """How much of the difference between ends' states is a difference of running time, by app and class of pairs (columns).

    With the correlation ρ of an app's states some time apart, pairs whose ends differ are a share (1 − ρ) / (1 + ρ) of the
    variance of the mean of both ends. The best linear estimate of the running time is its mean plus 2 / (1 + ρ) times the mean
    of ρ within the pair, times their deviation. A regression on the ends is too small by this factor (attenuation). How fast ρ
    falls, and whether as for random runs or for runs of one length, is inferred from all classes. Beforehand, all orders of
    magnitude are equally likely, and one app in ten has runs of one length.

    `changed` is Σ T over pairs whose ends differ, divided by 4, `varied` is Σ T d², and `length_s` the mean length. `weight_s` is
    Σ T x̃ d, in an additional first column for exact running times. Also returns the standard deviation of the logarithm of the
    mean by these weights: what the ends leave unknown.
    """
    reliability, error = np.empty(varied.shape), np.empty(len(varied))
    for low in range(0, len(varied), _APPS):
        own = slice(low, low + _APPS)
        reliability[own], error[own] = _inferred(changed[own], varied[own], length_s[own], weight_s[own])
    return reliability, error


def _inferred(changed: F64, varied: F64, length_s: F64, weight_s: F64) -> tuple[F64, F64]:
    log_odds = np.tile(np.log(np.repeat([1 - _ONE_LENGTH, _ONE_LENGTH], len(_FADING_S))), (len(varied), 1))
    shown = []
    for kind in range(varied.shape[1]):
        at_end, within = _correlations(np.maximum(length_s[:, kind, None], 1.0))
        shown.append(2 * within / (1 + at_end))
        has, expected = varied[:, kind, None] > 0, (1 - at_end) / (1 + at_end)
        seen = np.where(has, varied[:, kind, None], 1.0)
        # Twice that of independent pairs: a run has two ends, and adjacent pairs share a sample.
        variance = expected * length_s[:, kind, None] / (2 * seen) + (_MISFIT * np.maximum(expected, _LEAST_EXPECTED)) ** 2
        log_odds -= has * ((changed[:, kind, None] / seen - expected) ** 2 / variance + np.log(variance)) / 2
    odds = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    whole = weight_s[:, :1] + sum(weight_s[:, kind + 1, None] * share for kind, share in enumerate(shown))
    log_whole = np.log(np.maximum(whole, _TINY))
    error = np.sqrt((odds * (log_whole - (odds * log_whole).sum(axis=1, keepdims=True)) ** 2).sum(axis=1))
    return np.stack([(odds * share).sum(axis=1) for share in shown], axis=1), error


def _correlations(seconds: F64) -> tuple[F64, F64]:
    """The correlation of an app's states so far apart, and its mean up to there, for all courses (columns).

    It falls exponentially if an app starts and stops at random (two-state Markov chain), and in a straight line for runs of one
    length.
    """
    passed = seconds / _FADING_S
    chain, line = np.exp(-passed), np.maximum(1 - passed / 2, 0.0)
    means = (1 - chain) / passed, np.where(passed < 2, 1 - passed / 4, 1 / passed)
    return np.concatenate([chain, line], axis=1), np.concatenate(means, axis=1)


def oversampled(reliability: F64) -> F64:
    """γ of classes of pairs, with the u at which a Markov chain has their reliability tanh(u/2)/(u/2)."""
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
