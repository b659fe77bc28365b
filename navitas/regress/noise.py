"""Whether the measured energy's noise is constant or proportional to it, and the weights that follow."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.cases import Cases, fold_sums
from navitas.regress.solvers import non_negative

_PASSES = 3
_LARGE = 4_000_000


class Noise(StrEnum):
    """The noise of measured energy: the same number of joules in each case, or the same share of its energy."""

    CONSTANT = "constant"
    PROPORTIONAL = "proportional"


def floored(energy: F64, y: F64) -> F64:
    """Energies, at least half of the 1st percentile of the positive measured ones: divisors that are never 0."""
    positive = y[y > 0]
    return np.maximum(energy, 0.5 * float(np.quantile(positive, 0.01)) if positive.size else 1.0)


def weights(cases: Cases, noise: Noise) -> F64:
    """Weights of rows with a mean of 1. For proportional noise, 1/ŷ², with ŷ from the fit before (reweighted least squares)."""
    weight = np.ones(len(cases.y))
    if noise is Noise.PROPORTIONAL:
        for _ in range(_PASSES if cases.x.size < _LARGE else 1):
            predicted = cases.predict(non_negative(fold_sums(cases, weight)[0]))
            weight = floored(predicted, cases.y) ** -2.0
            weight /= weight.mean()
    return weight


def noise_of(cases: Cases) -> Noise:
    """The kind of noise under which errors of left-out rows have the same size in all rows.

    This is where log(error / expected size) varies least, by the range of its middle half. A few rows with operations that
    hardly occur elsewhere have large errors under any noise, and do not matter.
    """
    varies = {}
    for noise in Noise:
        weight = weights(cases, noise)
        total, each = fold_sums(cases, weight)
        size, scale = np.empty(len(cases.y)), np.empty(len(cases.y))
        for fold, sums in zip(cases.folds, each, strict=True):
            predicted = cases.predict(non_negative(total.minus(sums)))[fold]
            size[fold] = np.abs(cases.y[fold] - predicted)
            scale[fold] = floored(predicted, cases.y) if noise is Noise.PROPORTIONAL else 1.0
        ratio = np.log(np.maximum(size / scale, 1e-12 * float(np.mean(size / scale)) + 1e-300))
        varies[noise] = float(np.subtract(*np.quantile(ratio, [0.75, 0.25])))
    return min(varies, key=lambda one: varies[one])
