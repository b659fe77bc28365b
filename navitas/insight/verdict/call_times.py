"""When a method used its energy: from its first to its last energy, after the start of each test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from navitas.energy.analyze.roll_up import first_ids
from navitas.insight.verdict.figures import Figures


class CallTime(NamedTuple):
    """When a method used its energy in the typical run of a test (an index of `Figures.groups`), after the start of the test.

    `raw_j` includes the energy of its probes.
    """

    test: int
    begin_ns: float
    end_ns: float
    raw_j: float


def call_times(figures: Figures, method: int) -> list[CallTime]:
    """Return when a method (`MethodTotal.id`) used its self energy, largest energy first. Empty if that was not computed
    (`AnalysisSettings.call_steps`).
    """
    ledger = figures.profile.ledger
    steps, tests = ledger.call_steps, ledger.tests
    if steps is None:
        return []
    methods = ledger.paths.method
    ids = np.unique(methods[methods >= 0])
    path_is_of = np.isin(methods, ids[first_ids(ledger.methods, ids) == method])
    number = np.full(len(tests), -1)
    for index, group in enumerate(figures.groups):
        number[list(group.typical.rows)] = index
    at = np.flatnonzero(path_is_of[steps.path] & (number[steps.test] >= 0) & (steps.raw_j > 0))
    times: dict[int, CallTime] = {}
    for row in np.unique(steps.test[at]).tolist():
        own = at[steps.test[at] == row]
        run = ledger.runs[int(tests.run[row])]
        length_ns, start_ns = run.call_step_ns, int(tests.start_ns[row]) - run.start_ns
        wall_ns = int(tests.end_ns[row] - tests.start_ns[row])
        begin_ns = max(int(steps.step[own].min()) * length_ns - start_ns, 0)
        end_ns = min(int(steps.step[own].max() + 1) * length_ns - start_ns, wall_ns)
        test = int(number[row])
        times.setdefault(test, CallTime(test, float(begin_ns), float(max(end_ns, begin_ns)), float(steps.raw_j[own].sum())))
    return sorted(times.values(), key=lambda time: -time.raw_j)
