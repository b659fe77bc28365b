"""Sums over tests by method, thread and thread role, and the JIT compiler's share in each repeat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import starmap
from typing import TypeVar

import numpy as np

from navitas.energy.analyze.cpu_use import cpu_column
from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.analyze.records import KnownFigures, TestEnergy
from navitas.energy.analyze.uncertainty import StandardError
from navitas.energy.attribute.forest import binned, sums
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.tables import Method, MethodTable

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class MethodTotal(KnownFigures):
    """One method over all threads of some tests.

    - `id`: the index in the method table. If several modules' maps contain the method, the lowest index.
    - `call_probes_j`: the energy of its probes, at entry and exit, over all calls.
    - `components`: splits `exclusive_j`.
    - `measured_*`: of the calls, or stack samples, on threads whose CPU time is known. Others have the energy of components other
      than the CPU.
    """

    id: int
    method: Method
    calls: int
    throws: int
    cut: int
    inclusive_j: float
    exclusive_j: float
    raw_inclusive_j: float
    raw_exclusive_j: float
    inclusive_error: StandardError
    exclusive_error: StandardError
    call_probes_j: float
    wall_ns: int
    self_ns: int
    cpu_ns: int
    alternative_j: float
    components: tuple[float, ...]
    inclusive_components: tuple[float, ...]
    measured_calls: int
    measured_inclusive_j: float
    measured_exclusive_j: float
    measured_self_ns: int
    samples: int = 0
    """Stack samples with the method as the innermost frame."""

    @property
    def self_power_w(self) -> float | None:
        """Self energy divided by self time, which includes waiting, of measured calls. None if their self time is 0."""
        return self.measured_exclusive_j / (self.measured_self_ns / 1e9) if self.measured_self_ns > 0 else None

    @property
    def inclusive_j_per_call(self) -> float | None:
        """The mean inclusive energy of a measured call. None without one."""
        return self.measured_inclusive_j / self.measured_calls if self.measured_calls and self.calls else None

    @property
    def measured(self) -> bool:
        """Whether any call or stack sample is measured. True without either."""
        return bool(self.measured_calls or not (self.calls or self.samples))


def method_totals(tables: LedgerTables, tests: Iterable[TestEnergy] | None = None) -> tuple[MethodTotal, ...]:
    """Return sums by method over the given tests (default: all), largest self energy first.

    Methods are grouped by `Method.identity`. Their ids differ between builds, and between the maps of modules that depend on
    the same module.
    """
    rows, (chosen, known, index) = tables.methods, grouped_methods(tables, tests)
    tree, calls, size = rows.tree[chosen], rows.counts[chosen], len(known)
    is_measured = tables.threads.measured[tree]

    def total(values: F64 | I64) -> list[float]:
        found: list[float] = np.bincount(index, values, size).tolist()
        return found

    exclusive_j, inclusive_j = (sums(index, column[chosen], size) for column in (rows.exclusive_j, rows.inclusive_j))
    columns = zip(
        known.tolist(),
        *(column.tolist() for column in sums(index, calls, size).astype(np.int64).T),
        inclusive_j.sum(axis=1).tolist(),
        exclusive_j.sum(axis=1).tolist(),
        *(total(column[chosen]) for column in (rows.raw_inclusive_j, rows.raw_exclusive_j)),
        *(starmap(StandardError, causes.tolist()) for causes in tables.method_errors(chosen, index, size)),
        total(_call_cost_j(tables)[tree] * calls[:, 0]),
        *(map(round, total(column[chosen])) for column in (rows.wall_ns, rows.self_ns, rows.cpu_ns)),
        [0.0] * size if rows.alternative_j is None else total(rows.alternative_j[chosen]),
        map(tuple, exclusive_j.tolist()),
        map(tuple, inclusive_j.tolist()),
        map(round, total(rows.counted[chosen] * is_measured)),
        *(total(column[chosen].sum(axis=1) * is_measured) for column in (rows.inclusive_j, rows.exclusive_j)),
        map(round, total(rows.self_ns[chosen] * is_measured)),
        [0] * size if rows.samples is None else map(round, total(rows.samples[chosen])),
        strict=True,
    )
    totals = [MethodTotal(id, tables.ledger.methods.methods[id], *figures) for id, *figures in columns]
    return tuple(sorted(totals, key=lambda each: (-each.exclusive_j, each.id)))


def grouped_methods(tables: LedgerTables, tests: Iterable[TestEnergy] | None) -> tuple[Bool, I64, I64]:
    """Group the rows of `LedgerTables.methods` that belong to the app's threads in the given tests (None: all).

    Samples also have methods of the JIT compiler and of the profiler, whose energy is not the app's. Returns the mask of these
    rows, the ids of the distinct methods, and for each masked row the index into these ids.
    """
    rows = tables.methods
    chosen = (_chosen(tables, tests)[tables.threads.test] & tables.is_app)[rows.tree]
    ids, place = np.unique(rows.method[chosen], return_inverse=True)
    known, index = np.unique(first_ids(tables.ledger.methods, ids)[place], return_inverse=True)
    return chosen, known, index


@dataclass(frozen=True, slots=True)
class RoleTotal(KnownFigures):
    """All threads of one role over some tests. `count` is the sum of the tests' thread counts. `cpu_j` is the CPU's energy.

    `measured`: whether the CPU time of any of them is known.
    """

    role: str
    count: int
    energy_j: float
    cpu_ns: int
    untraced_j: float
    probes_j: float
    components: tuple[float, ...]
    cpu_j: float
    measured: bool

    @property
    def cpu_power_w(self) -> float | None:
        """The CPU's energy divided by CPU time. None without CPU time."""
        return self.cpu_j / (self.cpu_ns / 1e9) if self.cpu_ns > 0 else None


@dataclass(frozen=True, slots=True)
class ThreadTotal(RoleTotal):
    """All threads of one name and role over some tests. `count` is the sum of the tests' thread counts."""

    name: str


def thread_totals(tables: LedgerTables, tests: Iterable[TestEnergy] | None = None) -> tuple[ThreadTotal, ...]:
    """Return sums by thread name and role over the given tests (default: all), largest energy first."""
    owners = tables.ledger.owners
    found = _grouped_threads(tables, tests, lambda owner: (owners.role[owner], owners.name[owner]))
    return tuple(ThreadTotal(role, *figures, name) for (role, name), figures in found)


def role_totals(tables: LedgerTables, tests: Iterable[TestEnergy] | None = None) -> tuple[RoleTotal, ...]:
    """Return sums by thread role over the given tests (default: all), largest energy first."""
    owners = tables.ledger.owners
    return tuple(RoleTotal(role, *figures) for role, figures in _grouped_threads(tables, tests, lambda owner: owners.role[owner]))


_Figures = tuple[int, float, int, float, float, tuple[float, ...], float, bool]
"""The fields of a `RoleTotal` from `count` on."""


def _grouped_threads(
    tables: LedgerTables, tests: Iterable[TestEnergy] | None, label: Callable[[int], Label]
) -> list[tuple[Label, _Figures]]:
    """Sum over threads by the label of their owner (a row of `Ledger.owners`), largest energy first."""
    rows = tables.threads
    chosen = _chosen(tables, tests)[rows.test]
    keys: dict[Label, int] = {}
    labels = [keys.setdefault(label(owner), len(keys)) for owner in rows.owner[chosen].tolist()]
    index, size = np.array(labels, np.int64), len(keys)
    energy_j = sums(index, rows.energy_j[chosen], size)
    count, cpu_ns = sums(index, np.stack([rows.threads, rows.cpu_ns], axis=1)[chosen], size).astype(np.int64).T.tolist()
    untraced_j, probes_j = (
        np.bincount(index, column[chosen].sum(axis=1), size).tolist() for column in (rows.untraced_j, rows.probes_j)
    )
    total_j, components = energy_j.sum(axis=1).tolist(), map(tuple, energy_j.tolist())
    cpu_j = cpu_column(tables.ledger, energy_j).tolist()
    measured = np.bincount(index, rows.measured[chosen], size).astype(bool).tolist()
    figures = zip(count, total_j, cpu_ns, untraced_j, probes_j, components, cpu_j, measured, strict=True)
    return sorted(zip(keys, figures, strict=True), key=lambda each: -each[1][1])


def _chosen(tables: LedgerTables, tests: Iterable[TestEnergy] | None) -> Bool:
    """Return a mask of the rows of `Ledger.tests` that belong to the given tests (None: all)."""
    if tests is None:
        return ~tables.is_baseline
    found = np.zeros(len(tables.ledger.tests), bool)
    found[[row for test in tests for row in test.rows]] = True
    return found


def first_ids(table: MethodTable, ids: I64) -> I64:
    """Replace each id by the lowest id of the same method. A module that two others depend on is in the maps of both."""
    first: dict[tuple[str, str, str, str], int] = {}
    return np.array([first.setdefault(table.methods[id].identity, id) for id in ids.tolist()], np.int64)


def _call_cost_j(tables: LedgerTables) -> F64:
    """Return the probe energy of one call in each thread of each test: cost in ns × the thread's CPU power. 0 if unknown."""
    rows, ledger = tables.threads, tables.ledger
    cost_ns = np.array([run.call_cost_ns or 0.0 for run in ledger.runs] + [0.0])[ledger.tests.run[rows.test]]
    energy_j = cpu_column(ledger, rows.energy_j)
    rate: F64 = np.divide(energy_j, rows.cpu_ns, out=np.zeros(len(energy_j)), where=rows.cpu_ns > 0)
    return np.asarray(cost_ns * rate, np.float64)


@dataclass(frozen=True, slots=True)
class JitShare:
    """The JIT compiler's share of the energy of the threads of all tests in one repeat."""

    repeat: int
    jit_j: float
    threads_j: float

    @property
    def share(self) -> float:
        """The share; 0 without energy."""
        return self.jit_j / self.threads_j if self.threads_j > 0 else 0.0


def jit_shares(tables: LedgerTables) -> tuple[JitShare, ...]:
    """Return the share in each repeat, without baseline runs."""
    ledger = tables.ledger
    shares, size = ledger.shares, len(ledger.tests)
    is_jit = np.array([role == "jit" for role in ledger.owners.role] + [False])[shares.owner]
    energy_j, test = shares.energy_j.sum(axis=1), shares.test.astype(np.int64)
    by_test = zip(
        ledger.tests.repeat.tolist(),
        binned(test[is_jit], energy_j[is_jit], size).tolist(),
        binned(test, energy_j, size).tolist(),
        tables.is_baseline.tolist(),
        strict=True,
    )
    by_repeat: defaultdict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for repeat, jit_j, threads_j, is_baseline in by_test:
        if not is_baseline:
            by_repeat[repeat][0] += jit_j
            by_repeat[repeat][1] += threads_j
    return tuple(JitShare(repeat, *energies_j) for repeat, energies_j in sorted(by_repeat.items()))
