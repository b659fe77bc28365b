"""Fit a model of energy to a table of execution cases (paper 3, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import ValidationError

from navitas.errors import UsageError
from navitas.model_defects import first_defect
from navitas.regress.arrays import F64
from navitas.regress.cases import Cases, sums_of
from navitas.regress.collinear import dependent_columns
from navitas.regress.costs import Term, terms_of
from navitas.regress.described import described
from navitas.regress.families import DEFAULT, NAMES, PAIRS, Fitted, fit_family, most_rows
from navitas.regress.fit_results import FitFindings
from navitas.regress.grouping import column_groups, joined
from navitas.regress.intervals import half_width
from navitas.regress.libraries import library
from navitas.regress.model_file import OperationsModel
from navitas.regress.noise import Noise, noise_of, weights
from navitas.regress.prepare import Prepared, prepare
from navitas.regress.table import Table
from navitas.regress.validation import FamilyScores, constant_scores

_COMPARED_CELLS = 400_000
"""Families are compared on a random part of larger tables."""
_SMALL_CELLS = 4_000_000
"""With smaller tables, threads of BLAS mostly wait for each other, and keep all cores busy meanwhile."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What to fit. `family`: None selects one by cross-validation. `level`: the share of cases that intervals contain."""

    target: str
    group: str | None = None
    ignore: Sequence[str] = ()
    time: str | None = None
    family: str | None = None
    level: float = 0.9
    drop_missing: bool = False


def fit_table(table: Table, options: FitOptions) -> OperationsModel:
    """Fit a model to a table.

    Raises `UsageError` if a column is missing or has text or empty cells, if the target is constant or negative, if there are
    fewer than 8 rows, if no column can have a cost, or if the fit does not end in numbers that a file can have.
    """
    ready = prepare(table, options.target, options.group, options.ignore, options.time, drop_missing=options.drop_missing)
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
    groups = _groups(ready.cases, options.family)
    cases = joined(ready.cases, groups)
    rows, columns = cases.x.shape
    if columns < len(ready.names):
        few = f"{rows} cases are too few for {len(ready.names)} operations"
        notes.append(f"{few}: those that change most alike share {columns} costs")
    elif rows <= columns + 1:
        notes.append(f"{rows} cases are too few for {columns} operations and idling: no cost is identifiable")
    noise = noise_of(cases.sampled(most_rows(cases, _COMPARED_CELLS)))
    weight = weights(cases, noise)
    names = [name for name in NAMES if name != PAIRS or columns == len(ready.names)]
    fitted, scores = _fitted(cases, weight, noise, options.family, names)
    if len(fitted.cases.y) < rows:
        notes.append(f"{fitted.family}: fitted to {len(fitted.cases.y):,} random rows")
    total = sums_of(cases, weight, slice(0, rows))
    linear = fitted if not fitted.pairs else fit_family(DEFAULT, cases, weight)
    if fitted.pairs:
        notes.append("the model has products of operations, so the costs are those of the best linear model")
    merged = dependent_columns(total)
    terms = terms_of(cases, weight, total, linear.coefficient, merged, bounded=linear.family == DEFAULT)
    width, enough = half_width(fitted.cases.y, fitted.scores.predicted, noise, options.level)
    if not enough:
        notes.append(f"{rows} cases are too few for intervals of {100 * options.level:g} %: the largest error is used")
    terms = [_of_operations(term, groups) for term in terms]
    found = FitFindings(source, options.target, options.level, fitted, scores, _baselines(ready), noise, terms, width, groups)
    return described(ready, found, notes)


def _groups(cases: Cases, forced: str | None) -> list[list[int]]:
    """Groups of columns with a common cost, if there are few cases and grouping does not make predictions worse.

    Products of groups are no products of operations.
    """
    single = [[column] for column in range(cases.x.shape[1])]
    groups = column_groups(cases) if forced != PAIRS else single
    if len(groups) == len(single):
        return single
    with_groups, plain = (fit_family(DEFAULT, one, np.ones(len(one.y))).scores for one in (joined(cases, groups), cases))
    return groups if with_groups.mean <= plain.mean + plain.error else single


def _of_operations(term: Term, groups: list[list[int]]) -> Term:
    """A term of fitted columns, with the operations in them.

    If any operations share a cost because cases are few, no cost is identifiable: a wrong group makes the others wrong, too.
    """
    columns = tuple(column for place in term.columns for column in groups[place])
    is_single = all(len(group) == 1 for group in groups)
    return replace(term, columns=columns, identifiable=term.identifiable and is_single)


def _fitted(
    cases: Cases, weight: F64, noise: Noise, forced: str | None, names: Sequence[str]
) -> tuple[Fitted, dict[str, FamilyScores]]:
    """The default unless another family is better by more than one standard error, and the errors of all families."""
    if forced is not None:
        found = _fit(forced, cases, weight, noise)
        return found, {forced: found.scores}
    some = cases.sampled(most_rows(cases, _COMPARED_CELLS))
    found_by = {name: _fit(name, some, weight if some is cases else weights(some, noise), noise) for name in names}
    best = min(found_by.values(), key=lambda one: one.scores.mean)
    plain = found_by[DEFAULT]
    name = best.family if plain.scores.mean > best.scores.mean + best.scores.error else DEFAULT
    chosen = found_by[name] if some is cases else _fit(name, cases, weight, noise)
    return chosen, {each: one.scores for each, one in found_by.items()} | {name: chosen.scores}


def _fit(family: str, cases: Cases, weight: F64, noise: Noise) -> Fitted:
    """Fit a family, to a random part of the rows if it needs all of them and they are many."""
    some = cases if family in (DEFAULT, "gradient") else cases.sampled(most_rows(cases))
    return fit_family(family, some, weight if some is cases else weights(some, noise))


def _baselines(ready: Prepared) -> dict[str, FamilyScores]:
    """Errors of the mean, of the median, and of a line over time."""
    found = {"mean": constant_scores(ready.cases, np.mean), "median": constant_scores(ready.cases, np.median)}
    if ready.time is not None:
        name, times = ready.time
        only = ready.cases.only(times)
        noise = noise_of(only.sampled(most_rows(ready.cases, _COMPARED_CELLS)))
        found[f"time ({name})"] = fit_family(DEFAULT, only, weights(only, noise)).scores
    return found
