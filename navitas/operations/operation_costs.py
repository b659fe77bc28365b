"""Costs of single operations, from a fitted model."""

from __future__ import annotations

from collections.abc import Collection

from navitas.errors import UsageError
from navitas.regress.model_file import OperationsModel


def operation_costs(model: OperationsModel, place: str) -> dict[str, float]:
    """Return joules for one execution of each operation that a model in the file `place` has learned, which can be 0.

    Raises `UsageError` for a model with products of two features, since their energy has no single operation.
    """
    if has_pairs(model):
        raise UsageError(
            f"{place}: the family {model.family!r} has costs of pairs of operations",
            "Fit with --family nnls for single costs.",
        )
    costs = dict.fromkeys((feature.name for feature in model.features), 0.0)
    for product in model.products:
        name = model.features[product.features[0]].name
        costs[name] += product.coefficient
    return costs


def has_pairs(model: OperationsModel) -> bool:
    """Whether the model has products of two features."""
    return any(len(product.features) > 1 for product in model.products)


def other_features(model: OperationsModel, operations: Collection[str]) -> list[str]:
    """Return the model's features with a cost that are not operations of a census, such as a column with times."""
    used = {model.features[place].name for product in model.products if product.coefficient for place in product.features}
    return sorted(used - set(operations))
