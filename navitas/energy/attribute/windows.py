"""The energy of one run in its tests' windows, and the probes' share of it: the input of compensation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.run_calls import RunCalls
from navitas.energy.attribute.calls.self_totals import ProbesEnergy
from navitas.energy.attribute.compensation import Baselines, Estimates, Measured, ProbesError, Unprobed, compensation
from navitas.energy.attribute.component import ComponentCurves
from navitas.energy.attribute.curves import Curve
from navitas.energy.attribute.ledger import NO_TEST
from navitas.energy.attribute.run_rows import RunRows
from navitas.energy.attribute.window_spans import WindowSpans
from navitas.recording.manifest import Test
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.roles import NOT_THE_TESTS
from navitas.recording.parse.tables import RunTables


@dataclass(frozen=True, slots=True)
class AttributedRun:
    """The data of a run that its facts are computed from.

    `tests` has the row of `Ledger.tests` of each window, or `NO_TEST`. `listed` has the test of each row of `Ledger.tests`.
    `is_known` says of each thread whether its energy is known.
    """

    calls: RunCalls
    tests: I64
    components: Sequence[ComponentCurves | None]
    first_owner: int
    probes_error: ProbesError | None
    listed: Sequence[Test]
    is_known: Bool
    baselines: Baselines

    @property
    def tables(self) -> RunTables:
        return self.calls.run

    @property
    def spans(self) -> WindowSpans:
        """The windows of the run's tests."""
        return self.calls.spans


@dataclass(frozen=True, slots=True)
class Windows:
    """Joules in each window.

    `energy_j` is the total, `passive_j` base energy and other processes' energy. `threads_j` and `jit_j`
    are of the component whose energy probes use. `threads_j` excludes threads of `NOT_THE_TESTS`.
    """

    energy_j: F64
    threads_j: F64
    jit_j: F64
    passive_j: F64


def windows_of(run: AttributedRun, rows: RunRows, probes_component: int | None) -> Windows:
    """The run's energy in each window; `probes_component` is the index of the component whose energy probes use."""
    count = len(run.spans.windows)
    component_j = np.zeros(len(rows)) if probes_component is None else rows.energy_j[:, probes_component]
    roles = [thread.role for thread in run.tables.threads]
    is_own = np.array([role not in NOT_THE_TESTS for role in roles], bool)
    is_jit = np.array([role == "jit" for role in roles], bool)

    def used(curve: Curve) -> F64:
        return curve.at(run.spans.end_ns) - curve.at(run.spans.start_ns)

    def row_sums(chosen: Bool) -> F64:
        return np.bincount(rows.window[chosen], component_j[chosen], count).astype(np.float64)

    passive_j, unattributed_j = np.zeros(count), np.zeros(count)
    for component in run.components:
        if component is not None:
            passive_j += used(component.other_processes) + used(component.base)
            unattributed_j += used(component.unattributed)
    threads_j = np.bincount(rows.window, rows.energy_j.sum(axis=1), count)
    return Windows(
        threads_j + passive_j + unattributed_j, row_sums(is_own[rows.thread]), row_sums(is_jit[rows.thread]), passive_j
    )


def unprobed(run: AttributedRun, windows: Windows) -> list[Unprobed]:
    """The energy of each test in a baseline run."""
    return [
        Unprobed(_key(run.listed[row]), run.listed[row].status, float(windows.energy_j[window]), float(windows.threads_j[window]))
        for window, row in enumerate(run.tests.tolist())
        if row != NO_TEST and run.spans.end_ns[window] > run.spans.start_ns[window]
    ]


def compensations(run: AttributedRun, windows: Windows, rows: RunRows, probes: ProbesEnergy) -> dict[int, Estimates]:
    """The probes' energy and the compensated energy by window; empty if the probes' cost is unknown."""
    if run.probes_error is None:
        return {}
    count = len(run.spans.windows)
    longest_ns = np.zeros(count)
    np.maximum.at(longest_ns, rows.window, probes.row_ns)
    shares = longest_ns / np.maximum(run.spans.end_ns - run.spans.start_ns, 1)
    probes_j = np.bincount(rows.window, probes.row_j, count)
    columns = (windows.energy_j, windows.threads_j, windows.jit_j, windows.passive_j, probes_j, shares)
    measured = zip(*(column.tolist() for column in columns), strict=True)
    estimates = {}
    for window, (row, figures) in enumerate(zip(run.tests.tolist(), measured, strict=True)):
        if row != NO_TEST:
            test = run.listed[row]
            baseline = run.baselines.find(_key(test), test.status)
            estimates[window] = compensation(Measured(*figures), run.probes_error.total, baseline)
    return estimates


def corrections(estimates: dict[int, Estimates], windows: int) -> F64:
    """The factor by window that corrects the probes' energy from their sampled cost."""
    factor = np.ones(windows)
    for window, each in estimates.items():
        if each.sampled_probes_j:
            factor[window] = each.probes.value_j / each.sampled_probes_j
    return factor


def _key(test: Test) -> tuple[str, str, str]:
    return test.module, test.class_name, test.method
