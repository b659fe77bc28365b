"""When call paths and owners used their energy, in the steps of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.curves import in_sorted, overlaps
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import CallSteps, Ledger, RunEntry
from navitas.recording.parse.arrays import F64, I64, Bool

_MOST_OWNERS = 200
"""The owners of a run whose curves are read."""


@dataclass(frozen=True, slots=True)
class RunSteps:
    """The steps of a run, those of `CallSteps`. `row` is that of `Ledger.runs`."""

    row: int
    id: int
    start_ns: int
    end_ns: int
    edges_ns: I64

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.edges_ns) - 1

    def step_of(self, t_ns: I64) -> I64:
        return np.clip(np.searchsorted(self.edges_ns, t_ns, side="right") - 1, 0, self.steps - 1)


def run_steps(row: int, run: RunEntry) -> RunSteps:
    """Return the steps of a row of `Ledger.runs`."""
    starts_ns = np.arange(run.start_ns, run.end_ns, run.call_step_ns or run.end_ns - run.start_ns)
    return RunSteps(row, run.id, run.start_ns, run.end_ns, np.append(starts_ns, run.end_ns))


def energy_by_step(ledger: Ledger, called: CallSteps, is_shown: Bool, run: RunSteps) -> tuple[I64, I64, I64, F64]:
    """Return when the shown tests of a run used their energy: path, test · `len(ledger.owners)` + owner, step, joules.

    `called` are the steps of calls in these tests. Joules show only how the energy of a path is spread over time: those of calls
    include the energy of probes. The path of energy outside of calls is `OUTSIDE`.
    """
    pairs = called.test.astype(np.int64) * len(ledger.owners) + called.owner
    # Steps of small rows are rounded, and so may lie beyond the test.
    last_ns = np.maximum(ledger.tests.end_ns - 1, ledger.tests.start_ns)[called.test]
    step = np.clip(called.step, run.step_of(ledger.tests.start_ns[called.test]), run.step_of(last_ns)).astype(np.int64)
    in_calls = called.path.astype(np.int64), pairs, step, called.raw_j
    outside = _outside_calls(ledger, is_shown, run, pairs * run.steps + step, called.raw_j)
    path, pairs, step, joules = (np.concatenate(columns) for columns in zip(in_calls, outside, strict=True))
    return path, pairs, step, joules


def _outside_calls(ledger: Ledger, is_shown: Bool, run: RunSteps, called: I64, called_j: F64) -> tuple[I64, I64, I64, F64]:
    """Return path, test and owner, step, and joules of the energy outside of calls: what the owner's curve has beyond its calls.

    `called` are test, owner and step of calls.
    """
    energy = ledger.energy
    rows = np.flatnonzero((energy.test >= 0) & (energy.path == OUTSIDE) & is_shown[energy.test])
    pairs, pair_of = np.unique(energy.test[rows].astype(np.int64) * len(ledger.owners) + energy.owner[rows], return_inverse=True)
    pair_j = binned(pair_of, energy.exclusive_j[rows], len(pairs))
    owners, owner_place = np.unique(pairs % len(ledger.owners), return_inverse=True)
    ranked = np.argsort(-binned(owner_place, np.abs(pair_j), len(owners)), kind="stable")
    chosen = np.flatnonzero(np.isin(owner_place, ranked[:_MOST_OWNERS]))
    pairs, pair_j = pairs[chosen], pair_j[chosen]
    test = pairs // len(ledger.owners)
    start_ns, end_ns = ledger.tests.start_ns[test], ledger.tests.end_ns[test]
    pair, step = overlaps(run.step_of(start_ns), run.step_of(np.maximum(end_ns - 1, start_ns)))
    low_ns = np.maximum(start_ns[pair], run.edges_ns[step])
    high_ns = np.maximum(np.minimum(end_ns[pair], run.edges_ns[step + 1]), low_ns)
    spent_j = np.zeros(len(pair))
    owner = pairs[pair] % len(ledger.owners)
    for number in np.unique(owner).tolist():
        own = np.flatnonzero(owner == number)
        for component in range(len(ledger.components)):
            curve = ledger.curves.curve(number, component)
            spent_j[own] += curve.at(high_ns[own]) - curve.at(low_ns[own])
    cells, cell_of = np.unique(called, return_inverse=True)
    calls_j = binned(cell_of, called_j, len(cells))
    cell = pairs[pair] * run.steps + step
    is_called = in_sorted(cell, cells)
    spent_j[is_called] -= calls_j[np.searchsorted(cells, cell[is_called])]
    spent_j = np.maximum(spent_j, 0.0)
    whole_j = binned(pair, spent_j, len(pairs))
    joules = spent_j * np.divide(np.maximum(pair_j, 0.0), whole_j, out=np.zeros(len(pairs)), where=whole_j > 0)[pair]
    return np.full(len(pair), OUTSIDE), pairs[pair], step, joules
