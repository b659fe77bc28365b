"""What changed between two builds: which operations, in which lines, and by how many joules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from navitas.insight.operations.census.document import CensusBlock
from navitas.insight.operations.counted_program import CountedProgram
from navitas.recording.parse.arrays import I64


@dataclass(frozen=True, slots=True)
class ChangedOperation:
    """An operation of a method whose energy differs, in joules; None if the model has no cost of it.

    `block` is the one with most executions, in the newer build if it has any. `before` and `after` are executions.
    """

    method: str
    file: str | None
    operation: str
    block: CensusBlock | None
    before: int
    after: int
    difference_j: float | None


@dataclass(slots=True)
class _Use:
    """Executions of an operation in a method, and the block with most of them."""

    executions: int = 0
    most: int = 0
    block: CensusBlock | None = None


_Uses = dict[tuple[str, str], _Use]


def changed_operations(
    before: tuple[CountedProgram, Mapping[int, I64]], after: tuple[CountedProgram, Mapping[int, I64]], costs: Mapping[str, float]
) -> tuple[ChangedOperation, ...]:
    """Compare the counters of each method in two builds.

    Returns the operations whose energy differs, largest change first, then those that ran more or less often without a cost.
    """
    files: dict[str, str | None] = {}
    old, new = (_uses(program, counters, files) for program, counters in (before, after))
    found = []
    for key in sorted(old.keys() | new.keys()):
        was, now = old.get(key, _Use()), new.get(key, _Use())
        method, operation = key
        more, cost = now.executions - was.executions, costs.get(operation)
        difference_j = None if cost is None else more * cost
        if more and difference_j != 0:
            block = now.block or was.block
            found.append(ChangedOperation(method, files[method], operation, block, was.executions, now.executions, difference_j))
    return tuple(sorted(found, key=lambda one: (-abs(one.difference_j or 0.0), one.method, one.operation)))


def _uses(program: CountedProgram, counters: Mapping[int, I64], files: dict[str, str | None]) -> _Uses:
    uses: _Uses = {}
    for method, executions in program.counted(counters):
        files[method.name] = method.file
        terms = method.operations
        counts = executions[terms.row] * terms.amount
        for place in np.flatnonzero(counts).tolist():
            use = uses.setdefault((method.name, program.names[int(terms.column[place])]), _Use())
            count = int(counts[place])
            use.executions += count
            if count > use.most:
                use.most, use.block = count, method.census.blocks[int(terms.row[place])]
    return uses
