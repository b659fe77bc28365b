"""Effects of apps from moments over clients: cluster-robust errors, false discovery rates, and minutes of battery life."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

CONFIDENCE = 0.95


def _stats() -> ModuleType:
    """`scipy.stats`, which takes a second to import: only commands that compute need it."""
    return importlib.import_module("scipy.stats")


def _special() -> ModuleType:
    """`scipy.special`, as `_stats`."""
    return importlib.import_module("scipy.special")


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the clusters (clients) of each group, with weights w and weighted effects s = w · effect.

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
    """Weighted means over clients, their standard errors, degrees of freedom, and the p of "no more than `least`"."""

    value: F64
    error: F64
    freedom: F64
    p: F64

    @property
    def half_width(self) -> F64:
        """Of the 95 % interval."""
        return np.asarray(_stats().t.ppf((1 + CONFIDENCE) / 2, self.freedom) * self.error)


def effects_of(moments: Moments, least: float = 0.0) -> Effects:
    """Ratio estimates Σs / Σw with cluster-robust (sandwich) errors: clients are independent, samples of one are not.

    G / (G − 1) corrects for few clusters; unequal ones tell less than their number: the degrees of freedom of Student's t are
    those of the effective number, (Σw)² / Σw² − 1. NaN where fewer than two clusters tell anything.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = moments.s / moments.w
        spread = moments.ss - 2 * value * moments.sw + value**2 * moments.ww
        known = (moments.clusters >= 2) & (moments.w > 0)
        correction = np.where(known, moments.clusters / (moments.clusters - 1), np.nan)
        error = np.sqrt(np.maximum(spread, 0.0) * correction) / moments.w
        freedom = np.where(known, np.maximum(moments.w**2 / moments.ww - 1, 1.0), np.nan)
        p = _stats().t.sf((value - least) / error, freedom)
    return Effects(value, error, freedom, np.where(np.isfinite(p), p, np.nan))


@dataclass(frozen=True, slots=True)
class Contrast:
    """By how much one weighted mean over clients lies above another one; NaN where fewer than two clients tell one of them."""

    value: float
    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Of the 95 % interval."""
        return self.quantile((1 + CONFIDENCE) / 2) * self.error

    @property
    def p(self) -> float:
        """Of "not above"."""
        return float(_stats().t.sf(self.value / self.error, self.freedom)) if self.error > 0 else float("nan")

    def less(self, other: Contrast) -> Contrast:
        """By how much it lies above another one that it shares no noise with."""
        error = float(np.hypot(self.error, other.error))
        return Contrast(self.value - other.value, error, min(self.freedom, other.freedom))

    def quantile(self, part: float) -> float:
        """Of Student's t."""
        return float(_special().stdtrit(self.freedom, part))


def side(cluster: I64, amounts: tuple[F64, F64], column: I64, shape: tuple[int, int]) -> F64:
    """One side of comparisons: sums of s, of w, and of rows with a weight, by client (`cluster`) and comparison (`column`)."""
    s, w = amounts
    sums = [np.bincount(cluster * shape[1] + column, values, shape[0] * shape[1]) for values in (s, w, w > 0)]
    return np.asarray(sums, np.float64).reshape(3, *shape)


def other_side(whole: F64, one: F64) -> F64:
    """What is left of a whole without one side; nothing, not what rounding leaves, where no rows are."""
    rest = whole - one
    return np.asarray(rest * (rest[2] > 0))


def contrast(cluster: I64, s: F64, w: F64, one: Bool, other: Bool | None = None) -> Contrast:
    """Σs / Σw over rows of `one` less that over rows of `other` (None: less nothing); `cluster` numbers the clients."""
    clients = int(cluster.max(initial=0)) + 1
    first, *second = (
        side(cluster[rows], (s[rows], w[rows]), np.zeros(np.count_nonzero(rows), np.int64), (clients, 1))
        for rows in (one, other)
        if rows is not None
    )
    found = contrasts(first, *second)
    return Contrast(float(found.value[0]), float(found.error[0]), float(found.freedom[0]))


@dataclass(frozen=True, slots=True)
class Contrasts:
    """As `Contrast`, of many."""

    value: F64
    error: F64
    freedom: F64

    def sure(self, part: float) -> F64:
        """How far they lie from nothing at least, by Student's t at this part; NaN of a NaN."""
        return np.asarray(np.abs(self.value) - _special().stdtrit(self.freedom, part) * self.error)


def contrasts(one: F64, other: F64 | None = None) -> Contrasts:
    """Σs / Σw of each comparison's `side` less that of its other side (None: less nothing), with cluster-robust errors.

    Where clients are on both, what is alike in both is no error: the variance is that of the differences of their influences,
    (S_c − mean · W_c) / W of each side. Degrees of freedom are those of the poorer side. NaN where only one tells it.
    """
    influence, value = np.zeros(one.shape[1:]), np.zeros(one.shape[2])
    freedom, rows = np.full(one.shape[2], np.inf), np.zeros(one.shape[1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        for sums, sign in ((one, 1.0), (other, -1.0)):
            if sums is None:
                continue
            s, w, n = sums
            total = w.sum(axis=0)
            mean = s.sum(axis=0) / total
            influence += sign * (s - mean * w) / total
            value += sign * mean
            effective = np.maximum(total**2 / np.square(w).sum(axis=0) - 1, 1.0)
            freedom = np.minimum(freedom, np.where(np.count_nonzero(n, axis=0) < 2, np.nan, effective))
            rows += n
        clusters = np.count_nonzero(rows, axis=0)
        error = np.sqrt(np.square(influence).sum(axis=0) * clusters / (clusters - 1))
    known = np.isfinite(freedom)
    return Contrasts(*(np.where(known, column, np.nan) for column in (value, error, freedom)))


def within(cluster: I64, sums: tuple[F64, F64, F64], one: Bool, other: Bool) -> Contrast:
    """The mean difference of rows of `one` and of `other` on the same clients, by s, w and the variance of s, which is known.

    A client's difference of s / w weighs W1 W2 / (W1 + W2). NaN where no client tells both.
    """
    size = int(cluster.max(initial=0)) + 1
    (s1, w1, v1), (s2, w2, v2) = ([np.bincount(cluster[rows], values[rows], size) for values in sums] for rows in (one, other))
    told = (w1 > 0) & (w2 > 0)
    if not told.any():
        return Contrast(np.nan, np.nan, np.nan)
    s1, w1, v1, s2, w2, v2 = (values[told] for values in (s1, w1, v1, s2, w2, v2))
    weight = w1 * w2 / (w1 + w2)
    value = float(np.sum(weight * (s1 / w1 - s2 / w2)) / weight.sum())
    error = float(np.sqrt(np.sum(weight**2 * (v1 / w1**2 + v2 / w2**2))) / weight.sum())
    return Contrast(value, error, np.inf)


def overlaps(all_of_them: Bool, chosen: Bool, groups: Bool) -> F64:
    """For each group (row), how likely as many of the chosen fall into it by chance (hypergeometric)."""
    inside, both = (np.count_nonzero(groups & which, axis=1) for which in (all_of_them, chosen))
    return np.asarray(_stats().hypergeom.sf(both - 1, np.count_nonzero(all_of_them), inside, np.count_nonzero(chosen)))


def false_rates(p: F64) -> F64:
    """The false discovery rate at which each hypothesis falls (Benjamini and Hochberg 1995); NaN of a NaN."""
    rates = np.full(len(p), np.nan)
    known = np.flatnonzero(np.isfinite(p))
    if len(known):
        rates[known] = _stats().false_discovery_control(p[known])
    return rates


def central_spread(bins: I64, count: I64, width: float) -> float:
    """The standard deviation of the middle of a histogram: half of what lies between its 16th and 84th percentile."""
    if not len(bins):
        return 1.0
    order = np.argsort(bins)
    edges = np.append(bins[order], bins[order][-1] + 1) * width
    part = np.append(0.0, np.cumsum(count[order]) / count.sum())
    low, high = np.interp(_stats().norm.cdf([-1.0, 1.0]), part, edges)
    return max(float(high - low) / 2, width)


def tail_rates(z: F64, bins: I64, count: I64, width: float) -> F64:
    """The false discovery rate at or above each z: as much lies there by chance as lies that far below nothing.

    (1 + #{≤ −z}) / #{≥ z} (Barber and Candès 2015), made to fall with z; the noise may have any shape that is symmetric.
    """
    order = np.argsort(bins)
    middle, count = (bins[order] + 0.5) * width, count[order]
    above = np.append(np.cumsum(count[::-1])[::-1], 0)
    below = np.append(0, np.cumsum(count))
    levels = np.unique(z)
    right = above[np.searchsorted(middle, levels - width / 2)]
    left = below[np.searchsorted(middle, -levels + width / 2, side="right")]
    rates = np.minimum(1.0, (1 + left) / np.maximum(right, 1))
    return np.asarray(np.minimum.accumulate(rates)[np.searchsorted(levels, z)], np.float64)


def shrunk(effect: F64, error: F64, variance: float) -> tuple[F64, F64]:
    """Means and standard deviations of what is true where effects of this variance around 0 are measured with these errors.

    Bayes' rule of normal distributions: extremes are extreme by chance too.
    """
    trust = variance / (variance + error**2) if variance else np.zeros(len(error))
    return trust * effect, np.sqrt(trust) * error


def life_gain_s(rate: F64, less: F64) -> F64:
    """Seconds from full to empty that are gained when a drain (ppm/s) falls by `less`; NaN when nothing of it is left."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = rate - less
        return np.where((rate > 0) & (left > 0), 1e6 / left - 1e6 / rate, np.nan)


def downwards(values: F64) -> I64:
    """An order from the greatest value to the least, NaN last; those that are equal to nine digits stay in theirs.

    Last digits are those of a sum's order, which engines choose as they like.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        digit = 10.0 ** (np.floor(np.log10(np.abs(values))) - 8)
        rounded = np.where(np.isfinite(digit) & (digit > 0), np.round(values / digit) * digit, values)
    return np.argsort(-rounded, kind="stable")
