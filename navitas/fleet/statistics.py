"""Effects of apps from moments over clients: cluster-robust errors, false discovery rate, and what that means in battery life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the clusters (clients) of each group: with weights w and weighted effects s = w · effect.

    `clusters` counts those with a weight.
    """

    clusters: F64
    w: F64
    s: F64
    ss: F64
    sw: F64
    ww: F64


@dataclass(frozen=True, slots=True)
class Effects:
    """Weighted means over clients, their standard errors and degrees of freedom, and the p of "no more than nothing"."""

    value: F64
    error: F64
    freedom: F64
    p: F64

    @property
    def half_width(self) -> F64:
        """Of the 95 % interval."""
        return np.asarray(stats.t.ppf((1 + CONFIDENCE) / 2, self.freedom) * self.error)


def effects_of(moments: Moments) -> Effects:
    """Ratio estimates Σs / Σw with cluster-robust (sandwich) errors: clients are independent, samples of one are not.

    G / (G − 1) corrects for few clusters, and since unequal ones tell less than their number the degrees of freedom of Student's t
    are those of the effective number of clusters, (Σw)² / Σw² − 1. NaN where fewer than two clusters tell anything.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = moments.s / moments.w
        spread = moments.ss - 2 * value * moments.sw + value**2 * moments.ww
        known = moments.clusters >= 2
        correction = np.where(known, moments.clusters / (moments.clusters - 1), np.nan)
        error = np.sqrt(np.maximum(spread, 0.0) * correction) / moments.w
        freedom = np.where(known, np.maximum(moments.w**2 / moments.ww - 1, 1.0), np.nan)
        p = stats.t.sf(value / error, freedom)
    return Effects(value, error, freedom, np.where(np.isfinite(p), p, np.nan))


def discoveries(p: F64, rate: float = 0.05) -> Bool:
    """Which hypotheses fall at a false discovery rate (Benjamini and Hochberg 1995); NaN never does."""
    found = np.zeros(len(p), bool)
    known = np.flatnonzero(np.isfinite(p))
    if len(known):
        found[known] = stats.false_discovery_control(p[known]) <= rate
    return found


def life_gain_s(rate_with: F64, effect: F64) -> F64:
    """Seconds of battery life (full to empty) that are gained when a drain (ppm/s) falls by `effect`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = rate_with - effect
        return np.where((rate_with > 0) & (left > 0), 1e6 / left - 1e6 / rate_with, np.nan)
