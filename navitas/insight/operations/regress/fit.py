"""Fit a model of energy to a table of execution cases (paper 3, section 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from pydantic import ValidationError

from navitas.base.errors import UsageError
from navitas.base.model_defects import first_defect
from navitas.insight.operations.regress.cases import Cases, members, sums_of
from navitas.insight.operations.regress.costs import Term, dependent_columns, terms_of
from navitas.insight.operations.regress.described import FitFindings, FitLoss, described
from navitas.insight.operations.regress.families import (
    DEFAULT,
    NAMES,
    PAIRS,
    FamilyScores,
    Fitted,
    constant_scores,
    fit_family,
    most_rows,
)
from navitas.insight.operations.regress.libraries import library
from navitas.insight.operations.regress.model_file import OperationsModel
from navitas.insight.operations.regress.noise import Noise, floored, growth_in, growth_of, least_divisor, weights
from navitas.insight.operations.regress.prepare import AUTO, LOSSES, FitOptions, Prepared, prepare
from navitas.insight.operations.regress.table import Table
from navitas.recording.parse.arrays import F64

_COMPARED_CELLS = 400_000
"""Families are compared on a random part of larger tables."""
_SMALL_CELLS = 4_000_000
"""With smaller tables, threads of BLAS mostly wait for each other, and keep all cores busy meanwhile."""
_CASES_EACH = 2
"""The least number of cases for each fitted column (Li and Gallagher have more operations than cases, and no such limit)."""


def fit_table(table: Table, options: FitOptions) -> OperationsModel:
    """Fit a model to a table.

    Raises `UsageError` if a column is missing or has text or empty cells, if the target is constant or negative, if
    there are fewer than 8 rows, if no column can have a cost, or if the fit does not end in numbers that a file can have.
    """
    ready = prepare(table, options)
    threads = 1 if ready.cases.x.size < _SMALL_CELLS else None
    try:
        with library("threadpoolctl").threadpool_limits(threads, user_api="blas"):
            return _fit_cases(table.name, ready, options)
    except ValidationError as error:
        place, message = first_defect(error)
        what = f"the numbers of operations and the energy are in units too different: {place}: {message}"
        raise UsageError(f"{table.name}: {what}", "Use units in which most numbers are closer to 1.") from error


def _fit_cases(source: str, ready: Prepared, options: FitOptions) -> OperationsModel:
    notes = list(ready.notes)
    groups, cases, loss = _grouped(ready.cases, options)
    rows, columns = cases.x.shape
    if columns < len(ready.names):
        few = f"{rows} cases are too few for {len(ready.names)} operations"
        notes.append(f"{few}: those that change most alike share {columns} costs")
    elif rows <= columns + 1:
        notes.append(f"{rows} cases are too few for {columns} operations and idling: no cost is identifiable")
    if loss.noise is not Noise.CONSTANT:
        notes += _small_energies(cases.y)
    weight = weights(cases, loss.noise)
    names = [name for name in NAMES if name != PAIRS or columns == len(ready.names)]
    fitted, scores = _fitted(cases, weight, loss.noise, options.family, names)
    if len(fitted.cases.y) < rows:
        notes.append(f"{fitted.family}: fitted to {len(fitted.cases.y):,} random rows")
    total = sums_of(cases, weight, slice(0, rows))
    linear = fitted if not fitted.pairs else fit_family(DEFAULT, cases, weight, loss.noise)
    if fitted.pairs:
        notes.append("the model has products of operations, so the costs are those of the best linear model")
    merged = dependent_columns(total)
    terms = terms_of(cases, weight, total, linear.coefficient, merged, bounded=linear.family == DEFAULT)
    noise = growth_of(fitted.cases.y, fitted.scores.predicted).nearest
    width, enough = half_width(fitted.cases.y, fitted.scores.predicted, noise, options.level)
    if not enough:
        notes.append(f"{rows} cases are too few for intervals of {100 * options.level:g} %: the largest error is used")
    terms = [_of_operations(term, groups) for term in terms]
    baselines = _baselines(ready, loss.noise)
    found = FitFindings(source, options.target, options.level, fitted, scores, baselines, loss, noise, terms, width, groups)
    return described(ready, found, notes)


def _grouped(cases: Cases, options: FitOptions) -> tuple[list[list[int]], Cases, FitLoss]:
    """Groups of columns with a common cost, if there are few cases and grouping does not make predictions worse; and the loss.

    Products of groups are no products of operations.
    """
    single = [[column] for column in range(cases.x.shape[1])]
    groups = column_groups(cases) if options.family != PAIRS else single
    with_groups = joined(cases, groups)
    loss = _loss(with_groups, options.loss)
    if len(groups) == len(single):
        return single, cases, loss
    weight = weights(with_groups, loss.noise)
    of_groups, plain = (fit_family(DEFAULT, one, weight, loss.noise).scores for one in (with_groups, cases))
    if of_groups.mean <= plain.mean + plain.error:
        return groups, with_groups, loss
    return single, cases, _loss(cases, options.loss)


def _loss(cases: Cases, wanted: str) -> FitLoss:
    """The loss that is wanted, or right for the noise of the cases."""
    some = cases.sampled(most_rows(cases, _COMPARED_CELLS))
    growth = growth_in(some, weights(some, Noise.PROPORTIONAL))
    return FitLoss(LOSSES[wanted] if wanted != AUTO else growth.for_loss, growth, is_wanted=wanted != AUTO)


def _small_energies(y: F64) -> list[str]:
    """Notes on energies that relative errors cannot be judged by."""
    least_j = least_divisor(y)
    zeros, tiny = int((y == 0).sum()), int(((y > 0) & (y < least_j)).sum())
    notes = [f"{zeros:,} of {len(y):,} cases have an energy of 0: the errors of the others select the fit"] if zeros else []
    if tiny:
        less = f"{tiny:,} of {len(y):,} cases have under {least_j:.3g} J"
        notes.append(f"{less}: their errors count much in NMAE, but little in the selection of the fit")
    return notes


def _of_operations(term: Term, groups: list[list[int]]) -> Term:
    """A term of fitted columns, with the operations in them.

    If any operations share a cost because cases are few, no cost is identifiable: a wrong group makes the others wrong, too.
    """
    columns = tuple(column for place in term.columns for column in groups[place])
    is_single = all(len(group) == 1 for group in groups)
    return replace(term, columns=columns, identifiable=term.identifiable and is_single)


def _fitted(
    cases: Cases, weight: F64, loss: Noise, forced: str | None, names: Sequence[str]
) -> tuple[Fitted, dict[str, FamilyScores]]:
    """The default unless another family is better by more than one standard error, and the errors of all families."""
    if forced is not None:
        found = _fit(forced, cases, weight, loss)
        return found, {forced: found.scores}
    some = cases.sampled(most_rows(cases, _COMPARED_CELLS))
    found_by = {name: _fit(name, some, weight if some is cases else weights(some, loss), loss) for name in names}
    best = min(found_by.values(), key=lambda one: one.scores.mean)
    plain = found_by[DEFAULT]
    name = best.family if plain.scores.mean > best.scores.mean + best.scores.error else DEFAULT
    chosen = found_by[name] if some is cases else _fit(name, cases, weight, loss)
    return chosen, {each: one.scores for each, one in found_by.items()} | {name: chosen.scores}


def _fit(family: str, cases: Cases, weight: F64, loss: Noise) -> Fitted:
    """Fit a family, to a random part of the rows if it needs all of them and they are many."""
    some = cases if family in (DEFAULT, "gradient") else cases.sampled(most_rows(cases))
    return fit_family(family, some, weight if some is cases else weights(some, loss), loss)


def _baselines(ready: Prepared, loss: Noise) -> dict[str, FamilyScores]:
    """Errors of the mean, of the median, and of a line over time."""
    found = {"mean": constant_scores(ready.cases, np.mean, loss), "median": constant_scores(ready.cases, np.median, loss)}
    if ready.time is not None:
        name, times = ready.time
        only = ready.cases.only(times)
        found[f"time ({name})"] = fit_family(DEFAULT, only, weights(only, loss), loss).scores
    return found


def column_groups(cases: Cases) -> list[list[int]]:
    """Return groups of columns, at most one for two cases. Each column is in one group; alone if there are enough cases.

    Columns of a group have the largest correlations: hierarchical clustering with average linkage of 1 - r.
    """
    rows, columns = cases.x.shape
    most = max(1, rows // _CASES_EACH)
    if columns <= most:
        return [[column] for column in range(columns)]
    hierarchy = library("scipy.cluster.hierarchy")
    apart = 1 - _correlations(cases.x)
    upper = apart[np.triu_indices(columns, 1)]
    label = hierarchy.fcluster(hierarchy.linkage(upper, "average"), most, "maxclust")
    return members(label)


def _correlations(x: F64) -> F64:
    centered = x - x.mean(axis=0)
    length = np.sqrt((centered**2).sum(axis=0))
    unit = centered / np.where(length > 0, length, 1.0)
    return np.asarray(np.clip(unit.T @ unit, -1.0, 1.0), np.float64)


def joined(cases: Cases, groups: list[list[int]]) -> Cases:
    """The cases with one column for each group: the sum of its columns, in the units of the table."""
    if all(len(group) == 1 for group in groups):
        return cases
    x = np.empty((len(cases.y), len(groups)), order="F")
    scale = np.empty(len(groups))
    for place, group in enumerate(groups):
        column = cases.x[:, group] @ cases.scale[group]
        scale[place] = float(np.abs(column).max()) or 1.0
        x[:, place] = column / scale[place]
    return Cases(x, cases.y, scale, cases.folds, cases.groups)


def half_width(y: F64, predicted: F64, noise: Noise, level: float) -> tuple[float, bool]:
    """The half width, in units of predicted energy to the power of the noise, and whether there are enough rows.

    That is joules for constant noise, and a share for proportional noise.

    It is the (n + 1)·level-th smallest error of left-out rows, between two of them by linear interpolation, so that intervals of
    few rows are not too wide. If there are fewer rows, it is the largest one. This is conformal prediction: Lei et al. 2018,
    "Distribution-free predictive inference for regression", section 5.2 (errors normalised by their expected size), and Barber et
    al. 2021, "Predictive inference with the jackknife+", section 3 (residuals of folds).
    """
    size = np.abs(y - predicted) / floored(predicted, y) ** noise.exponent
    rank = (len(y) + 1) * level
    return float(np.interp(rank, np.arange(1, len(y) + 1), np.sort(size))), math.ceil(rank) <= len(y)
