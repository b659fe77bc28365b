"""Families of models. Cross-validation selects one, unless the user does.

It has relative errors (NMAE: paper 3, equation 6 and table 3), errors in joules, and predictions of left-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.cases import (
    RIDGES,
    Cases,
    Pair,
    WeightedSums,
    bayesian_ridge,
    fold_sums,
    gradient_descent,
    huber,
    non_negative,
)
from navitas.insight.operations.regress.libraries import library
from navitas.insight.operations.regress.noise import Noise, floored
from navitas.recording.parse.arrays import F64, I64

DEFAULT, PAIRS = "nnls", "quadratic"
NAMES = (DEFAULT, "gradient", "huber", "bayes", PAIRS)
_LEADING = 8
"""Features whose squares and products the family `quadratic` has."""
_MOST_CELLS = 4_000_000
"""Families that need all rows are fitted to a random part of larger tables."""
FOLDS = 4
SEED = 0
Solve = Callable[[int | None], F64]
"""Returns coefficients, fitted without the fold of this number, or to all rows."""


@dataclass(frozen=True, slots=True)
class FamilyScores:
    """Errors of each fold: NMAE as a share in training and validation, and the mean error of validation in joules (`mean_j`).

    `judged`: the mean error by which fits are compared, in units of the noise that the loss is right for, with a least unit so
    that no tiny energy decides. No error is a share of an energy of 0, so relative ones are those of other rows, unless a fold
    has none. `predicted`: (n,), joules, by the fit without the row's fold.
    """

    training: tuple[float, ...]
    validation: tuple[float, ...]
    mean_j: tuple[float, ...]
    judged: tuple[float, ...]
    predicted: F64

    @property
    def mean(self) -> float:
        """The mean of the judged errors."""
        return float(np.mean(self.judged))

    @property
    def error(self) -> float:
        """The standard error of this mean, over folds."""
        return standard_error(self.judged)


def standard_error(folds: Sequence[float]) -> float:
    """The standard error of a mean over folds."""
    return float(np.std(folds, ddof=1) / np.sqrt(len(folds)))


def nmae(y: F64, predicted: F64) -> float:
    """Mean of |ŷ - y| / y over rows whose measured energy is not 0."""
    some = y > 0
    return float((np.abs(predicted[some] - y[some]) / y[some]).mean()) if some.any() else float("nan")


def fold_numbers(rows: int, groups: I64 | None) -> I64:
    """The fold of each row: random with a fixed seed, or such that no group is in two folds.

    Raises `UsageError` if there is a single group.
    """
    selection = library("sklearn.model_selection")
    found = np.zeros(rows, np.int64)
    empty = np.zeros((rows, 1))
    if groups is None:
        splits = selection.KFold(FOLDS, shuffle=True, random_state=SEED).split(empty)
    else:
        count = min(FOLDS, len(np.unique(groups)))
        if count < 2:
            raise UsageError("all rows are of one group", "Leave out --group, or name a column with several groups.")
        splits = selection.GroupKFold(count).split(empty, groups=groups)
    for number, (_, inside) in enumerate(splits):
        found[inside] = number
    return found


def cross_validate(cases: Cases, solve: Solve, loss: Noise) -> FamilyScores:
    """Fit without each fold, and predict all rows."""
    predicted, divisor = np.empty(len(cases.y)), floored(cases.y, cases.y) ** loss.exponent
    is_judged = (cases.y > 0) | (loss is Noise.CONSTANT)
    training, validation, mean_j, judged = [], [], [], []
    for number, fold in enumerate(cases.folds):
        every = cases.predict(solve(number))
        others = cases.outside(fold)
        predicted[fold] = every[fold]
        training.append(nmae(cases.y[others], every[others]))
        validation.append(nmae(cases.y[fold], every[fold]))
        size = np.abs(every[fold] - cases.y[fold])
        mean_j.append(float(size.mean()))
        some = is_judged[fold] if is_judged[fold].any() else slice(None)
        judged.append(float((size / divisor[fold])[some].mean()))
    return FamilyScores(tuple(training), tuple(validation), tuple(mean_j), tuple(judged), predicted)


def constant_scores(cases: Cases, statistic: Callable[[F64], float], loss: Noise) -> FamilyScores:
    """The errors of a prediction that is the same for all rows, such as the mean."""

    def solve(fold: int | None) -> F64:
        y = cases.y if fold is None else cases.y[cases.outside(cases.folds[fold])]
        return np.append(float(statistic(y)), np.zeros(cases.x.shape[1]))

    return cross_validate(cases, solve, loss)


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
