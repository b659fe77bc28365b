"""The ledger of some tests of a recording: only their energy, calls and time."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve
from navitas.energy.attribute.forest import sums
from navitas.energy.attribute.ledger import (
    NO_TEST,
    Calls,
    CallSteps,
    Compensation,
    CurveStore,
    Energy,
    HandedTasks,
    Ledger,
    RunEntry,
    Shares,
    Tests,
    Transfers,
)
from navitas.recording.parse.arrays import I64, Bool

Facts = TypeVar("Facts", Energy, CallSteps, Calls, Shares, Transfers, HandedTasks)


@dataclass(frozen=True, slots=True)
class _Windows(CurveStore):
    """Curves that rise only within some tests of each run, and are constant outside of them.

    `edges_ns` has the starts and ends of the run's tests by owner's run, which is -1 for owners that have nothing.
    Charges count at the time of the call, so there is no flow of their own.
    """

    base: CurveStore
    run: I64
    edges_ns: list[I64]

    def curve(self, owner: int, component: int) -> Curve:
        run, curve = int(self.run[owner]), self.base.curve(owner, component)
        if run < 0 or not curve.t_ns.size or not len(self.edges_ns[run]):
            return EMPTY_CURVE
        edges_ns = self.edges_ns[run]
        t_ns = np.unique(np.concatenate([edges_ns, curve.t_ns[(curve.t_ns > edges_ns[0]) & (curve.t_ns < edges_ns[-1])]]))
        is_inside = np.searchsorted(edges_ns, t_ns[:-1], side="right") % 2 == 1
        steps = np.where(is_inside, np.diff(curve.at(t_ns)), 0.0)
        return Curve(t_ns, np.concatenate([[0.0], np.cumsum(steps)]))

    def flow(self, owner: int, component: int) -> Curve | None:
        return None


def of_tests(ledger: Ledger, keep: Bool) -> Ledger:
    """Return the ledger of the chosen rows of `Ledger.tests`. Energy outside of them, and runs without them, are left out.

    Figures of whole runs are unknown: what rails and the device's own statistics measured, and messages between modules.
    """
    tests = ledger.tests
    run_ids = set(tests.run_id[keep].tolist())
    runs = [row for row, run in enumerate(ledger.runs) if run.id in run_ids]
    new_run = np.full(len(ledger.runs) + 1, -1)  # the last element is that of tests and owners without a run
    new_run[runs] = np.arange(len(runs))
    new_test = np.where(keep, np.cumsum(keep) - 1, NO_TEST)
    kept = Tests(*(_rows(getattr(tests, field.name), keep) for field in fields(Tests)))
    kept = replace(kept, run=new_run[kept.run])
    edges_ns = [_edges_ns(kept, run) for run in range(len(runs))]
    owner_run = new_run[ledger.owners.run]
    energies_j = sums(kept.run[kept.run >= 0], LedgerTables(ledger).tests_by_kind.sum(axis=1)[keep][kept.run >= 0], len(runs))
    return replace(
        ledger,
        runs=tuple(_shortened(ledger.runs[row], edges) for row, edges in zip(runs, edges_ns, strict=True)),
        tests=kept,
        compensation=Compensation(*(getattr(ledger.compensation, field.name)[keep] for field in fields(Compensation))),
        owners=replace(ledger.owners, run=owner_run),
        energy=_facts(ledger.energy, new_test),
        calls=_facts(ledger.calls, new_test),
        call_steps=_call_steps(ledger, kept, new_test, edges_ns, runs),
        shares=_facts(ledger.shares, new_test),
        transfers=_facts(ledger.transfers, new_test),
        handed=_facts(ledger.handed, new_test),
        run_energy_j=energies_j,
        evidence=tuple(replace(evidence, rails_j=None, unscaled_j=None) for evidence in ledger.evidence),
        curves=_Windows(ledger.curves, owner_run, edges_ns),
        messages=None,
    )


def _rows(column: Any, keep: Bool) -> Any:
    """Return the chosen values of a column."""
    if isinstance(column, tuple):
        return tuple(value for value, is_kept in zip(column, keep.tolist(), strict=True) if is_kept)
    return None if column is None else column[keep]


def _facts(table: Facts, new_test: I64) -> Facts:
    """Return the facts of the chosen tests, with their new numbers."""
    test = np.where(table.test == NO_TEST, NO_TEST, new_test[table.test])
    rows = test != NO_TEST
    columns = {field.name: getattr(table, field.name) for field in fields(table)}
    chosen = {name: None if column is None else column[rows] for name, column in columns.items()}
    return type(table)(**{**chosen, "test": test[rows].astype(table.test.dtype)})


def _call_steps(ledger: Ledger, tests: Tests, new_test: I64, edges_ns: list[I64], runs: list[int]) -> CallSteps | None:
    """Return the steps of the chosen tests, counted from the new start of their run: off by less than one step."""
    if ledger.call_steps is None:
        return None
    steps = _facts(ledger.call_steps, new_test)
    entries = [ledger.runs[row] for row in runs]
    earlier = [
        (int(edges[0]) - run.start_ns) // run.call_step_ns if len(edges) and run.call_step_ns else 0
        for run, edges in zip(entries, edges_ns, strict=True)
    ]
    shift = np.array([*earlier, 0], np.int64)  # the last element is that of tests without a run
    return replace(steps, step=(steps.step - shift[tests.run[steps.test]]).astype(steps.step.dtype))


def _edges_ns(tests: Tests, run: int) -> I64:
    """Return the starts and ends of a run's tests, by time. Tests that overlap or touch are one stretch."""
    of_run = (tests.run == run) & (tests.end_ns > tests.start_ns)
    order = np.argsort(tests.start_ns[of_run], kind="stable")
    starts, ends = tests.start_ns[of_run][order], np.maximum.accumulate(tests.end_ns[of_run][order])
    if not len(starts):
        return np.empty(0, np.int64)
    begins = np.concatenate([[True], starts[1:] > ends[:-1]])
    return np.column_stack([starts[begins], ends[np.concatenate([begins[1:], [True]])]]).ravel()


def _shortened(run: RunEntry, edges_ns: I64) -> RunEntry:
    """Return a run from the first start to the last end of its tests. Figures of the whole run are unknown."""
    start_ns, end_ns = (int(edges_ns[0]), int(edges_ns[-1])) if len(edges_ns) else (run.start_ns, run.start_ns)
    return replace(
        run, start_ns=start_ns, end_ns=end_ns, rails_j=None, rails_estimate_j=None, slept_ns=0, consumers=(), unrecorded_j=()
    )
