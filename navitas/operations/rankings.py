"""Energy of operations and of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from navitas.census.document import CLASSES
from navitas.operations.counted_program import CountedProgram
from navitas.parse.arrays import I64


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
