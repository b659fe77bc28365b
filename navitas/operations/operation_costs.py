"""Costs of single operations, from a fitted model."""

from __future__ import annotations

from collections.abc import Collection

from navitas.errors import UsageError
from navitas.regress.model_file import OperationsModel


def operation_costs(model: OperationsModel, place: str) -> dict[str, float]:
    """Return joules for one execution of each operation of a model in the file `place`.

    Raises `UsageError` for a model with products of two features, since their energy has no single operation.
    """
    if any(len(product.features) > 1 for product in model.products):
        raise UsageError(
            f"{place}: the family {model.family!r} has costs of pairs of operations",
            "Fit with --family nnls for single costs.",
        )
    costs: dict[str, float] = {}
    for product in model.products:
        name = model.features[product.features[0]].name
        costs[name] = costs.get(name, 0.0) + product.coefficient
    return costs


def other_features(model: OperationsModel, operations: Collection[str]) -> list[str]:
    """Return the model's features with a cost that are not operations of a census, such as a column with times."""
    used = {model.features[place].name for product in model.products if product.coefficient for place in product.features}
    return sorted(used - set(operations))
