"""Creates the records of threads, with methods and call trees, from the ledger's tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import MethodRecords, Nodes, ThreadEnergy
from navitas.analyze.row_blocks import RowBlocks
from navitas.analyze.uncertainty import PROBES_COLUMN, standard_j
from navitas.parse.arrays import F64


def none_for_nan(values: F64) -> list[float | None]:
    """Return the values as a list, with None for each NaN."""
    found: list[float | None] = values.tolist()
    missing = np.flatnonzero(np.isnan(values)).tolist()
    for row in missing:
        found[row] = None
    return found


class ThreadRecords:
    """Creates the records of threads, test by test."""

    def __init__(self, tables: LedgerTables) -> None:
        self._tables = tables

    def of_test(self, test: int) -> tuple[ThreadEnergy, ...]:
        """Return the threads of one test (a row of `Ledger.tests`), largest energy first."""
        low, high = self._thread_starts[test : test + 2]
        owners = self._tables.ledger.owners
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
                methods=self._methods(low + number),
                nodes=self._nodes(low + number),
                components=tuple(components),
                lowest_method_j=self._lowest_method_j[low + number],
                measured=measured,
            )
            for number, (owner, serial, tid, count, energy_j, cpu_ns, untraced_j, probes_j, components, measured) in enumerate(
                self._thread_blocks.rows(low, high)
            )
        )

    @cached_property
    def _thread_starts(self) -> list[int]:
        found: list[int] = self._tables.threads.start.tolist()
        return found

    @cached_property
    def _thread_blocks(self) -> RowBlocks:
        rows, owners = self._tables.threads, self._tables.ledger.owners

        def read(at: slice) -> Sequence[Sequence[Any]]:
            owner = rows.owner[at]
            numbers = (owner, owners.serial[owner], owners.tid[owner], rows.threads[at], rows.energy_j[at].sum(axis=1))
            more = (
                rows.cpu_ns[at],
                rows.untraced_j[at].sum(axis=1),
                rows.probes_j[at].sum(axis=1),
                rows.energy_j[at],
                rows.measured[at],
            )
            return [column.tolist() for column in (*numbers, *more)]

        return RowBlocks(len(rows.owner), read)

    def _methods(self, tree: int) -> MethodRecords:
        """Return the methods of one thread in one test, largest inclusive energy first."""
        low, high = self._method_starts[tree : tree + 2]
        columns = self._method_blocks.columns
        return MethodRecords(high - low, lambda first, last: columns(low + first, low + last))

    @cached_property
    def _lowest_method_j(self) -> list[float]:
        rows = self._tables.methods
        lowest_j = np.zeros(len(self._tables.trees.order))
        np.minimum.at(lowest_j, rows.tree, np.minimum(rows.inclusive_j.sum(axis=1), rows.exclusive_j.sum(axis=1)))
        found: list[float] = lowest_j.tolist()
        return found

    @cached_property
    def _method_starts(self) -> list[int]:
        found: list[int] = self._tables.methods.start.tolist()
        return found

    @cached_property
    def _method_blocks(self) -> RowBlocks:
        rows, ledger = self._tables.methods, self._tables.ledger
        knows_probes = np.array([run.probes_error is not None for run in ledger.runs] + [False])

        def read(at: slice) -> Sequence[Sequence[Any]]:
            known = knows_probes[ledger.tests.run[self._tables.threads.test[rows.tree[at]]]]
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
            ]

        return RowBlocks(len(rows.method), read)

    def _nodes(self, tree: int) -> Nodes:
        """Return the call tree of one thread in one test. `parent` is relative to the tree's first node."""
        rows = slice(*self._node_starts[tree : tree + 2])
        by = self._tables.trees.exclusive_j[rows], self._tables.trees.inclusive_j[rows]
        return Nodes(*(column[rows] for column in self._node_columns), exclusive_by=by[0], inclusive_by=by[1])

    @cached_property
    def _node_starts(self) -> list[int]:
        found: list[int] = self._tables.trees.start.tolist()
        return found

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
