"""Predict the energy of a table's rows by a fitted model, and mark predictions where no training rows lie.

Needs no library for fitting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.base.errors import UsageError
from navitas.insight.operations.regress.model_file import OperationsModel
from navitas.insight.operations.regress.table import Table, shown
from navitas.recording.parse.arrays import F64, Bool

MOST_COMPONENTS = 32
TOLERANCE = 0.01
"""Values may be outside of a feature's training range by this share of the range, or by more if left-out rows are."""
FACTOR = 1.5
"""Distances may be this many times the largest one of training rows."""
LEAST_WIDENED = 2.0
MOST_WIDENED = 1000.0
_INSIDE = 0.95
"""The share of left-out rows that count as inside. If features are many and rows few, most rows have a value of their own."""
_FLOOR = 1e-3
_ROWS = 20_000
_BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Hull:
    """Ranges of features, and their main directions. `axes`: (k, p), of standardised features; `variance`: (k,).

    `rest`: the mean variance of the other directions. `limit`: the largest distance of a training row. `slack`: how far outside
    of its range a value may be, as a share of the range.
    """

    low: F64
    high: F64
    mean: F64
    deviation: F64
    axes: F64
    variance: F64
    rest: float
    limit: float
    slack: float = TOLERANCE

    def widening(self, x: F64) -> F64:
        """1 for rows inside. Otherwise by how much intervals are wider: 2 or more.

        It is the ratio of the row's distance to the limit, or 1 + the excess over a range in widths of the range.
        """
        found = np.ones(len(x))
        divisor, slack = self._widths()
        for begin in range(0, len(x), _BLOCK):
            rows = x[begin : begin + _BLOCK]
            beyond = np.maximum(self.low - slack - rows, rows - self.high - slack)
            excess = 1 + (beyond / divisor).max(axis=1, initial=0.0)
            ratio = np.sqrt(self.distance(rows) / max(self.limit, 1e-12))
            outside = (beyond > 0).any(axis=1) | (ratio > np.sqrt(FACTOR))
            widened = np.clip(np.maximum(excess, ratio), LEAST_WIDENED, MOST_WIDENED)
            found[begin : begin + _BLOCK] = np.where(outside, widened, 1.0)
        return found

    def excess(self, x: F64) -> F64:
        """The largest excess of each row over a range, in widths of the range."""
        divisor, _ = self._widths()
        return np.asarray((np.maximum(self.low - x, x - self.high) / divisor).max(axis=1, initial=0.0), np.float64)

    def _widths(self) -> tuple[F64, F64]:
        """What excesses are divided by, and how large they may be."""
        width = self.high - self.low
        slack = self.slack * width + 1e-9 * np.maximum(np.abs(self.low), np.abs(self.high))
        return np.where(width > 0, width, np.maximum(np.abs(self.high), 1.0)), slack

    def distance(self, x: F64) -> F64:
        """The squared Mahalanobis distance from the mean; directions after the first 32 share one variance."""
        standard = (x - self.mean) / self.deviation
        along = standard @ self.axes.T
        rest = np.maximum((standard**2).sum(axis=1) - (along**2).sum(axis=1), 0.0)
        return np.asarray((along**2 / self.variance).sum(axis=1) + rest / self.rest, np.float64)


def hull_of(x: F64) -> Hull:
    """The hull of training rows. Main directions come from at most 20,000 of them, the limit from all.

    The distance of a training row is as if the row was left out of the mean and the directions' variances.
    """
    columns = x.shape[1]
    some = x if len(x) <= _ROWS else x[np.random.default_rng(0).choice(len(x), _ROWS, replace=False)]
    mean, deviation = some.mean(axis=0), some.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    standard = (some - mean) / deviation
    values, vectors = np.linalg.eigh(standard.T @ standard / len(some))
    order = np.argsort(-values)[:MOST_COMPONENTS]
    others = np.delete(values, order)
    rest = max(float(others.mean()) if others.size else 0.0, _FLOOR)
    hull = Hull(x.min(axis=0), x.max(axis=0), mean, deviation, vectors[:, order].T, values[order] + _FLOOR, rest, 1.0)
    distances = np.concatenate([hull.distance(x[begin : begin + _BLOCK]) for begin in range(0, len(x), _BLOCK)])
    leverage = np.minimum((distances + 1) / len(x), 0.5)
    limit = float((distances / (1 - leverage) ** 2).max(initial=float(columns)))
    return replace(hull, limit=limit)


def calibrated_hull(x: F64, folds: Sequence[slice]) -> Hull:
    """The hull of training rows, in which 95 % of them would be inside if they had been left out."""
    hull = hull_of(x)
    if len(x) > _ROWS or len(folds) < 2:
        return hull
    excess, ratio = np.zeros(len(x)), np.zeros(len(x))
    for fold in folds:
        others = hull_of(np.delete(x, np.s_[fold], axis=0))
        excess[fold] = others.excess(x[fold])
        ratio[fold] = others.distance(x[fold]) / max(others.limit, 1e-12)
    slack, stretch = np.quantile(excess, _INSIDE), np.quantile(ratio, _INSIDE) / FACTOR
    return replace(hull, limit=hull.limit * max(1.0, float(stretch)), slack=max(TOLERANCE, float(slack)))


@dataclass(frozen=True, slots=True)
class Predictions:
    """Joules of each row, (n,), with intervals. `extrapolated`: no training row is similar, so intervals are wider."""

    energy_j: F64
    low_j: F64
    high_j: F64
    extrapolated: Bool
    warnings: tuple[str, ...]


def apply_model(model: OperationsModel, table: Table) -> Predictions:
    """Predict each row.

    Raises `UsageError` if the table lacks a feature of the model, or has an empty cell in one.
    """
    names = [one.name for one in model.features]
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise UsageError(f"{table.name}: the model needs these columns: {shown(missing)}", "Add them, with 0 for no operations.")
    table.refuse_texts(names)
    x = np.empty((table.rows, len(names)), order="F")
    for place, name in enumerate(names):
        x[:, place] = table.numbers(name)
    _refuse_missing(table, names, x)
    unknown, warnings = _unknown(model, table)
    return predict_rows(model, x, unknown, warnings)


def predict_rows(model: OperationsModel, x: F64, unknown: Bool, warnings: Sequence[str] = ()) -> Predictions:
    """Predict rows of features, (n, features), in the model's order. Rows in `unknown` count as extrapolated."""
    energy = np.full(len(x), model.idle_j)
    single = np.zeros(len(model.features))
    for product in model.products:
        if len(product.features) == 1:
            single[product.features[0]] += product.coefficient
        else:
            energy += product.coefficient * x[:, product.features[0]] * x[:, product.features[1]]
    energy = np.maximum(energy + x @ single, 0.0)
    widening = hull_in(model).widening(x) if len(single) else np.ones(len(x))
    widening = np.where(unknown, np.maximum(widening, 2.0), widening)
    half = model.half_width * widening * energy**model.noise.exponent
    return Predictions(energy, np.maximum(energy - half, 0.0), energy + half, widening > 1, tuple(warnings))


def hull_in(model: OperationsModel) -> Hull:
    """The hull that a model file has."""
    low, high, mean, deviation = (
        np.array([getattr(one, name) for one in model.features]) for name in ("low", "high", "mean", "deviation")
    )
    axes = np.array(model.hull.axes).reshape(-1, len(model.features))
    return Hull(
        low, high, mean, deviation, axes, np.array(model.hull.variance), model.hull.rest, model.hull.limit, model.hull.slack
    )


def _refuse_missing(table: Table, names: list[str], x: F64) -> None:
    empty = np.isnan(x)
    if empty.any():
        row = int(empty.any(axis=1).argmax())
        column = names[int(empty[row].argmax())]
        what = f"{int(empty.sum()):,} empty cells, the first in column {column!r}, row {row}"
        raise UsageError(f"{table.name}: {what}", "Fill them, or leave out these rows.")


def _unknown(model: OperationsModel, table: Table) -> tuple[Bool, list[str]]:
    """Rows with values of columns that the model did not learn, and warnings that name these columns."""
    usual = {one.name: one.usual for one in model.left_out}
    known = {one.name for one in model.features} | set(model.ignored)
    rows = np.zeros(table.rows, bool)
    unlearned, texts = [], []
    for column in table.columns:
        if column in known:
            continue
        if not table.is_numeric(column):
            texts.append(column)
            continue
        values = table.numbers(column)
        base = usual.get(column, 0.0)
        other = ~np.isnan(values) & (np.abs(values - base) > 1e-9 * abs(base))
        if other.any():
            unlearned.append(column)
            rows |= other
    warnings = []
    if unlearned:
        count = f"{int(rows.sum()):,} rows are marked as extrapolated"
        warnings.append(f"{table.name}: the model knows no cost of {shown(unlearned)}; {count}")
    if texts:
        warnings.append(f"{table.name}: columns of text are ignored: {shown(texts)}")
    return rows, warnings
