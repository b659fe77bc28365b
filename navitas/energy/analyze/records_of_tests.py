"""Creates the records of tests, of threads and of test classes, with methods and call trees, from the ledger's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress, starmap
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.energy.analyze.cpu_use import CpuUses
from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.analyze.records import BLOCK_ROWS, Lazy, MethodRecords, Nodes, TestEnergy, ThreadEnergy
from navitas.energy.analyze.uncertainty import PROBES_COLUMN, standard_j
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import sums
from navitas.recording.parse.arrays import F64, Bool


def records_of_tests(tables: LedgerTables, uses: CpuUses) -> tuple[TestEnergy, ...]:
    """Return one record for each run of each test, with its figures from the baseline run."""
    tests, size = tables.ledger.tests, len(tables.ledger.tests)
    rows, by_kind, compensation = tables.threads, tables.tests_by_kind, tables.ledger.compensation
    kinds = by_kind.sum(axis=2)
    app_j = tables.app_j
    probes_j = sums(rows.test, rows.probes_j, size)
    wall_ns: list[int] = (tests.end_ns - tests.start_ns).tolist()
    energy_j, threads_j = kinds.sum(axis=1).tolist(), app_j.sum(axis=1).tolist()
    unprobed = _unprobed(tables, wall_ns)
    records = starmap(
        TestEnergy,
        zip(
            tests.id.tolist(),
            tests.run_id.tolist(),
            tests.module,
            tests.class_name,
            tests.method,
            tests.repeat.tolist(),
            tests.status,
            wall_ns,
            energy_j,
            kinds[:, OwnerKind.THREAD].tolist(),
            threads_j,
            kinds[:, OwnerKind.OTHER_PROCESSES].tolist(),
            kinds[:, OwnerKind.BASE].tolist(),
            kinds[:, OwnerKind.UNATTRIBUTED].tolist(),
            probes_j.sum(axis=1).tolist(),
            map(Lazy, map(partial, [ThreadRecords(tables).of_test] * size, range(size))),
            zip(range(size)),
            [None] * size if tests.alternative_j is None else tests.alternative_j.tolist(),
            *([None if row is None else column[row] for row in unprobed] for column in (energy_j, threads_j)),
            *map(none_for_nan, (compensation.probes_error_j, compensation.sampled_probes_j)),
            *map(none_for_nan, (compensation.compensated_j, compensation.compensated_error_j)),
            map(tuple, by_kind.sum(axis=1).tolist()),
            _unfit(tables, uses, wall_ns),
            map(tuple, (app_j - probes_j).tolist()),
            map(tuple, by_kind[:, OwnerKind.BASE].tolist()),
            tests.failure,
            strict=True,
        ),
    )
    return tuple(compress(records, ~tables.is_baseline))


def _unprobed(tables: LedgerTables, wall_ns: Sequence[int]) -> Sequence[int | None]:
    """Return for each test its row in the baseline run of the same repeat.

    None for tests that were cut, or whose status differs between the two runs.
    """
    tests, baseline_rows = tables.ledger.tests, np.flatnonzero(tables.is_baseline).tolist()
    if not baseline_rows:
        return [None] * len(tests)
    keys = list(zip(tests.module, tests.class_name, tests.method, tests.repeat.tolist(), tests.status, strict=True))
    baselines = {keys[row]: row for row in baseline_rows if wall_ns[row] > 0}
    return [None if status == "cut" else baselines.get(key) for key, status in zip(keys, tests.status, strict=True)]


def _unfit(tables: LedgerTables, uses: CpuUses, wall_ns: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield why each test does not count in statistics: the reasons of its run, and `starved`."""
    of_run = [*(run.unfit for run in tables.ledger.runs), ()]
    for row, (run, test_ns) in enumerate(zip(tables.ledger.tests.run.tolist(), wall_ns, strict=True)):
        yield of_run[run] + (("starved",) if uses.of_rows((row,), test_ns).is_starved else ())


class ThreadRecords:
    """Creates the records of threads, test by test."""

    def __init__(self, tables: LedgerTables) -> None:
        self._tables = tables

    def of_test(self, test: int) -> tuple[ThreadEnergy, ...]:
        """Return the threads of one test (a row of `Ledger.tests`), largest energy first."""
        low, high = self._tables.threads.start[test : test + 2].tolist()
        return tuple(starmap(ThreadEnergy, self._thread_blocks.rows(low, high)))

    @cached_property
    def _thread_blocks(self) -> RowBlocks:
        lowest_j = self._lowest_method_j()

        def read(at: slice) -> Sequence[Sequence[Any]]:
            trees = range(at.start, at.stop)
            *figures, components, measured = self.figures(at)
            views = list(map(self._methods, trees)), list(map(self._nodes, trees))
            return [*figures, *views, components, lowest_j[at].tolist(), measured]

        return RowBlocks(len(self._tables.threads.owner), read)

    def figures(self, at: slice) -> list[list[Any]]:
        """Return the columns of threads (rows of `LedgerTables.threads`): serial to `probes_j`, `components` and `measured`."""
        rows, owners = self._tables.threads, self._tables.ledger.owners
        owner = rows.owner[at]
        return [
            owners.serial[owner].tolist(),
            owners.tid[owner].tolist(),
            *([names[row] for row in owner.tolist()] for names in (owners.name, owners.role)),
            rows.threads[at].tolist(),
            rows.energy_j[at].sum(axis=1).tolist(),
            rows.cpu_ns[at].tolist(),
            *(energy_j[at].sum(axis=1).tolist() for energy_j in (rows.untraced_j, rows.probes_j)),
            list(map(tuple, rows.energy_j[at].tolist())),
            rows.measured[at].tolist(),
        ]

    def _methods(self, tree: int) -> MethodRecords:
        """Return the methods of one thread in one test, largest inclusive energy first."""
        low, high = self._tables.methods.start[tree : tree + 2].tolist()
        columns = self._method_blocks.columns
        return MethodRecords(high - low, lambda first, stop: columns(low + first, low + stop))

    def _lowest_method_j(self) -> F64:
        rows = self._tables.methods
        lowest_j = np.zeros(len(self._tables.trees.order))
        np.minimum.at(lowest_j, rows.tree, np.minimum(rows.inclusive_j.sum(axis=1), rows.exclusive_j.sum(axis=1)))
        return lowest_j

    @cached_property
    def _method_blocks(self) -> RowBlocks:
        return RowBlocks(len(self._tables.methods.method), self.methods)

    def methods(self, at: slice) -> list[list[Any]]:
        """Return the columns of methods (rows of `LedgerTables.methods`), in the order of the fields of `MethodEnergy`."""
        rows, ledger = self._tables.methods, self._tables.ledger
        known = self._knows_probes[ledger.tests.run[self._tables.threads.test[rows.tree[at]]]]
        raw = (np.where(known, column[at], np.nan) for column in (rows.raw_inclusive_j, rows.raw_exclusive_j))
        causes = self._tables.method_errors(at, np.arange(len(known)), len(known))
        has_errors = known | ~np.isnan(rows.exclusive_draws_j[at])
        by_probes = (np.where(has_errors, each[:, PROBES_COLUMN], np.nan) for each in causes)
        return [
            rows.method[at].tolist(),
            *(column.tolist() for column in rows.counts[at].T),
            rows.inclusive_j[at].sum(axis=1).tolist(),
            rows.exclusive_j[at].sum(axis=1).tolist(),
            *(column[at].tolist() for column in (rows.wall_ns, rows.self_ns, rows.cpu_ns)),
            [None] * len(known) if rows.alternative_j is None else rows.alternative_j[at].tolist(),
            *map(none_for_nan, (*by_probes, *raw)),
            *(list(zip(*column[at].T.tolist(), strict=True)) for column in (rows.exclusive_j, rows.inclusive_j)),
            *(standard_j(each).tolist() for each in causes),
            [None] * len(known) if rows.samples is None else rows.samples[at].tolist(),
        ]

    @cached_property
    def _knows_probes(self) -> Bool:
        return np.array([run.probes_error is not None for run in self._tables.ledger.runs] + [False])

    def _nodes(self, tree: int) -> Nodes:
        return self.nodes(slice(*self._tables.trees.start[tree : tree + 2].tolist()))

    def nodes(self, at: slice) -> Nodes:
        """Return nodes of call trees (rows of `CallTrees`). `parent` is relative to the first node of its tree."""
        trees = self._tables.trees
        by = trees.exclusive_j[at], trees.inclusive_j[at]
        samples = None if trees.samples is None else trees.samples[at]
        return Nodes(*(column[at] for column in self._node_columns), exclusive_by=by[0], inclusive_by=by[1], samples=samples)

    @cached_property
    def _node_columns(self) -> tuple[NDArray[np.number[Any]], ...]:
        trees = self._tables.trees
        return (
            np.where(trees.parent >= 0, trees.parent - trees.start[trees.tree], -1),
            trees.method,
            trees.counts[:, 0],
            trees.inclusive_j.sum(axis=1),
            trees.exclusive_j.sum(axis=1),
            np.rint(trees.wall_ns).astype(np.int64),
        )


def none_for_nan(values: F64) -> list[float | None]:
    """Return the values as a list, with None for each NaN."""
    found: list[float | None] = values.tolist()
    for row in np.flatnonzero(np.isnan(values)).tolist():
        found[row] = None
    return found


class RowBlocks:
    """Rows of columns. `read(rows)` returns the columns' values of a slice of rows as lists.

    Blocks are read ahead and cached if rows are read in order. Other reads convert only the rows that they return.
    """

    def __init__(self, size: int, read: Callable[[slice], Sequence[Sequence[Any]]]) -> None:
        self._size = size
        self._read = read
        self._low = self._high = 0
        self._columns: Sequence[Sequence[Any]] = ()

    def columns(self, low: int, high: int) -> list[Sequence[Any]]:
        """Return the values of rows low … high - 1, column by column."""
        if low < self._low or high > self._high:
            ahead = BLOCK_ROWS if self._low <= low <= self._high else 0
            self._low, self._high = low, max(high, min(low + ahead, self._size))
            self._columns = self._read(slice(self._low, self._high))
        return [column[low - self._low : high - self._low] for column in self._columns]

    def rows(self, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Yield rows low … high - 1 as tuples."""
        return zip(*self.columns(low, high), strict=True)


_WORST_FIRST = ("cut", "failed", "passed", "assumption", "ignored")


def by_class(tests: Iterable[TestEnergy]) -> tuple[TestEnergy, ...]:
    """Return one record for each run of each test class: sums over its tests. Its `method` is `*`."""
    groups: dict[tuple[int, str, str], list[TestEnergy]] = {}
    for test in tests:
        groups.setdefault((test.run, test.module, test.class_name), []).append(test)
    return tuple(_merged(group) for group in groups.values())


def _merged(tests: list[TestEnergy]) -> TestEnergy:
    alternative = [test.alternative_j for test in tests if test.alternative_j is not None]
    return replace(
        tests[0],
        method="*",
        status=min((test.status for test in tests), key=_rank),
        wall_ns=sum(test.wall_ns for test in tests),
        energy_j=fsum(test.energy_j for test in tests),
        threads_total_j=fsum(test.threads_total_j for test in tests),
        threads_j=fsum(test.threads_j for test in tests),
        other_processes_j=fsum(test.other_processes_j for test in tests),
        base_j=fsum(test.base_j for test in tests),
        unattributed_j=fsum(test.unattributed_j for test in tests),
        probes_j=fsum(test.probes_j for test in tests),
        threads=_threads(tests),
        rows=tuple(row for test in tests for row in test.rows),
        alternative_j=fsum(alternative) if alternative else None,
        unprobed_j=_sum_known([test.unprobed_j for test in tests]),
        unprobed_threads_j=_sum_known([test.unprobed_threads_j for test in tests]),
        probes_error_j=_sum_known([test.probes_error_j for test in tests]),
        sampled_probes_j=_sum_known([test.sampled_probes_j for test in tests]),
        whole_compensated_j=_sum_known([test.whole_compensated_j for test in tests]),
        compensated_error_j=_sum_known([test.compensated_error_j for test in tests]),
        components=_sum_components([test.components for test in tests]),
        app_components=_sum_components([test.app_components for test in tests]),
        base_components=_sum_components([test.base_components for test in tests]),
        unfit=tuple(dict.fromkeys(reason for test in tests for reason in test.unfit)),
        failure=next((test.failure for test in tests if test.failure), ""),
    )


def _rank(status: str) -> int:
    """Return the rank of a status, worst first. An unknown status ranks as `cut`."""
    return _WORST_FIRST.index(status) if status in _WORST_FIRST else 0


def _threads(tests: Sequence[TestEnergy]) -> tuple[ThreadEnergy, ...]:
    """Return each thread once, largest energy first, without methods and call trees."""
    groups: dict[tuple[int, int, str, str], list[ThreadEnergy]] = {}
    for thread in (thread for test in tests for thread in test.threads):
        groups.setdefault((thread.serial, thread.tid, thread.name, thread.role), []).append(thread)
    merged = [
        replace(
            group[0],
            count=max(thread.count for thread in group),
            energy_j=fsum(thread.energy_j for thread in group),
            cpu_ns=sum(thread.cpu_ns for thread in group),
            untraced_j=fsum(thread.untraced_j for thread in group),
            probes_j=fsum(thread.probes_j for thread in group),
            methods=MethodRecords.none(),
            nodes=Nodes.none(),
            lowest_method_j=0.0,
            components=_sum_components([thread.components for thread in group]),
        )
        for group in groups.values()
    ]
    return tuple(sorted(merged, key=lambda thread: -thread.energy_j))


def _sum_known(figures: Sequence[float | None]) -> float | None:
    """Return the sum, or None if a figure is unknown.

    Standard errors are also summed: within a run they have the same cause, the sampled cost of probes.
    """
    known = [figure for figure in figures if figure is not None]
    return fsum(known) if len(known) == len(figures) else None


def _sum_components(rows: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(map(fsum, zip(*rows, strict=True)))
