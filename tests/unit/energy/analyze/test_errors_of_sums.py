"""Errors of sums: causes that figures share add up, with their signs; others add up by squares."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lamp import ABOUT
from support.ledger_maker import RUN, NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.notices import notices
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records_of_tests import by_class
from navitas.energy.analyze.roll_up import MethodTotal
from navitas.energy.analyze.uncertainty import COVER_95, StandardError, added
from navitas.energy.attribute.compensation import TICKED_LOSS, TIMED_LOSS, ProbesError
from navitas.energy.attribute.ledger import RunEntry
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable(
    (Method(0, ":", "p.A", "caller", "()V", 1, "main", False), Method(1, ":", "p.A", "tiny", "()V", 2, "main", False)), {}
)
# Its probes' cost varies by 15 % from run to run; the compiler's loss is 20 % of it in all runs.
COSTLY = replace(RUN, probes_error=ProbesError(0.15, TIMED_LOSS), call_cost_ns=100.0)
ERRORS = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))


def profile(*runs: list[NodeSpec], run: RunEntry = COSTLY, wall_ns: int = 1_000_000_000) -> Profile:
    """Return a profile with one test and run for each list of nodes, which each have a thread of their own."""
    tests = [
        TestSpec(
            "p.ATest",
            "t",
            repeat,
            [ThreadSpec(n, f"thread-{n}", 5.0, tid=n, cpu_ns=wall_ns, nodes=[node]) for n, node in enumerate(nodes, 1)],
            wall_ns=wall_ns,
        )
        for repeat, nodes in enumerate(runs)
    ]
    profile = Profile(made_ledger(tests, METHODS, run=run), ABOUT)
    profile.warnings += notices(profile)
    return profile


def tiny(profile: Profile) -> MethodTotal:
    return next(total for total in profile.method_totals() if total.method.name == "tiny")


def of(exclusive_j: float, probes_j: float, self_ns: int = 1_000_000) -> NodeSpec:
    return NodeSpec(-1, 1, 10, exclusive_j, probes_j=probes_j, self_ns=self_ns)


def sum_of(errors: list[float], sources: list[int] | None = None) -> float:
    index = np.zeros(len(errors), np.int64)
    return float(added(np.array(errors, np.float64), index, 1, None if sources is None else np.array(sources, np.int64))[0])


@given(st.lists(st.tuples(ERRORS, st.integers(0, 3)), max_size=20), st.integers(1, 5))
def test_splitting_a_figure_changes_no_error_of_shared_causes(figures: list[tuple[float, int]], parts: int) -> None:
    errors, sources = [error for error, _ in figures], [source for _, source in figures]
    split = [error / parts for error in errors for _ in range(parts)]
    assert sum_of(split, [source for source in sources for _ in range(parts)]) == pytest.approx(sum_of(errors, sources), abs=1e-9)


@given(st.lists(st.tuples(ERRORS, st.integers(0, 3)), max_size=20))
def test_the_error_of_a_sum_is_at_most_the_sum_of_errors(figures: list[tuple[float, int]]) -> None:
    errors, sources = [error for error, _ in figures], [source for _, source in figures]
    largest = sum(map(abs, errors))
    independent, shared = sum_of(errors), sum_of(errors, [0] * len(errors))
    assert max(independent, shared, sum_of(errors, sources)) <= largest * (1 + 1e-12) + 1e-9
    assert independent == pytest.approx(hypot(*errors)) and shared == pytest.approx(abs(sum(errors)), abs=1e-9)
    if all(error >= 0 for error in errors):
        assert independent <= sum_of(errors, sources) + 1e-9 and sum_of(errors, sources) <= shared + 1e-9


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), ERRORS), max_size=30))
def test_sums_of_several_figures_are_those_of_each(rows: list[tuple[int, int, float]]) -> None:
    index, source, errors = (np.array([row[i] for row in rows], kind) for i, kind in enumerate((np.int64, np.int64, np.float64)))
    for number, error in enumerate(added(errors, index, 5, source).tolist()):
        own = [row for row in rows if row[0] == number]
        assert error == pytest.approx(sum_of([row[2] for row in own], [row[1] for row in own]), abs=1e-9)


@pytest.mark.parametrize("rows", [1, 10, 100, 1_000])
def test_the_intervals_of_sums_cover_the_truth(rows: int) -> None:
    """The cost of probes is off by its stated error in each run, and the compiler's loss in all runs alike."""
    runs, draws, random = min(rows, 4), 4_000, np.random.default_rng(rows)
    probes_j = random.exponential(1.0, rows)
    run = np.arange(rows) % runs
    spread, lost = 0.15 * random.standard_normal((draws, runs)), TIMED_LOSS * random.standard_normal((draws, 1))
    off_j = ((spread[:, run] + lost) * probes_j).sum(axis=1)
    found = profile(*([of(1.0, float(joules)) for joules in probes_j[run == number]] for number in range(runs)))
    covered = np.mean(np.abs(off_j) <= COVER_95 * tiny(found).exclusive_error.probes_j)
    assert 0.93 <= covered <= 0.97


def test_rows_of_a_run_subtract_one_cost() -> None:
    # 887 rows of one run: their probes' energy is off by the same share.
    found = tiny(profile([of(-54.8e-3 / 887, 80e-3 / 887)] * 887))
    assert found.exclusive_j == pytest.approx(-54.8e-3)
    assert found.exclusive_error.probes_j == pytest.approx(0.25 * 80e-3)


def test_runs_share_the_compilers_loss_alone() -> None:
    found = tiny(profile(*([of(1.0, 2.0)] for _ in range(4))))
    assert found.exclusive_error.probes_j == pytest.approx(hypot(0.15 * 2.0 * 2, TIMED_LOSS * 2.0 * 4))
    ticked = tiny(profile([of(1.0, 2.0)], [of(1.0, 2.0)], run=replace(COSTLY, probes_error=ProbesError(0.4, TICKED_LOSS))))
    assert ticked.exclusive_error.probes_j == pytest.approx(hypot(0.4 * 2 * 2**0.5, TICKED_LOSS * 4))


def test_ticks_of_rows_are_independent() -> None:
    run = replace(RUN, tick_ns=1e6)
    alone, several = (tiny(profile([of(2.0, 0.0)] * rows, run=run)).exclusive_error.probes_j for rows in (1, 9))
    assert alone > 0 and several == pytest.approx(3 * alone)


def test_a_sum_of_one_row_has_the_errors_of_the_row() -> None:
    found = profile([of(1.0, 2.0)], [], run=replace(COSTLY, tick_ns=1e6))
    (row,), total = found.tests[0].threads[0].methods, tiny(found)
    assert (row.exclusive_error_j, row.inclusive_error_j) == (total.exclusive_error.probes_j, total.inclusive_error.probes_j)
    assert row.exclusive_standard_j == pytest.approx(total.exclusive_error.standard_j)


def test_readings_of_rows_are_independent_and_the_level_of_evidence_is_shared() -> None:
    alone, several = tiny(profile([of(1.0, 0.0)])).exclusive_error, tiny(profile([of(1.0, 0.0)] * 100)).exclusive_error
    assert several.evidence_j == pytest.approx(100 * alone.evidence_j) and several.profile_j == pytest.approx(
        100 * alone.profile_j
    )
    assert several.sampling_j == pytest.approx(10 * alone.sampling_j)


def test_each_test_of_a_class_has_its_own_edges() -> None:
    tests = [TestSpec("p.ATest", f"t{n}", 0, [ThreadSpec(1, "main", 5.0, tid=1, cpu_ns=10**9)], base_j=1.0) for n in range(4)]
    found = Profile(
        replace(ledger := made_ledger(tests, METHODS), tests=replace(ledger.tests, run_id=np.zeros(4, np.int64))), ABOUT
    )
    (merged,) = by_class(found.tests)
    for error in (found.test_error, found.app_error, lambda test: found.thread_error(test, test.threads[0])):
        alone, together = error(found.tests[0]), error(merged)
        assert together.counter_ticks_j == pytest.approx(2 * alone.counter_ticks_j) and alone.counter_ticks_j > 0
        assert together.sampling_j == pytest.approx(2 * alone.sampling_j)
        assert together.evidence_j == pytest.approx(4 * alone.evidence_j)
    assert found.total_error().counter_ticks_j == pytest.approx(2 * found.test_error(found.tests[0]).counter_ticks_j)


def test_the_interval_of_repeats_has_independent_errors_once() -> None:
    found = profile(*([of(1.0, 2.0)] for _ in range(3)))
    (group,) = found.repeats()
    error = found.app_error(group.typical)
    assert error.standard_j > error.shared_j > 0
    assert found.app_interval(group).half_width == pytest.approx(COVER_95 * error.shared_j), "the runs agree"
    alone = profile([of(1.0, 2.0)])
    assert alone.app_interval(alone.repeats()[0]).half_width == pytest.approx(alone.app_error(alone.tests[0]).half_width_j)


def test_methods_below_zero_by_more_than_their_error_are_named() -> None:
    (warning,) = (each for each in profile([of(-54.8e-3 / 887, 80e-3 / 887)] * 887).warnings if each.code == "probes_large")
    assert "below zero by more than ±: p.A.tiny" in warning.message and "--baseline" in warning.remedy
    # The rows' errors, by squares, would be a thirtieth of this one.
    within = profile([of(-30e-3 / 887, 80e-3 / 887)] * 887)
    assert not any("below zero" in each.message for each in within.warnings)
    assert StandardError(0, 0, 0, 1.0, 0).is_below_zero(-2.0) and not StandardError(0, 0, 0, 0, 0).is_below_zero(-1e-18)
