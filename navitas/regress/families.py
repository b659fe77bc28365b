"""Families of models. Cross-validation selects one, unless the user does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.cases import Cases, Pair, WeightedSums, fold_sums
from navitas.regress.noise import Noise
from navitas.regress.solvers import RIDGES, bayesian_ridge, gradient_descent, huber, non_negative
from navitas.regress.validation import FamilyScores, Solve, cross_validate

DEFAULT, PAIRS = "nnls", "quadratic"
NAMES = (DEFAULT, "gradient", "huber", "bayes", PAIRS)
_LEADING = 8
"""Features whose squares and products the family `quadratic` has."""
_MOST_CELLS = 4_000_000
"""Families that need all rows are fitted to a random part of larger tables."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted family. `coefficient`: of (1, x, products), for `cases`, a part of all rows for some families."""

    family: str
    coefficient: F64
    pairs: tuple[Pair, ...]
    scores: FamilyScores
    cases: Cases
    ridge: float = RIDGES[0]


def fit_family(family: str, cases: Cases, weight: F64, loss: Noise) -> Fitted:
    """Fit and cross-validate one family. `weight`: (n,), of the rows of `cases`. `loss`: the noise that it is right for."""
    if family == DEFAULT:
        return _by_ridge(cases, weight, loss)
    if family == "gradient":
        solve = _of_sums(*fold_sums(cases, weight), gradient_descent)
        return Fitted(family, solve(None), (), cross_validate(cases, solve, loss), cases)
    pairs: tuple[Pair, ...] = ()
    if family == PAIRS:
        pairs = _leading_pairs(cases, weight)
        cases = cases.expanded(pairs)
    solver = huber if family == "huber" else bayesian_ridge
    solve = partial(_by_rows, cases, weight, solver)
    return Fitted(family, solve(None), pairs, cross_validate(cases, solve, loss), cases)


def most_rows(cases: Cases, cells: int = _MOST_CELLS) -> int:
    """The number of rows with this many cells."""
    return max(200, int(cells // max(cases.x.shape[1], 1)))


def _by_ridge(cases: Cases, weight: F64, loss: Noise) -> Fitted:
    """The smallest regularisation whose error is at most one standard error above the least."""
    total, each = fold_sums(cases, weight)
    found = []
    for ridge in RIDGES:
        solve = _of_sums(total, each, partial(non_negative, ridge=ridge))
        found.append((ridge, solve, cross_validate(cases, solve, loss)))
    _, _, best = min(found, key=lambda one: one[2].mean)
    limit = best.mean + best.error
    ridge, solve, scores = next(one for one in found if not one[2].mean > limit)
    return Fitted(DEFAULT, solve(None), (), scores, cases, ridge)


def _of_sums(total: WeightedSums, each: list[WeightedSums], solver: Callable[[WeightedSums], F64]) -> Solve:
    return lambda fold: solver(total if fold is None else total.minus(each[fold]))


def _by_rows(cases: Cases, weight: F64, solver: Callable[[F64, F64, F64], F64], fold: int | None) -> F64:
    if fold is None:
        return solver(cases.x, cases.y, weight)
    rows = cases.outside(cases.folds[fold])
    return solver(cases.x[rows], cases.y[rows], weight[rows])


def _leading_pairs(cases: Cases, weight: F64) -> tuple[Pair, ...]:
    """Pairs of the features with the largest parts of the energy's variation, each also with itself."""
    slopes = non_negative(fold_sums(cases, weight)[0])[1:]
    part = slopes * cases.x.std(axis=0)
    leading = sorted(np.argsort(-part, kind="stable")[:_LEADING].tolist())
    return tuple((i, j) for place, i in enumerate(leading) for j in leading[place:])
