"""How the noise of measured energy grows with the energy, and the weights of cases that are right for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from navitas.insight.operations.regress.cases import Cases, fold_sums, non_negative
from navitas.recording.parse.arrays import F64, I64

_PASSES = 3
_LARGE = 4_000_000
_EXPONENTS = np.linspace(-0.5, 1.5, 41)
_FREEDOM = 3.0
_SCALE_STEPS = 30
_MOST_ERRORS = 10_000
_WITHIN = 1.92
"""Half of the 95 % quantile of χ² with one degree of freedom."""


class Noise(StrEnum):
    """The noise of measured energy: as many joules in each case, the same share of its energy, or between these."""

    CONSTANT = "constant"
    ROOT = "root"
    PROPORTIONAL = "proportional"

    @property
    def exponent(self) -> float:
        """The power of the energy that its standard deviation grows with."""
        return {Noise.CONSTANT: 0.0, Noise.ROOT: 0.5, Noise.PROPORTIONAL: 1.0}[self]


@dataclass(frozen=True, slots=True)
class Growth:
    """The power of the energy with which errors grow, and its 95 % interval. All are in -0.5 … 1.5."""

    exponent: float
    low: float
    high: float

    @property
    def nearest(self) -> Noise:
        return min(Noise, key=lambda one: abs(one.exponent - self.exponent))

    @property
    def for_loss(self) -> Noise:
        """Proportional, as the noise of most measurements of energy, unless the interval excludes it; and else the nearest."""
        return Noise.PROPORTIONAL if self.high >= 1 else self.nearest


def least_divisor(y: F64) -> float:
    """Half of the 1st percentile of the positive energies."""
    positive = y[y > 0]
    return 0.5 * float(np.quantile(positive, 0.01)) if positive.size else 1.0


def floored(energy: F64, y: F64) -> F64:
    """Energies as divisors: at least half of the 1st percentile of the positive measured ones, so that they are never 0."""
    return np.maximum(energy, least_divisor(y))


def weights(cases: Cases, noise: Noise) -> F64:
    """Weights of rows with a mean of 1: 1/ŷ^(2·exponent), with ŷ from the fit before (reweighted least squares)."""
    weight = np.ones(len(cases.y))
    if noise is not Noise.CONSTANT:
        for _ in range(_PASSES if cases.x.size < _LARGE else 1):
            predicted = cases.predict(non_negative(fold_sums(cases, weight)[0]))
            weight = floored(predicted, cases.y) ** (-2 * noise.exponent)
            weight /= weight.mean()
    return weight


def growth_in(cases: Cases, weight: F64) -> Growth:
    """The growth of errors of left-out rows in linear fits. The weights should be relative: others miss small energies."""
    total, each = fold_sums(cases, weight)
    predicted = np.empty(len(cases.y))
    for fold, sums in zip(cases.folds, each, strict=True):
        predicted[fold] = cases.predict(non_negative(total.minus(sums)))[fold]
    return growth_of(cases.y, predicted, cases.groups)


def growth_of(y: F64, predicted: F64, groups: I64 | None = None) -> Growth:
    """The most likely growth with the predicted energy, if errors have Student's t distribution with 3 degrees of freedom.

    This is the power-of-the-mean model of variance (Carroll and Ruppert 1988, "Transformation and Weighting in Regression",
    chapter 3). Rows with operations that hardly occur elsewhere have large errors under any noise. Here, they count little.
    Energies of 0 are left out: often nothing ran, so that their error is 0, whatever the noise.

    Rows of one group count as one, as their errors may be equal: the log-likelihood is divided by the size of a row's group, on
    average over rows (the design effect of Kish 1965, "Survey Sampling", for a correlation of 1).
    """
    some = y > 0 if y.any() else y == 0
    step = -(-int(some.sum()) // _MOST_ERRORS)
    y, predicted = y[some], predicted[some]
    own = np.arange(len(y)) if groups is None else groups[some][::step]
    rows_of_group = np.bincount(own)[own].mean()
    level = np.log(floored(predicted, y)[::step])
    size = np.log(np.maximum(np.abs(y - predicted), 1e-9 * float(y.mean()))[::step])
    squares = np.exp(2 * (size - _EXPONENTS[:, None] * (level - level.mean())))
    scale = np.median(squares, axis=1, keepdims=True)
    for _ in range(_SCALE_STEPS):
        scale = np.mean((_FREEDOM + 1) / (_FREEDOM / squares + 1 / scale), axis=1, keepdims=True)
    misfit = (0.5 * np.log(scale) + (_FREEDOM + 1) / 2 * np.log1p(squares / scale / _FREEDOM)).sum(axis=1)
    inside = _EXPONENTS[misfit <= misfit.min() + _WITHIN * rows_of_group]
    return Growth(float(_EXPONENTS[int(np.argmin(misfit))]), float(inside[0]), float(inside[-1]))
