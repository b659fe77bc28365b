"""The share of a pair's time in which an app ran, seen at the pair's two ends, and how reliable that is."""

from __future__ import annotations

import numpy as np

from navitas.fleet.statistics import F64, I64

EDGES_S = (600, 1800, 5400)
"""Bounds of the classes of pairs by length."""
CLASSES = len(EDGES_S) + 2
"""Classes of pairs: 0 if running times are exact, else by length."""
_LONGEST_RATE, _HALVINGS, _REWEIGHTED, _SATURATED = 1.0, 50, 3, 30.0


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
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        below = (varied * np.tanh(middle[:, None] * length_s / 2)).sum(axis=1) < total
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.sqrt(low * high))


def reliability(rate: F64, length_s: F64) -> F64:
    """How much of the difference between ends' states is a difference of running time, by app and class of pairs.

    The best linear estimate of the running time from both ends is its mean plus tanh(*u*/2)/(*u*/2) times their deviation. A
    regression on the ends is too small by this factor (attenuation).
    """
    half = np.nan_to_num(rate)[:, None] * length_s / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(half > 1e-9, np.tanh(half) / half, 1.0)
