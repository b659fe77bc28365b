"""Energy of operations and of their classes, and of basic blocks, by the costs of a fitted model (Li and Gallagher 2015, 6.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from navitas.base.errors import UsageError
from navitas.insight.operations.census.document import CLASSES, CensusBlock
from navitas.insight.operations.counted_program import CountedMethod, CountedProgram
from navitas.insight.operations.regress.model_file import OperationsModel
from navitas.recording.parse.arrays import F64, I64

EXECUTIONS = 3000
"""The paper compares blocks by the energy of this many executions."""


@dataclass(frozen=True, slots=True)
class RankedOperation:
    """An operation, its class, executions, cost of one execution, energy, share and cumulative share of all operations.

    `has_cost`: whether the model knows its cost. If not, cost and energy are 0.
    """

    name: str
    kind: str
    executions: int
    cost_j: float
    energy_j: float
    share: float
    cumulative: float
    has_cost: bool


@dataclass(frozen=True, slots=True)
class ClassShare:
    """A class of operations (Li and Gallagher 2015, section 6.2): executions, energy, and share of all operations."""

    kind: str
    operations: int
    executions: int
    energy_j: float
    share: float


def ranking(program: CountedProgram, executions: I64, costs: Mapping[str, float]) -> tuple[RankedOperation, ...]:
    """Return the executed operations, most energy first. Shares are of the sum of all, and 0 if it is not positive."""
    costs_j = program.costs_j(costs)
    energy_j = (executions * costs_j).tolist()
    counted = executions.tolist()
    order = sorted((i for i in range(len(counted)) if counted[i]), key=lambda i: (-energy_j[i], program.names[i]))
    total = sum(energy_j[i] for i in order)
    scale = 1 / total if total > 0 else 0.0
    found, sum_j = list[RankedOperation](), 0.0
    for i in order:
        sum_j += energy_j[i]
        share, cumulative = energy_j[i] * scale, sum_j * scale
        figures = (counted[i], float(costs_j[i]), energy_j[i], share, cumulative)
        found.append(RankedOperation(program.names[i], program.kinds[i], *figures, program.names[i] in costs))
    return tuple(found)


def class_shares(ranked: tuple[RankedOperation, ...]) -> tuple[ClassShare, ...]:
    """Return all classes, most energy first."""
    found = []
    for kind in CLASSES:
        of_kind = [one for one in ranked if one.kind == kind]
        figures = (len(of_kind), sum(one.executions for one in of_kind), sum(one.energy_j for one in of_kind))
        found.append(ClassShare(kind, *figures, sum(one.share for one in of_kind)))
    return tuple(sorted(found, key=lambda one: -one.energy_j))


@dataclass(frozen=True, slots=True)
class CostedBlock:
    """A block that ran. `energy_j` is that of all its executions, `each_j` that of one. `share` is of all blocks.

    `classes` are the shares of the block's energy by class of operations.
    """

    method: CountedMethod
    number: int
    block: CensusBlock
    executions: int
    each_j: float
    energy_j: float
    share: float
    classes: Mapping[str, float]

    @property
    def fixed_j(self) -> float:
        """The energy of `EXECUTIONS` executions."""
        return self.each_j * EXECUTIONS


def costed_blocks(program: CountedProgram, counters: Mapping[int, I64], costs: Mapping[str, float]) -> tuple[CostedBlock, ...]:
    """Return the blocks that ran, most energy first. `counters` are those of each method, over all tests."""
    costs_j = program.costs_j(costs)
    rows: list[tuple[CountedMethod, int, int, float]] = []
    for method, executions in program.counted(counters):
        each_j = method.block_costs_j(costs_j).tolist()
        rows += [(method, i, count, each_j[i]) for i, count in enumerate(executions.tolist()) if count]
    total_j = sum(count * each_j for _, _, count, each_j in rows)
    scale = 1 / total_j if total_j > 0 else 0.0
    found = [
        CostedBlock(
            method=method,
            number=number,
            block=method.census.blocks[number],
            executions=count,
            each_j=each_j,
            energy_j=count * each_j,
            share=count * each_j * scale,
            classes=_classes(program, method, number, costs_j),
        )
        for method, number, count, each_j in rows
    ]
    return tuple(sorted(found, key=lambda one: (-one.energy_j, one.method.name, one.number)))


def _classes(program: CountedProgram, method: CountedMethod, number: int, costs_j: F64) -> dict[str, float]:
    terms = method.operations
    chosen = np.flatnonzero(terms.row == number)
    found: dict[str, float] = {}
    for place in chosen.tolist():
        column = int(terms.column[place])
        kind = program.kinds[column]
        found[kind] = found.get(kind, 0.0) + float(terms.amount[place] * costs_j[column])
    total = sum(found.values())
    return {kind: value / total for kind, value in found.items()} if total > 0 else {}


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
