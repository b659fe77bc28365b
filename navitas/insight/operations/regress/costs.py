"""Costs of operations with standard errors, and which of them the cases identify.

Which columns the cases cannot separate is decided before fitting (Belsley, Kuh and Welsch 1980, chapter 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.insight.operations.regress.cases import Cases, WeightedSums, blocks, least_squares_of, members, with_ones
from navitas.insight.operations.regress.libraries import library
from navitas.recording.parse.arrays import F64, I64, Bool

TOLERANCE = 0.10
"""Costs of identifiable operations are this close to the true ones, all together, with a probability of 95 %."""
_MISSES = 0.05
_RIDGE = 1e-8
_NEGATIVE_T = -2.0
MOST_INDEX = 30.0
"""The condition index from which a dependency is strong."""
_LEAST_SHARE = 0.5
"""A column takes part in dependencies if they have this share of its coefficient's variance."""
_TOGETHER = 0.3
_TINY = 1e-14


def dependent_columns(sums: WeightedSums) -> list[list[int]]:
    """Groups of columns of x (numbered from 0) that change together.

    The idle column is projected out and columns are scaled to unit length. Columns are of one group if most of the variance
    of their coefficients comes from the same directions with a condition index above 30. This does not depend on which
    basis of these directions the decomposition returns.
    """
    own = sums.xx[1:, 1:] - np.outer(sums.xx[0, 1:], sums.xx[0, 1:]) / sums.xx[0, 0]
    length = np.sqrt(np.maximum(np.diag(own), 0.0))
    length = np.where(length > 0, length, 1.0)
    values, vectors = np.linalg.eigh(own / np.outer(length, length))
    if not len(values):
        return []
    values = np.maximum(values, _TINY * values[-1])
    weak = np.sqrt(values[-1] / values) > MOST_INDEX
    if not weak.any():
        return []
    variance = vectors**2 / values
    involved = variance[:, weak].sum(axis=1) / variance.sum(axis=1) > _LEAST_SHARE
    direction = vectors[:, weak] @ vectors[:, weak].T
    part = np.sqrt(np.maximum(np.diag(direction), _TINY))
    linked = (np.abs(direction) / np.outer(part, part) > _TOGETHER) & np.outer(involved, involved)
    return [group for group in members(library("scipy.sparse.csgraph").connected_components(linked)[1]) if len(group) > 1]


@dataclass(frozen=True, slots=True)
class Term:
    """Operations with one cost. `columns`: of x; none for the idle term. `cost_j`: joules for a unit of their sum.

    `energy_j`: of all cases. `asks_negative`: without the bound at 0, the cost would be significantly negative.
    """

    columns: tuple[int, ...]
    cost_j: float
    error_j: float
    energy_j: float
    identifiable: bool = False
    asks_negative: bool = False


def terms_of(
    cases: Cases, weight: F64, sums: WeightedSums, coefficient: F64, merged: Sequence[Sequence[int]], *, bounded: bool
) -> list[Term]:
    """The idle term, and a term for each operation or group of merged ones.

    `coefficient`: (1 + p,), of (1, x). A merged cost is for the sum in the proportion of the cases. `bounded`: coefficients
    cannot be negative; those at 0 have the error of the fit without this bound.
    """
    columns = cases.x.shape[1]
    units = np.append(1.0, cases.scale)
    totals = np.append(float(len(cases.y)), cases.x.sum(axis=0)) * units
    free = least_squares_of(sums, _RIDGE) if len(cases.y) > columns + 1 else coefficient
    every = np.ones(columns + 1, bool)
    active = coefficient > 0 if bounded else every.copy()
    active[0] = True
    spread = _Spread.of(cases, weight, sums, coefficient, active)
    free_spread = spread if active.all() else _Spread.of(cases, weight, sums, coefficient, every)
    inside = {column for group in merged for column in group}
    singles = [(column,) for column in range(columns) if column not in inside]
    found = []
    for own in [(), *sorted([*singles, *map(tuple, merged)])]:
        places = np.array([0]) if not own else np.array(own) + 1
        amount = np.abs(totals[places])
        share = np.zeros(columns + 1)
        share[places] = (amount / amount.sum() if amount.sum() > 0 else 1 / len(places)) / units[places]
        cost = float(coefficient @ share)
        error = (spread if active[places].any() else free_spread).error(share)
        negative = bounded and not active[places].any() and float(free @ share) < _NEGATIVE_T * free_spread.error(share)
        energy = float((coefficient[places] * totals[places] / units[places]).sum())
        found.append(Term(own, cost, error, energy, asks_negative=negative))
    return _identified(found, len(cases.y) - int(active.sum()))


def _identified(terms: list[Term], freedom: int) -> list[Term]:
    """Mark terms of one operation from the smallest relative error on, until the expected number of misses is 5 %."""
    if freedom < 1:
        return terms
    relative = np.array([one.error_j / abs(one.cost_j) if one.cost_j and len(one.columns) == 1 else np.inf for one in terms])
    known = np.isfinite(relative)
    miss = np.ones(len(terms))
    miss[known] = 2 * library("scipy.special").stdtr(freedom, -TOLERANCE / np.maximum(relative[known], 1e-12))
    order = np.argsort(miss, kind="stable")
    good = order[: int((np.cumsum(miss[order]) <= _MISSES).sum())]
    return [replace(one, identifiable=number in good) for number, one in enumerate(terms)]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Covariances of coefficients: a root of the model's, and those that hold for noise of any shape and for groups."""

    active: Bool
    scale: F64
    root: F64
    robust: tuple[F64, ...]
    variance: float

    @classmethod
    def of(cls, cases: Cases, weight: F64, sums: WeightedSums, coefficient: F64, active: Bool) -> _Spread:
        scale = sums.lengths[active]
        matrix = sums.xx[np.ix_(active, active)] / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(matrix)
        root = vectors / np.sqrt(np.maximum(values, 0.0) + _RIDGE)
        scores, squares = _scores(cases, weight, coefficient, active, (root, scale))
        variance = squares / max(len(cases.y) - int(active.sum()), 1)
        robust: tuple[F64, ...] = (scores.T @ scores,)
        if cases.groups is not None:
            robust = (*robust, _clustered(scores, cases.groups))
        return cls(active, scale, root, robust, variance)

    def error(self, share: F64) -> float:
        """The standard error of Σ share·coefficient: the largest of the estimates."""
        seen = self.root.T @ (share[self.active] / self.scale)
        middle = [float(seen @ each @ seen) for each in self.robust]
        return float(np.sqrt(max(self.variance * float(seen @ seen), *middle, 0.0)))


def _scores(cases: Cases, weight: F64, coefficient: F64, active: Bool, unit: tuple[F64, F64]) -> tuple[F64, float]:
    """Each row's part in the error, (n, q), with residuals corrected for the row's leverage (HC2); and the sum of squares."""
    root, scale = unit
    scores = np.empty((len(cases.y), root.shape[1]))
    squares = 0.0
    for some in blocks(slice(0, len(cases.y))):
        z = with_ones(cases.x[some])
        root_weight = np.sqrt(weight[some])
        residual = (cases.y[some] - z @ coefficient) * root_weight
        seen = (z[:, active] / scale * root_weight[:, None]) @ root
        leverage = np.minimum((seen**2).sum(axis=1), 1 - 1e-6)
        scores[some] = seen * (residual / np.sqrt(1 - leverage))[:, None]
        squares += float(residual @ residual)
    return scores, squares


def _clustered(scores: F64, groups: I64) -> F64:
    """The covariance if the errors of a group's rows depend on each other (Liang and Zeger 1986)."""
    count = int(groups.max()) + 1
    sums = np.zeros((count, scores.shape[1]))
    np.add.at(sums, groups, scores)
    return np.asarray(sums.T @ sums * count / max(count - 1, 1), np.float64)
