"""Energy of basic blocks: in this application, and for a fixed number of executions (Li and Gallagher 2015, section 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from navitas.census.document import CensusBlock
from navitas.operations.block_executions import CountedMethod
from navitas.operations.counted_program import CountedProgram
from navitas.parse.arrays import F64, I64

EXECUTIONS = 3000
"""The paper compares blocks by the energy of this many executions."""


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
    for row in sorted(counters):
        if (method := program.methods.get(row)) is not None:
            each_j = method.block_costs_j(costs_j).tolist()
            executions = method.executions(counters[row]).tolist()
            rows += [(method, i, count, each_j[i]) for i, count in enumerate(executions) if count]
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
