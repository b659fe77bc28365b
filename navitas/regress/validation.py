"""Cross-validation: normalised mean absolute errors (paper 3, equation 6 and table 3) and residuals of left-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from navitas.errors import UsageError
from navitas.regress.arrays import F64, I64
from navitas.regress.cases import Cases
from navitas.regress.libraries import library

FOLDS = 4
SEED = 0
Solve = Callable[[int | None], F64]
"""Returns coefficients, fitted without the fold of this number, or to all rows."""


@dataclass(frozen=True, slots=True)
class FamilyScores:
    """Errors of each fold, as shares. `predicted`: (n,), joules, by the fit without the row's fold."""

    training: tuple[float, ...]
    validation: tuple[float, ...]
    predicted: F64

    @property
    def mean(self) -> float:
        """The mean error of validation."""
        return float(np.mean(self.validation))

    @property
    def error(self) -> float:
        """The standard error of the mean over folds."""
        return float(np.std(self.validation, ddof=1) / np.sqrt(len(self.validation)))


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


def cross_validate(cases: Cases, solve: Solve) -> FamilyScores:
    """Fit without each fold, and predict all rows."""
    predicted = np.empty(len(cases.y))
    training, validation = [], []
    for number, fold in enumerate(cases.folds):
        every = cases.predict(solve(number))
        others = cases.outside(fold)
        predicted[fold] = every[fold]
        training.append(nmae(cases.y[others], every[others]))
        validation.append(nmae(cases.y[fold], every[fold]))
    return FamilyScores(tuple(training), tuple(validation), predicted)


def constant_scores(cases: Cases, statistic: Callable[[F64], float]) -> FamilyScores:
    """The errors of a prediction that is the same for all rows, such as the mean."""

    def solve(fold: int | None) -> F64:
        y = cases.y if fold is None else cases.y[cases.outside(cases.folds[fold])]
        return np.append(float(statistic(y)), np.zeros(cases.x.shape[1]))

    return cross_validate(cases, solve)
