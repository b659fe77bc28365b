"""Effects of apps from moments over clients: clustered standard errors, false discovery rates, gains in battery life."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

CONFIDENCE = 0.95
Z95 = 1.959964
"""Half the width of the 95 % interval of a normal value, in standard deviations."""
_HALVINGS = 60


@cache
def _special() -> ModuleType:
    """`scipy.special`, imported on first use."""
    return importlib.import_module("scipy.special")


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over the clusters (clients) of each group, with weights w and weighted effects s = w · effect.

    `clusters` counts those with a positive weight.
    """

    clusters: F64
    w: F64
    s: F64
    ss: F64
    sw: F64
    ww: F64


@dataclass(frozen=True, slots=True)
class Effects:
    """Weighted means over clients, standard errors, degrees of freedom, and p-values of "at most `least`".

    `scale_error` is the standard deviation of the logarithm of an unknown factor on the effect.
    """

    value: F64
    error: F64
    freedom: F64
    p: F64
    scale_error: F64

    @property
    def low(self) -> F64:
        """The lower end of the 95 % interval."""
        return self.value - self._distance(self._quantile, -np.sign(self.value))

    @property
    def high(self) -> F64:
        """The upper end of the 95 % interval."""
        return self.value + self._distance(self._quantile, np.sign(self.value))

    def above(self, least: float) -> Effects:
        """The same effects, with p-values of "at most `least`". They agree with the ends of intervals."""
        apart = self.value - least
        with np.errstate(all="ignore"):
            t = np.copysign(self._quantile_at(np.abs(apart), -np.sign(apart * self.value)), apart)
            p = _special().stdtr(self.freedom, -t)
        return replace(self, p=np.where(np.isfinite(p), p, np.nan))

    @property
    def _quantile(self) -> F64:
        return np.asarray(_special().stdtrit(self.freedom, (1 + CONFIDENCE) / 2))

    def _distance(self, t: F64, away: F64) -> F64:
        """How far `t` standard errors reach from the value: away from 0 (`away` is 1) or towards it (−1).

        Both errors are independent, so their distances add as squares (Zou and Donner 2008).
        """
        return scaled_distance(self.value, t * self.error, away * t * self.scale_error)

    def _quantile_at(self, distance: F64, away: F64) -> F64:
        """The inverse of `_distance`, which grows with t."""
        high = distance / self.error
        low = np.zeros_like(high)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            short = self._distance(middle, away) < distance
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return np.asarray(high)


def scaled_distance(value: F64, distance: F64, log_factor: F64) -> F64:
    """An end's distance from the value, by an independent `distance` and by a factor with this logarithm on the value."""
    return np.asarray(np.hypot(distance, value * np.expm1(log_factor)))


def effects_of(moments: Moments, least: float = 0.0) -> Effects:
    """Ratio estimates Σs / Σw with cluster-robust (sandwich) standard errors: clients are independent, their samples are not.

    G / (G − 1) corrects for few clusters. Student's t has (Σw)² / Σw² − 1 degrees of freedom: the effective number of clusters
    minus 1, which is lower with unequal weights. NaN with fewer than two clusters.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        value = moments.s / moments.w
        spread = moments.ss - 2 * value * moments.sw + value**2 * moments.ww
        known = (moments.clusters >= 2) & (moments.w > 0)
        correction = np.where(known, moments.clusters / (moments.clusters - 1), np.nan)
        error = np.sqrt(np.maximum(spread, 0.0) * correction) / moments.w
        freedom = np.where(known, np.maximum(moments.w**2 / moments.ww - 1, 1.0), np.nan)
    return Effects(value, error, freedom, np.full_like(value, np.nan), np.zeros_like(value)).above(least)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference of two weighted means over clients; NaN where one of them has fewer than two clients."""

    value: float
    error: float
    freedom: float

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % interval."""
        return self.quantile((1 + CONFIDENCE) / 2) * self.error

    @property
    def ends(self) -> tuple[float, float, float]:
        """Low, middle and high of its 95 % interval."""
        half = self.half_width
        return self.value - half, self.value, self.value + half

    @property
    def p(self) -> float:
        """The p-value of "not above 0"."""
        return self.above(0.0)

    def above(self, least: float) -> float:
        """The p-value of "not above `least`"."""
        return float(_special().stdtr(self.freedom, (least - self.value) / self.error)) if self.error > 0 else float("nan")

    def less(self, other: Contrast) -> Contrast:
        """The difference from another contrast with independent noise."""
        error = float(np.hypot(self.error, other.error))
        return Contrast(self.value - other.value, error, min(self.freedom, other.freedom))

    def quantile(self, level: float) -> float:
        """The quantile of Student's t."""
        return float(_special().stdtrit(self.freedom, level))


def sums_by_client(cluster: I64, amounts: tuple[F64, F64], column: I64, shape: tuple[int, int]) -> F64:
    """Sums of s, of w, and of rows with a weight, by client (`cluster`) and comparison (`column`). Shape (3, *shape)."""
    s, w = amounts
    sums = [np.bincount(cluster * shape[1] + column, values, shape[0] * shape[1]) for values in (s, w, w > 0)]
    return np.asarray(sums, np.float64).reshape(3, *shape)


def remainder(whole: F64, one: F64) -> F64:
    """The sums of the other side of each comparison. Exactly 0 where it has no rows."""
    rest = whole - one
    return np.asarray(rest * (rest[2] > 0))


def contrast(cluster: I64, s: F64, w: F64, one: Bool, other: Bool | None = None) -> Contrast:
    """Σs / Σw over rows of `one` minus that over rows of `other` (None: minus 0). `cluster` numbers the clients."""
    clients = int(cluster.max(initial=0)) + 1
    first, *second = (
        sums_by_client(cluster[rows], (s[rows], w[rows]), np.zeros(np.count_nonzero(rows), np.int64), (clients, 1))
        for rows in (one, other)
        if rows is not None
    )
    found = contrasts(first, *second)
    return Contrast(float(found.value[0]), float(found.error[0]), float(found.freedom[0]))


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Many contrasts, as columns of `Contrast`."""

    value: F64
    error: F64
    freedom: F64

    def lower_bounds(self, level: float) -> F64:
        """Lower confidence bounds of the absolute values, by the quantile of Student's t at `level`. NaN stays NaN."""
        return np.asarray(np.abs(self.value) - _special().stdtrit(self.freedom, level) * self.error)


def contrasts(one: F64, other: F64 | None = None) -> Contrasts:
    """Σs / Σw of each comparison minus that of its other side (None: minus 0), with clustered standard errors.

    Inputs are results of `sums_by_client`. A client's influence on a side is (S_c − mean · W_c) / W. The variance is that of the
    differences of influences, so a factor that a client has on both sides adds no error. The degrees of freedom are the
    lower ones of both sides. NaN if a side has fewer than two clients.
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
    """The weighted mean difference of rows of `one` and `other` on the same clients. `sums` are s, w and the variance of s.

    A client's difference of s / w has weight W1 W2 / (W1 + W2). NaN where no client has both.
    """
    size = int(cluster.max(initial=0)) + 1
    (s1, w1, v1), (s2, w2, v2) = ([np.bincount(cluster[rows], values[rows], size) for values in sums] for rows in (one, other))
    on_both = (w1 > 0) & (w2 > 0)
    if not on_both.any():
        return Contrast(np.nan, np.nan, np.nan)
    s1, w1, v1, s2, w2, v2 = (values[on_both] for values in (s1, w1, v1, s2, w2, v2))
    weight = w1 * w2 / (w1 + w2)
    value = float(np.sum(weight * (s1 / w1 - s2 / w2)) / weight.sum())
    error = float(np.sqrt(np.sum(weight**2 * (v1 / w1**2 + v2 / w2**2))) / weight.sum())
    return Contrast(value, error, np.inf)


def overlap_p_value(population: Bool, chosen: Bool, group: Bool) -> float:
    """The probability that chance puts at least as many of the chosen into a group (hypergeometric)."""
    inside, both, whole, drawn = (
        float(np.count_nonzero(which)) for which in (group & population, group & chosen, population, chosen)
    )
    number = np.arange(both, min(inside, drawn) + 1)
    log_ways = _log_binomial(inside, number) + _log_binomial(whole - inside, drawn - number)
    return float(min(np.exp(log_ways - _log_binomial(whole, drawn)).sum(), 1.0))


def _log_binomial(size: float, number: F64 | float) -> F64:
    """The logarithm of the number of ways to choose so many; −∞ if there is none."""
    whole, chosen, rest = (_special().gammaln(part + 1.0) for part in (size, number, np.subtract(size, number)))
    return np.asarray(whole - chosen - rest, np.float64)


def false_rates(p: F64) -> F64:
    """False discovery rates of hypotheses by their p-values (Benjamini and Hochberg 1995). NaN stays NaN."""
    rates = np.full(len(p), np.nan)
    known = np.flatnonzero(np.isfinite(p))
    if len(known):
        order = known[np.argsort(p[known])]
        scaled = p[order] * (len(order) / np.arange(1, len(order) + 1))
        rates[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return rates


def central_spread(bins: I64, count: I64, width: float) -> float:
    """A robust standard deviation of a histogram: half the distance of its 16th and 84th percentiles."""
    if not len(bins):
        return 1.0
    order = np.argsort(bins)
    edges = np.append(bins[order], bins[order][-1] + 1) * width
    fraction = np.append(0.0, np.cumsum(count[order]) / count.sum())
    low, high = np.interp(_special().ndtr([-1.0, 1.0]), fraction, edges)
    return max(float(high - low) / 2, width)


def normal_scores(t: F64, freedom: F64) -> F64:
    """The normal quantiles of Student's t values, by their own degrees of freedom (at least one)."""
    p = _special().stdtr(np.maximum(freedom, 1.0), -np.abs(t))
    return np.asarray(-np.sign(t) * _special().ndtri(np.maximum(p, 1e-300)), np.float64)


def tail_rates(z: F64, tests: int) -> F64:
    """The false discovery rate of findings at or above each z, among so many tests. Monotone in z.

    By chance, normal noise is above z `tests` · P(> z) times (Benjamini and Hochberg 1995). Where more are below −z, that number
    counts, so noise with heavy symmetric tails is no finding (Barber and Candès 2015).
    """
    order = np.argsort(z)
    ordered = z[order]
    above = len(z) - np.searchsorted(ordered, ordered)
    below = np.searchsorted(ordered, -ordered, side="right")
    rates = np.empty(len(z))
    rates[order] = np.minimum.accumulate(np.minimum(np.maximum(below, tests * _special().ndtr(-ordered)) / above, 1.0))
    return rates


def shrunk(effect: F64, error: F64, variance: float) -> tuple[F64, F64]:
    """Posterior means and standard deviations of effects with this prior variance about 0, estimated with these errors.

    Normal prior and noise. Shrinkage corrects for selection: extreme estimates are partly extreme by chance.
    """
    trust = variance / (variance + error**2) if variance else np.zeros(len(error))
    return trust * effect, np.sqrt(trust) * error


def life_gain_s(rate: F64, less: F64) -> F64:
    """Seconds of battery life gained when a drain (ppm/s) falls by `less`. NaN if no drain is left."""
    with np.errstate(divide="ignore", invalid="ignore"):
        left = rate - less
        return np.where((rate > 0) & (left > 0), 1e6 / left - 1e6 / rate, np.nan)


def descending_order(values: F64) -> I64:
    """Indices from the greatest value to the least, NaN last. Values that agree to nine digits keep their order.

    Engines sum in any order, so the last digits differ between runs.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        digit = 10.0 ** (np.floor(np.log10(np.abs(values))) - 8)
        rounded = np.where(np.isfinite(digit) & (digit > 0), np.round(values / digit) * digit, values)
    return np.argsort(-rounded, kind="stable")
