"""The tables behind a profile's records: group-bys over the ledger, each made once, when it is first needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.analyze.method_rows import MethodRows, method_rows
from navitas.analyze.records import Lazy, MethodRecords, Nodes, TestEnergy, ThreadEnergy
from navitas.analyze.row_blocks import RowBlocks
from navitas.analyze.trees import CallTrees, call_trees
from navitas.attribute.compensation import NOT_THE_TESTS
from navitas.attribute.forest import binned, sums
from navitas.attribute.ledger import NO_TEST, OUTSIDE, PROBES, Ledger
from navitas.attribute.owner_kind import OwnerKind
from navitas.parse.arrays import F64, I64, Bool

KINDS = len(OwnerKind)


@dataclass(frozen=True, slots=True)
class ThreadRows:
    """Threads of tests in the order of `CallTrees`: joules outside of calls, of probes, and in all, by component."""

    test: I64
    owner: I64
    threads: I64
    cpu_ns: I64
    energy_j: F64
    untraced_j: F64
    probes_j: F64
    start: I64
    """Test i (a row of `Ledger.tests`) has the rows start[i] … start[i + 1] - 1."""


@dataclass(frozen=True, slots=True)
class _TestColumns:
    """Figures of all tests, those of baselines too, as lists: values of many rows are read one by one."""

    wall_ns: list[int]
    energy_j: list[float]
    threads_total_j: list[float]
    threads_j: list[float]
    other_processes_j: list[float]
    base_j: list[float]
    unattributed_j: list[float]
    probes_j: list[float]
    alternative_j: list[float | None]
    probes_error_j: list[float | None]
    sampled_probes_j: list[float | None]
    compensated_j: list[float | None]
    compensated_error_j: list[float | None]
    components: list[list[float]]


class LedgerTables:
    """All tables of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @cached_property
    def trees(self) -> CallTrees:
        """All call trees."""
        return call_trees(self.ledger)

    @cached_property
    def methods(self) -> MethodRows:
        """All methods by thread and test."""
        return method_rows(self.ledger, self.trees)

    @cached_property
    def threads(self) -> ThreadRows:
        """All threads by test."""
        ledger, order = self.ledger, self.trees.order
        shares, energy = ledger.shares, ledger.energy
        test, owner = shares.test[order].astype(np.int64), shares.owner[order].astype(np.int64)
        width, size, components = len(ledger.owners), len(order), len(ledger.components)
        key = test * width + owner
        by_key = np.argsort(key)
        found = np.zeros((2, size, components))
        in_tests = (energy.test != NO_TEST) & (ledger.owners.kind[energy.owner] == OwnerKind.THREAD)
        for place, path in enumerate((OUTSIDE, PROBES)):
            own = in_tests & (energy.path == path)
            row = by_key[np.searchsorted(key, energy.test[own].astype(np.int64) * width + energy.owner[own], sorter=by_key)]
            found[place, row, energy.component[own]] = energy.exclusive_j[own]
        return ThreadRows(
            test=test,
            owner=owner,
            threads=shares.threads[order],
            cpu_ns=shares.cpu_ns[order],
            energy_j=shares.energy_j[order],
            untraced_j=found[0],
            probes_j=found[1],
            start=np.searchsorted(test, np.arange(len(ledger.tests) + 1)),
        )

    @cached_property
    def is_baseline(self) -> Bool:
        """Which tests (rows of `Ledger.tests`) ran without probes, beside those that are reported."""
        runs = np.array([entry.baseline for entry in self.ledger.runs] + [False])
        return runs[self.ledger.tests.run]

    @cached_property
    def tests_by_kind(self) -> F64:
        """Joules of each test by kind of owner (`OwnerKind`) and component."""
        ledger, energy, components = self.ledger, self.ledger.energy, len(self.ledger.components)
        kind = ledger.owners.kind[energy.owner]
        beside = (energy.test != NO_TEST) & (kind != OwnerKind.THREAD)
        cell = (energy.test[beside].astype(np.int64) * KINDS + kind[beside]) * components + energy.component[beside]
        size = len(ledger.tests)
        found = binned(cell, energy.exclusive_j[beside], size * KINDS * components).reshape(size, KINDS, components)
        found[:, OwnerKind.THREAD] = sums(ledger.shares.test.astype(np.int64), ledger.shares.energy_j, size)
        return found

    def test_records(self) -> tuple[TestEnergy, ...]:
        """One record for each run of each test; with what the test used in a baseline run."""
        tests, columns = self.ledger.tests, self._columns
        repeats, ids, runs = tests.repeat.tolist(), tests.id.tolist(), tests.run_id.tolist()
        unprobed = self._unprobed(repeats)
        return tuple(
            TestEnergy(
                id=ids[row],
                run=runs[row],
                module=tests.module[row],
                class_name=tests.class_name[row],
                method=tests.method[row],
                repeat=repeats[row],
                status=tests.status[row],
                wall_ns=columns.wall_ns[row],
                energy_j=columns.energy_j[row],
                threads_total_j=columns.threads_total_j[row],
                threads_j=columns.threads_j[row],
                other_processes_j=columns.other_processes_j[row],
                base_j=columns.base_j[row],
                unattributed_j=columns.unattributed_j[row],
                probes_j=columns.probes_j[row],
                threads=Lazy(partial(self.thread_records, row)),
                rows=(row,),
                alternative_j=columns.alternative_j[row],
                unprobed_j=None if beside is None else columns.energy_j[beside],
                unprobed_threads_j=None if beside is None else columns.threads_j[beside],
                probes_error_j=columns.probes_error_j[row],
                sampled_probes_j=columns.sampled_probes_j[row],
                whole_compensated_j=columns.compensated_j[row],
                compensated_error_j=columns.compensated_error_j[row],
                components=tuple(columns.components[row]),
            )
            for row in np.flatnonzero(~self.is_baseline).tolist()
            for beside in [unprobed.get(row)]
        )

    def _unprobed(self, repeats: list[int]) -> dict[int, int]:
        """For each test its run without probes of the same repeat; none where one of the two was cut or ended otherwise."""
        tests, wall_ns = self.ledger.tests, self._columns.wall_ns
        keys = list(zip(tests.module, tests.class_name, tests.method, repeats, tests.status, strict=True))
        beside = {keys[row]: row for row in np.flatnonzero(self.is_baseline).tolist() if wall_ns[row] > 0}
        found = {row: beside.get(key) for row, key in enumerate(keys) if beside and tests.status[row] != "cut"}
        return {row: other for row, other in found.items() if other is not None}

    @cached_property
    def _columns(self) -> _TestColumns:
        tests, threads, size = self.ledger.tests, self.threads, len(self.ledger.tests)
        kinds, found = self.tests_by_kind.sum(axis=2), self.ledger.compensation
        of_app = np.array([role not in NOT_THE_TESTS for role in self.ledger.owners.role] + [False])[threads.owner]
        app_j = binned(threads.test[of_app], threads.energy_j[of_app].sum(axis=1), size)
        probes_j = binned(threads.test, threads.probes_j.sum(axis=1), size)
        return _TestColumns(
            wall_ns=(tests.end_ns - tests.start_ns).tolist(),
            energy_j=kinds.sum(axis=1).tolist(),
            threads_total_j=kinds[:, OwnerKind.THREAD].tolist(),
            threads_j=app_j.tolist(),
            other_processes_j=kinds[:, OwnerKind.OTHER_PROCESSES].tolist(),
            base_j=kinds[:, OwnerKind.BASE].tolist(),
            unattributed_j=kinds[:, OwnerKind.UNATTRIBUTED].tolist(),
            probes_j=probes_j.tolist(),
            alternative_j=[None] * size if tests.alternative_j is None else tests.alternative_j.tolist(),
            probes_error_j=_known(found.probes_error_j),
            sampled_probes_j=_known(found.sampled_probes_j),
            compensated_j=_known(found.compensated_j),
            compensated_error_j=_known(found.compensated_error_j),
            components=self.tests_by_kind.sum(axis=1).tolist(),
        )

    def thread_records(self, test: int) -> tuple[ThreadEnergy, ...]:
        """The threads of one test, largest energy first."""
        low, high = self._thread_starts[test : test + 2]
        owners = self.ledger.owners
        return tuple(
            ThreadEnergy(
                serial=serial,
                tid=tid,
                name=owners.name[owner],
                role=owners.role[owner],
                count=count,
                energy_j=energy_j,
                cpu_ns=cpu_ns,
                untraced_j=untraced_j,
                probes_j=probes_j,
                methods=self.method_records(low + number),
                nodes=self.nodes(low + number),
                components=tuple(components),
                lowest_method_j=self._lowest_method_j[low + number],
            )
            for number, (owner, serial, tid, count, energy_j, cpu_ns, untraced_j, probes_j, components) in enumerate(
                self._thread_blocks.rows(low, high)
            )
        )

    @cached_property
    def _thread_starts(self) -> list[int]:
        found: list[int] = self.threads.start.tolist()
        return found

    @cached_property
    def _thread_blocks(self) -> RowBlocks:
        rows, owners = self.threads, self.ledger.owners

        def read(at: slice) -> Sequence[Sequence[Any]]:
            owner = rows.owner[at]
            numbers = (owner, owners.serial[owner], owners.tid[owner], rows.threads[at], rows.energy_j[at].sum(axis=1))
            more = (rows.cpu_ns[at], rows.untraced_j[at].sum(axis=1), rows.probes_j[at].sum(axis=1), rows.energy_j[at])
            return [column.tolist() for column in (*numbers, *more)]

        return RowBlocks(len(rows.owner), read)

    def method_records(self, tree: int) -> MethodRecords:
        """The methods of one thread in one test, largest inclusive energy first."""
        low, high = self._method_starts[tree : tree + 2]
        columns = self._method_blocks.columns
        return MethodRecords(high - low, lambda first, last: columns(low + first, low + last))

    @cached_property
    def _lowest_method_j(self) -> list[float]:
        rows = self.methods
        lowest_j = np.zeros(len(self.trees.order))
        np.minimum.at(lowest_j, rows.tree, np.minimum(rows.inclusive_j.sum(axis=1), rows.exclusive_j.sum(axis=1)))
        found: list[float] = lowest_j.tolist()
        return found

    @cached_property
    def _method_starts(self) -> list[int]:
        found: list[int] = self.methods.start.tolist()
        return found

    @cached_property
    def _method_blocks(self) -> RowBlocks:
        rows, ledger = self.methods, self.ledger
        knows_probes = np.array([run.probes_error is not None for run in ledger.runs] + [False])

        def read(at: slice) -> Sequence[Sequence[Any]]:
            known = knows_probes[ledger.tests.run[self.threads.test[rows.tree[at]]]]
            raw = (np.where(known, column[at], np.nan) for column in (rows.raw_inclusive_j, rows.raw_exclusive_j))
            return [
                rows.method[at].tolist(),
                *(column.tolist() for column in rows.counts[at].T),
                rows.inclusive_j[at].sum(axis=1).tolist(),
                rows.exclusive_j[at].sum(axis=1).tolist(),
                *(column[at].tolist() for column in (rows.wall_ns, rows.self_ns, rows.cpu_ns)),
                [None] * len(known) if rows.alternative_j is None else rows.alternative_j[at].tolist(),
                *map(_known, (rows.inclusive_error_j[at], rows.exclusive_error_j[at], *raw)),
                *(list(zip(*column[at].T.tolist(), strict=True)) for column in (rows.exclusive_j, rows.inclusive_j)),
            ]

        return RowBlocks(len(rows.method), read)

    def nodes(self, tree: int) -> Nodes:
        """The call tree of one thread in one test; parents count from the tree's first node."""
        own = slice(*self._node_starts[tree : tree + 2])
        by = self.trees.exclusive_j[own], self.trees.inclusive_j[own]
        return Nodes(*(column[own] for column in self._node_columns), exclusive_by=by[0], inclusive_by=by[1])

    @cached_property
    def _node_starts(self) -> list[int]:
        found: list[int] = self.trees.start.tolist()
        return found

    @cached_property
    def _node_columns(self) -> tuple[NDArray[np.number[Any]], ...]:
        trees = self.trees
        return (
            np.where(trees.parent >= 0, trees.parent - trees.start[trees.tree], -1),
            trees.method,
            trees.counts[:, 0],
            trees.inclusive_j.sum(axis=1),
            trees.exclusive_j.sum(axis=1),
            np.rint(trees.wall_ns).astype(np.int64),
        )


def _known(values: F64) -> list[float | None]:
    found: list[float | None] = values.tolist()
    missing = np.flatnonzero(np.isnan(values)).tolist()
    for row in missing:
        found[row] = None
    return found
