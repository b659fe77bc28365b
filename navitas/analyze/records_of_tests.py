"""Creates the records of tests from the ledger's tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import Lazy, TestEnergy
from navitas.analyze.records_of_threads import ThreadRecords, none_for_nan
from navitas.attribute.forest import sums
from navitas.attribute.owner_kind import OwnerKind
from navitas.parse.roles import NOT_THE_TESTS


@dataclass(frozen=True, slots=True)
class _TestColumns:
    """Figures of all tests, including baseline runs. Lists, since code reads them one value at a time."""

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
    app_components: list[list[float]]
    base_components: list[list[float]]


class TestRecords:
    """Creates the records of all tests."""

    def __init__(self, tables: LedgerTables) -> None:
        self._tables = tables
        self._threads = ThreadRecords(tables)

    def all(self) -> tuple[TestEnergy, ...]:
        """Return one record for each run of each test, with its figures from the baseline run."""
        tests, columns = self._tables.ledger.tests, self._columns
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
                threads=Lazy(partial(self._threads.of_test, row)),
                rows=(row,),
                alternative_j=columns.alternative_j[row],
                unprobed_j=None if baseline is None else columns.energy_j[baseline],
                unprobed_threads_j=None if baseline is None else columns.threads_j[baseline],
                probes_error_j=columns.probes_error_j[row],
                sampled_probes_j=columns.sampled_probes_j[row],
                whole_compensated_j=columns.compensated_j[row],
                compensated_error_j=columns.compensated_error_j[row],
                components=tuple(columns.components[row]),
                app_components=tuple(columns.app_components[row]),
                base_components=tuple(columns.base_components[row]),
            )
            for row in np.flatnonzero(~self._tables.is_baseline).tolist()
            for baseline in [unprobed.get(row)]
        )

    def _unprobed(self, repeats: list[int]) -> dict[int, int]:
        """Map the row of each test to its row in the baseline run of the same repeat.

        Tests are left out that were cut, or whose status differs between the two runs.
        """
        tests, wall_ns = self._tables.ledger.tests, self._columns.wall_ns
        keys = list(zip(tests.module, tests.class_name, tests.method, repeats, tests.status, strict=True))
        baselines = {keys[row]: row for row in np.flatnonzero(self._tables.is_baseline).tolist() if wall_ns[row] > 0}
        found = {row: baselines.get(key) for row, key in enumerate(keys) if baselines and tests.status[row] != "cut"}
        return {row: baseline for row, baseline in found.items() if baseline is not None}

    @cached_property
    def _columns(self) -> _TestColumns:
        tests, threads, size = self._tables.ledger.tests, self._tables.threads, len(self._tables.ledger.tests)
        by_kind, found = self._tables.tests_by_kind, self._tables.ledger.compensation
        kinds = by_kind.sum(axis=2)
        of_app = np.array([role not in NOT_THE_TESTS for role in self._tables.ledger.owners.role] + [False])[threads.owner]
        threads_j = sums(threads.test[of_app], threads.energy_j[of_app], size)
        probes_j = sums(threads.test, threads.probes_j, size)
        return _TestColumns(
            wall_ns=(tests.end_ns - tests.start_ns).tolist(),
            energy_j=kinds.sum(axis=1).tolist(),
            threads_total_j=kinds[:, OwnerKind.THREAD].tolist(),
            threads_j=threads_j.sum(axis=1).tolist(),
            other_processes_j=kinds[:, OwnerKind.OTHER_PROCESSES].tolist(),
            base_j=kinds[:, OwnerKind.BASE].tolist(),
            unattributed_j=kinds[:, OwnerKind.UNATTRIBUTED].tolist(),
            probes_j=probes_j.sum(axis=1).tolist(),
            alternative_j=[None] * size if tests.alternative_j is None else tests.alternative_j.tolist(),
            probes_error_j=none_for_nan(found.probes_error_j),
            sampled_probes_j=none_for_nan(found.sampled_probes_j),
            compensated_j=none_for_nan(found.compensated_j),
            compensated_error_j=none_for_nan(found.compensated_error_j),
            components=by_kind.sum(axis=1).tolist(),
            app_components=(threads_j - probes_j).tolist(),
            base_components=by_kind[:, OwnerKind.BASE].tolist(),
        )
