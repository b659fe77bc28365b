"""Join the counters of a recording with a census: executions of the basic blocks of methods, and of the operations in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable_line, printable_list
from navitas.insight.operations.census.document import GC, Census, CensusMethod
from navitas.insight.operations.counted_tests import CountedTest
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.tables import MethodTable

_SHOWN = 3
_REMEDY = "Count again: navitas operations census, with the classes and sources of the recorded build."
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


@dataclass(frozen=True, slots=True)
class CountedProgram:
    """The counted methods of a recording that a census knows, by row of the method table.

    `names` and `kinds` are the names and classes of all operations of the census. `unknown` are the methods that it lacks.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    methods: Mapping[int, CountedMethod]
    unknown: tuple[str, ...]

    def executions(self, test: CountedTest) -> I64:
        """Executions of all operations in one run of a test, (operations,). Methods that the census lacks are left out."""
        total = self.of_counters(test.by_method())
        if GC in self.names:
            total[self.names.index(GC)] += test.collections
        return total

    def counted(self, counters: Mapping[int, I64]) -> Iterator[tuple[CountedMethod, I64]]:
        """Yield the methods with counters that the census knows, by row, with the executions of their blocks, (blocks,)."""
        for row in sorted(counters):
            if (method := self.methods.get(row)) is not None:
                yield method, method.executions(counters[row])

    def of_counters(self, counters: Mapping[int, I64]) -> I64:
        """Executions of all operations, (operations,), from the counters of each method."""
        total = np.zeros(len(self.names), np.int64)
        for method, executions in self.counted(counters):
            np.add.at(total, method.operations.column, executions[method.operations.row] * method.operations.amount)
        return total

    def costs_j(self, costs: Mapping[str, float]) -> F64:
        """The costs in joules of all operations, (operations,); 0 for those that are not in `costs`."""
        return np.array([costs.get(name, 0.0) for name in self.names], np.float64)


def join_census(
    census: Census, table: MethodTable, tests: Iterable[CountedTest], place: str, edits: Edits | None = None
) -> CountedProgram:
    """Join the methods of the tests with the census in the file `place`. `edits` are the block edits of the recorded build.

    Raises `UsageError` if a class has changed since the census was made, if a method has other counters, or if no method is in
    the census.
    """
    lengths = {row: len(counts) for test in tests for (_, row), counts in test.counters.items()}
    classes = {each.name: each for each in census.classes}
    methods: dict[int, CountedMethod] = {}
    unknown: list[str] = []
    changed: dict[str, None] = {}
    for row, counters in sorted(lengths.items()):
        method = table.methods[row]
        name = f"{method.class_name}.{method.name}"
        found = classes.get(method.class_name)
        if found is None:
            unknown.append(name)
            continue
        of_census = next((one for one in found.methods if (one.name, one.descriptor) == (method.name, method.descriptor)), None)
        is_other = table.hashes.get((method.module, method.class_name), found.sha256) != found.sha256
        if is_other or (of_census is not None and of_census.counters != counters):
            changed[method.class_name] = None
        elif of_census is None:
            unknown.append(name)
        else:
            methods[row] = counted_method(row, method.class_name, method.file, of_census, edits or {})
    if lengths and not any(method.counters for each in census.classes for method in each.methods):
        raise UsageError(f"{place}: the census has no counters: an earlier version of Navitas wrote it", _REMEDY)
    if changed:
        listed = printable_list(list(changed), _SHOWN)
        raise UsageError(f"{place}: the census is of another build: these classes differ: {listed}", _REMEDY)
    if lengths and not methods:
        example = printable_line(unknown[0], 200)
        raise UsageError(f"{place}: the census has no method of the recording, such as {example}", _REMEDY)
    kinds = tuple(each.kind for each in census.operations)
    return CountedProgram(tuple(each.name for each in census.operations), kinds, methods, tuple(unknown))
