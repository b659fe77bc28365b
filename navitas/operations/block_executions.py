"""Executions of the basic blocks of a method, and of the operations in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from navitas.census.document import CensusMethod
from navitas.parse.arrays import F64, I64

Edits = Mapping[tuple[str, str, int], int]
"""How often the edited range of a block runs in each execution (0: removed), by class, method with descriptor, and block."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Sparse numbers: `amount[i]` belongs to row `row[i]` and column `column[i]`. Equal places add up."""

    row: I64
    column: I64
    amount: I64

    @classmethod
    def of(cls, terms: list[tuple[int, int, int]]) -> Terms:
        """Terms from (row, column, amount)."""
        return cls(*np.array(terms, np.int64).reshape(-1, 3).T)


@dataclass(frozen=True, slots=True)
class CountedMethod:
    """A method of a recording, and its part of a census.

    `solve` has a row for each block and a column for each counter: a block's executions are the sum over counters. `operations`
    has a row for each block and a column for each operation of the census: how many of them one execution of the block has.
    """

    row: int
    class_name: str
    file: str | None
    census: CensusMethod
    solve: Terms
    operations: Terms

    @property
    def name(self) -> str:
        """Class, name and descriptor: the same in other builds."""
        return f"{self.class_name}.{self.census.name}{self.census.descriptor}"

    def executions(self, counters: I64) -> I64:
        """Executions of each block, (blocks,). A call in progress at the edge of a test can lack one, so never less than 0."""
        found = np.zeros(len(self.census.blocks), np.int64)
        np.add.at(found, self.solve.row, self.solve.amount * counters[self.solve.column])
        return np.maximum(found, 0)

    def add_operations(self, total: I64, counters: I64) -> None:
        """Add the executions of each operation to `total`, (operations of the census,)."""
        executions = self.executions(counters)
        np.add.at(total, self.operations.column, executions[self.operations.row] * self.operations.amount)

    def block_costs_j(self, costs_j: F64) -> F64:
        """The cost in joules of one execution of each block, (blocks,), from the costs of all operations."""
        weights = self.operations.amount * costs_j[self.operations.column]
        found = np.bincount(self.operations.row, weights, minlength=len(self.census.blocks))
        return np.asarray(found, np.float64)


def counted_method(row: int, class_name: str, file: str | None, census: CensusMethod, edits: Edits) -> CountedMethod:
    """Return the method in `row` of the method table, with the edits of the build."""
    solve, operations = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
    for place, block in enumerate(census.blocks):
        solve += [(place, counter, 1) for counter in block.plus] + [(place, counter, -1) for counter in block.minus]
        operations += [(place, index, count) for index, count in block.operations]
        runs = edits.get((class_name, f"{census.name}{census.descriptor}", place), 1)
        if runs != 1:
            operations += [(place, index, (runs - 1) * count) for index, count in block.edit_operations]
    return CountedMethod(row, class_name, file, census, Terms.of(solve), Terms.of(operations))
