"""Predict the energy of a table's rows by a fitted model. Needs no library for fitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.errors import UsageError
from navitas.regress.arrays import F64, Bool
from navitas.regress.hull import Hull
from navitas.regress.model_file import OperationsModel
from navitas.regress.table import Table, shown


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
