"""The tables behind a profile's records: group-bys over the ledger, computed on first use and cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from navitas.energy.analyze.trees import CallTrees, MethodRows, call_trees, method_rows
from navitas.energy.analyze.uncertainty import Uncertainty
from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import binned, sums
from navitas.energy.attribute.ledger import NO_TEST, Ledger
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.roles import NOT_THE_TESTS

KINDS = len(OwnerKind)


@dataclass(frozen=True, slots=True)
class ThreadRows:
    """The threads of each test, in the order of `CallTrees.order`. Energies have a column for each component.

    `untraced_j` is the energy outside probed methods, `probes_j` that of probes, `energy_j` the total. They are 0 for threads
    whose energy is not known (`measured`).
    """

    test: I64
    owner: I64
    threads: I64
    cpu_ns: I64
    energy_j: F64
    untraced_j: F64
    probes_j: F64
    measured: Bool
    start: I64
    """Test i (a row of `Ledger.tests`) has the rows start[i] … start[i + 1] - 1."""


class LedgerTables:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @cached_property
    def trees(self) -> CallTrees:
        return call_trees(self.ledger)

    @cached_property
    def methods(self) -> MethodRows:
        """All methods by thread and test."""
        return method_rows(self.ledger, self.trees)

    @cached_property
    def uncertainty(self) -> Uncertainty:
        """Computes the standard errors of figures."""
        return Uncertainty(self.ledger)

    def method_errors(self, at: slice | Bool, index: I64, size: int) -> tuple[F64, F64]:
        """Return the standard errors of sums of rows of `methods`: of inclusive and of self energies.

        `index` is the sum (0 … size − 1) of each row in `at`. Columns: the causes, as in `StandardError`.
        """
        rows = self.methods
        run = self.ledger.tests.run[self.threads.test[rows.tree[at]]]

        def errors(energy_j: F64, time_ns: I64, raw_j: F64, draws_j: F64) -> F64:
            probes_j = raw_j[at] - energy_j[at].sum(axis=1)
            return self.uncertainty.of_methods(
                energy_j[at], time_ns[at], run=run, probes_j=probes_j, draws_j=draws_j[at], index=index, size=size
            )

        return (
            errors(rows.inclusive_j, rows.wall_ns, rows.raw_inclusive_j, rows.inclusive_draws_j),
            errors(rows.exclusive_j, rows.self_ns, rows.raw_exclusive_j, rows.exclusive_draws_j),
        )

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
            on_path = in_tests & (energy.path == path)
            row = by_key[
                np.searchsorted(key, energy.test[on_path].astype(np.int64) * width + energy.owner[on_path], sorter=by_key)
            ]
            found[place, row, energy.component[on_path]] = energy.exclusive_j[on_path]
        return ThreadRows(
            test=test,
            owner=owner,
            threads=shares.threads[order],
            cpu_ns=shares.cpu_ns[order],
            energy_j=shares.energy_j[order],
            untraced_j=found[0],
            probes_j=found[1],
            measured=ledger.owners.measured[owner],
            start=np.searchsorted(test, np.arange(len(ledger.tests) + 1)),
        )

    @cached_property
    def app_j(self) -> F64:
        """Joules of the app's threads, with probes, by test and component."""
        rows, of_app = self.threads, self.is_app
        return sums(rows.test[of_app], rows.energy_j[of_app], len(self.ledger.tests))

    @cached_property
    def is_app(self) -> Bool:
        """Whether each row of `threads` is of the app's work, which that of the JIT compiler and of the profiler is not."""
        return np.array([role not in NOT_THE_TESTS for role in self.ledger.owners.role] + [False])[self.threads.owner]

    @cached_property
    def is_baseline(self) -> Bool:
        """Whether each test (a row of `Ledger.tests`) belongs to a baseline run."""
        runs = np.array([entry.baseline for entry in self.ledger.runs] + [False])
        return runs[self.ledger.tests.run]

    @cached_property
    def tests_by_kind(self) -> F64:
        """Joules by test, kind of owner (`OwnerKind`) and component."""
        ledger, energy, components = self.ledger, self.ledger.energy, len(self.ledger.components)
        kind = ledger.owners.kind[energy.owner]
        in_others = (energy.test != NO_TEST) & (kind != OwnerKind.THREAD)
        cell = (energy.test[in_others].astype(np.int64) * KINDS + kind[in_others]) * components + energy.component[in_others]
        size = len(ledger.tests)
        found = binned(cell, energy.exclusive_j[in_others], size * KINDS * components).reshape(size, KINDS, components)
        found[:, OwnerKind.THREAD] = sums(ledger.shares.test.astype(np.int64), ledger.shares.energy_j, size)
        return found
