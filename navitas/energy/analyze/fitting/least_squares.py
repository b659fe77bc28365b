"""Least squares with coefficients that cannot be negative, their errors, and what the data cannot separate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.extra_libraries import extra_library
from navitas.recording.parse.arrays import F64, I64, Bool

ROWS_EACH = 5
"""The least number of rows for each unknown."""
INFLATED = 10.0
"""Variance inflation from which a coefficient is doubtful (a common rule of thumb)."""
_INSEPARABLE = 1e5
_APART = 0.05
"""The share of a column's range by which a row differs from the usual value."""
_FOLDS = 5
_ROUNDS = 100
_MOST_CORRELATED = 0.95
_NEGATIVE_T = -2.0


class TooFewRowsError(UsageError):
    """There are fewer rows than the unknowns need."""


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """y ≈ base + X·coefficient, with one row for each interval.

    - `kept`: the columns of X in the fit. The others have no coefficient; `notes` say why.
    - `error`, `base_error`: standard errors. They grow with the correlation of neighboring residuals.
    - `inflation`: variance inflation factors.
    - `held_out`: relative errors of the sum of y in parts that were left out of the fit.
    """

    kept: tuple[int, ...]
    coefficient: F64
    error: F64
    inflation: F64
    base: float
    base_error: float
    r2: float
    rmse: float
    held_out: F64
    notes: tuple[str, ...]


def least_squares(use: F64, y: F64, weight: F64, part: I64, names: Sequence[str], *, what: str) -> LeastSquares:
    """Fit y by the columns of `use`. No coefficient is negative (Lawson and Hanson's algorithm).

    `weight` is the length of each row's interval. `part` numbers the recordings: whole ones are left out to find the held-out
    error, or fifths if there are fewer than three. `what` names y in messages. Raises `TooFewRowsError`.
    """
    kept, notes = _separable(use, names) if len(y) else (tuple(range(len(names))), [])
    needed = ROWS_EACH * (len(kept) + 1)
    if len(y) < needed:
        message = f"{what}: {len(y)} intervals are too few for {len(kept) + 1} unknowns; {needed} are needed"
        raise TooFewRowsError(message, "give more or longer recordings, or a shorter --interval")
    columns = np.column_stack([np.ones(len(y)), use[:, list(kept)]])
    solved = _solve(columns, y, weight)
    residual = y - columns @ solved
    spread = _widened(residual, part)
    free, free_error = _ordinary(columns, y, weight, np.ones(columns.shape[1], bool), spread)
    active = solved > 0
    active[0] = True
    _, error = _ordinary(columns, y, weight, active, spread)
    error = np.where(active, error, free_error)
    inflation = _inflation(columns[:, 1:])
    for number, column in enumerate(kept):
        if not active[number + 1] and free[number + 1] < _NEGATIVE_T * free_error[number + 1]:
            notes.append(f"{names[column]}: 0, as the data ask for a negative value: a use that goes with it is not recorded")
        if inflation[number] > INFLATED:
            with_it = names[kept[_closest(columns[:, 1:], number)]]
            factor = f"variance inflation {inflation[number]:.0f}"
            notes.append(f"{names[column]}: changes together with {with_it} ({factor}), so its value is doubtful")
    mean = np.average(y, weights=weight)
    total = float((weight * (y - mean) ** 2).sum())
    explained = 1 - float((weight * residual**2).sum()) / total if total > 0 else 0.0
    rmse = float(np.sqrt(np.average(residual**2, weights=weight)))
    held_out = _held_out(columns, y, weight, part)
    return LeastSquares(
        kept, solved[1:], error[1:], inflation, float(solved[0]), float(error[0]), explained, rmse, held_out, tuple(notes)
    )


def _separable(use: F64, names: Sequence[str]) -> tuple[tuple[int, ...], list[str]]:
    """The columns that change in enough rows, and that no combination of the columns before them equals."""
    kept: list[int] = []
    notes, constant = [], []
    for column, name in enumerate(names):
        if np.ptp(use[:, column]) <= 1e-9 * max(np.abs(use[:, column]).max(initial=0.0), 1e-9):
            constant.append(name)
        elif (count := _rows_apart(use[:, column])) < ROWS_EACH:
            notes.append(f"{name}: changed in only {count} intervals, so it is left out")
        elif kept and _inflation(use[:, [*kept, column]])[-1] > _INSEPARABLE:
            with_it = names[kept[_closest(use[:, [*kept, column]], len(kept))]]
            notes.append(f"{name}: cannot be separated from {with_it}, whose coefficient has both")
        else:
            kept.append(column)
    if constant:
        notes.append(f"{', '.join(constant)}: never changed, so the base has what they cost")
    return tuple(kept), notes


def _rows_apart(column: F64) -> int:
    """The number of rows that differ from the usual value: a coefficient rests on these alone."""
    return int((np.abs(column - np.median(column)) > _APART * np.ptp(column)).sum())


def _solve(columns: F64, y: F64, weight: F64) -> F64:
    """Non-negative weighted least squares. Columns are scaled, so that units do not matter."""
    root = np.sqrt(weight)
    scale = np.abs(columns).max(axis=0, initial=0.0)
    scale[scale == 0] = 1.0
    return np.asarray(non_negative(columns / scale * root[:, None], y * root) / scale, np.float64)


def non_negative(columns: F64, y: F64) -> F64:
    """The non-negative coefficients with the least squared error (Lawson and Hanson's algorithm).

    Raises `UsageError` if SciPy is not installed, or if the fit does not converge.
    """
    optimize = extra_library("scipy.optimize", "fitting needs", "fit")
    try:
        return np.asarray(optimize.nnls(columns, y, maxiter=_ROUNDS * columns.shape[1])[0], np.float64)
    except RuntimeError as error:
        raise UsageError(f"the fit does not converge: {error}", "Check the measured points for damage.") from error


def _ordinary(columns: F64, y: F64, weight: F64, active: Bool, spread: float) -> tuple[F64, F64]:
    """Weighted least squares of the active columns, with standard errors; 0 for the others."""
    root = np.sqrt(weight / weight.mean())
    x = columns[:, active] * root[:, None]
    inverse = np.linalg.pinv(x.T @ x)
    value, error = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
    value[active] = inverse @ (x.T @ (y * root))
    residual = (y - columns @ value) * root
    variance = float(residual @ residual) / max(len(y) - int(active.sum()), 1)
    error[active] = spread * np.sqrt(np.maximum(np.diag(inverse), 0.0) * variance)
    return value, error


def _widened(residual: F64, part: I64) -> float:
    """How much wider errors are because neighboring residuals correlate (as for an AR(1) process)."""
    inside = part[1:] == part[:-1]
    one, two = residual[:-1][inside], residual[1:][inside]
    power = float(np.sqrt((one @ one) * (two @ two))) if len(one) else 0.0
    correlation = min(max(float(one @ two) / power, 0.0), _MOST_CORRELATED) if power > 0 else 0.0
    return float(np.sqrt((1 + correlation) / (1 - correlation)))


def _standard(use: F64) -> F64:
    centered = use - use.mean(axis=0)
    deviation = centered.std(axis=0)
    return np.asarray(centered / np.where(deviation > 0, deviation, 1.0), np.float64)


def _inflation(use: F64) -> F64:
    """Variance inflation factors: the diagonal of the inverse of the correlations."""
    if use.shape[1] < 2:
        return np.ones(use.shape[1])
    standard = _standard(use)
    correlation = standard.T @ standard / len(use)
    # The ridge bounds the factors of columns that depend on each other exactly.
    return np.asarray(np.diag(np.linalg.inv(correlation + 1e-9 * np.eye(len(correlation)))), np.float64)


def _closest(use: F64, column: int) -> int:
    """The other column that correlates most with a column."""
    standard = _standard(use)
    shared = np.abs(standard.T @ standard[:, column])
    shared[column] = -1.0
    return int(shared.argmax())


def _held_out(columns: F64, y: F64, weight: F64, part: I64) -> F64:
    """Relative errors of the sum of y in each part, by a fit of all other parts."""
    parts = part if len(np.unique(part)) >= 3 else np.arange(len(y)) * _FOLDS // len(y)
    errors = []
    for number in np.unique(parts):
        out = parts == number
        measured = float((weight * y)[out].sum())
        if measured > 0 and (~out).sum() > columns.shape[1]:
            solved = _solve(columns[~out], y[~out], weight[~out])
            errors.append(float((weight * (columns @ solved))[out].sum()) / measured - 1)
    return np.array(errors)
