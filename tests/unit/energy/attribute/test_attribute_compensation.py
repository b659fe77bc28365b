"""Compensated energy of tests and its standard error."""

from __future__ import annotations

from dataclasses import replace

import pytest
from attribution_maker import J_PER_MS, MS, PLAIN, manifest, nested, parsed, run, thread
from support.run_tables import changed

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.analyze.records import TestEnergy as OneTest
from navitas.energy.attribute.compensation import (
    TICKED_LOSS,
    TIMED_LOSS,
    Baseline,
    Estimate,
    Measured,
    compensation,
    relative_error,
)
from navitas.recording.manifest import Run
from navitas.recording.parse.tables import CallCost, ProbeCost, RunTables

EXACT = CallCost(inside_ns=2 * MS, outside_ns=2 * MS, thrown_inside_ns=0, thrown_outside_ns=0, spread_ns=0)
MOSTLY_PROBES = Measured(energy_j=25.0, threads_j=20.0, jit_j=1.0, passive_j=4.0, probes_j=18.0, probes_share=0.9)


def test_the_error_includes_lost_compiler_optimizations() -> None:
    cost = ProbeCost(EXACT, EXACT)
    assert relative_error(None, ticked=False) is None
    assert relative_error(cost, ticked=False) == (0.0, TIMED_LOSS)
    assert relative_error(cost, ticked=True) == (0.0, TICKED_LOSS)
    varied = ProbeCost(EXACT, replace(EXACT, spread_ns=2 * MS))
    error = relative_error(varied, ticked=False)
    assert error == (pytest.approx(0.5), TIMED_LOSS) and error.total == pytest.approx((0.5**2 + TIMED_LOSS**2) ** 0.5)


def test_base_energy_of_the_probes_time_is_deducted() -> None:
    found = compensation(MOSTLY_PROBES, 0.2, None)
    assert found.probes == Estimate(18.0, pytest.approx(3.6))
    assert found.compensated.value_j == pytest.approx(25.0 - 18.0 - 0.9 * 4.0)
    assert found.compensated.error_j == pytest.approx(((3.6 + 0.2 * 3.6) ** 2 + 0.9**2) ** 0.5)
    alone = compensation(replace(MOSTLY_PROBES, probes_j=0.0, probes_share=0.0), 0.2, None)
    assert alone.compensated == Estimate(25.0, 0.0)


def test_a_baseline_dominates_if_probes_used_most_energy() -> None:
    baseline = Baseline(Estimate(1.5, 0.1), Estimate(0.5, 0.05))
    found = compensation(MOSTLY_PROBES, 0.2, baseline)
    assert MOSTLY_PROBES.threads_j - found.probes.value_j == pytest.approx(0.5, abs=0.01)
    assert found.compensated.value_j == pytest.approx(1.5, abs=0.02)
    assert found.probes.error_j <= 0.05 and found.compensated.error_j <= 0.1
    assert found.sampled_probes_j == 18.0


def test_scattered_baselines_hardly_change_a_small_correction() -> None:
    little = Measured(energy_j=12.0, threads_j=10.0, jit_j=0.5, passive_j=1.0, probes_j=0.01, probes_share=0.001)
    found = compensation(little, 0.2, Baseline(Estimate(9.0, 1.0), Estimate(8.0, 0.8)))
    assert found.probes.value_j == pytest.approx(0.01, abs=0.001)
    assert found.compensated.value_j == pytest.approx(12.0, abs=0.02)
    assert (
        compensation(replace(little, probes_j=0.0), 0.2, Baseline(Estimate(9.0, 1.0), Estimate(8.0, 0.8))).probes.value_j == 0.0
    )


def recorded(*unprobed_ms: float) -> OneTest:
    """A test of 1 s with 200 calls, whose probes take 800 ms by sampled cost, and baseline runs with these CPU times in ms."""
    events = [event for i in range(200) for event in nested((5 * i, 5 * i + 4, 1))]
    busy = ((0.0, 0.0), (1000.0, 1000.0))
    probed = changed(run([thread(1, events, busy)]), probe_cost=ProbeCost(EXACT, EXACT))

    def baseline(number: int, ms: float) -> RunTables:
        tables = replace(run([thread(1, (), ((0.0, 0.0), (1000.0, ms)))]), run_id=number)
        return changed(tables, windows=(replace(tables.app.windows[0], test_id=number),))

    fields = {"module": ":", "package": "a", "map_id": "0", "exit": "complete"}
    count = len(unprobed_ms)
    runs = [Run.model_validate({"id": i, "baseline": i > 0, "repeat": max(i - 1, 0), **fields}) for i in range(count + 1)]
    known = manifest()
    (test,) = known.tests
    more = [test.model_copy(update={"id": i, "run": i, "repeat": i - 1}) for i in range(1, count + 1)]
    described = known.model_copy(update={"runs": runs, "tests": [test, *more]})
    analysis = profile_of(parsed(probed, *(baseline(i + 1, ms) for i, ms in enumerate(unprobed_ms))), described, PLAIN)
    assert check(analysis) == []
    (found,) = analysis.tests
    return found


def test_baselines_correct_threads_methods_and_call_paths() -> None:
    alone, corrected = recorded(), recorded(30.0, 50.0, 70.0)
    assert alone.threads_j - alone.probes_j == pytest.approx(200 * J_PER_MS)
    assert corrected.threads_j - corrected.probes_j == pytest.approx(50 * J_PER_MS, rel=0.1)
    assert corrected.sampled_probes_j == pytest.approx(alone.probes_j)
    assert abs(alone.threads_j - alone.probes_j - 50 * J_PER_MS) <= (alone.probes_error_j or 0.0)
    (row,) = corrected.threads
    (method,) = row.methods
    assert method.exclusive_j + row.untraced_j + row.probes_j == pytest.approx(row.energy_j)
    assert [node.exclusive_j for node in row.nodes] == [pytest.approx(method.exclusive_j)]
