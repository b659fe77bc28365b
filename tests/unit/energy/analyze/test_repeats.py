"""Medians are over the runs that count; a test class is the sum of its tests; runs are compared with baseline runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lamp import ABOUT, lit_runs, profile_with
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.base.units import share
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.repeats import BaselinePairs, CompensatedTotals
from navitas.energy.analyze.spread import counted_repeats
from navitas.recording.parse.tables import Method, MethodTable

METHODS = MethodTable(
    (Method(0, ":a", "p.Sort", "sort", "()V", 1, "main", False), Method(1, ":a", "p.Sort", "swap", "()V", 2, "main", False)), {}
)


def one_run(repeat: int, energy_j: float, status: str = "passed", *, method: str = "t", **more: object) -> TestSpec:
    """Return a run with one thread, which uses all of its energy."""
    threads = (ThreadSpec(1, "main", energy_j, cpu_ns=10, nodes=(NodeSpec(-1, 0, 1, energy_j / 2),)),)
    return replace(TestSpec("p.SortTest", method, repeat, threads, status=status), **more)  # type: ignore[arg-type]


def made(*tests: TestSpec) -> Profile:
    return Profile(made_ledger(tests, METHODS), ABOUT)


def test_cut_runs_count_only_if_all_runs_were_cut() -> None:
    profile = made(one_run(0, 10.0), one_run(1, 1.0, "cut"), one_run(2, 13.0, "failed"))
    assert counted_repeats(profile.tests).record_counts.tolist() == [True, False, True]
    (group,) = profile.repeats()
    assert (group.energy_j.values, group.energy_j.spread) == ((10.0, 1.0, 13.0), 3.0)
    assert (group.energy_j.counted, group.median_j, group.compensated_j.deviation) == ((10.0, 13.0), 11.5, 1.5)
    assert len(group.tests) == 3 and group.typical is group.tests[0]
    (cut,) = made(one_run(0, 1.0, "cut"), one_run(1, 2.0, "cut")).repeats()
    assert cut.energy_j.counted == (1.0, 2.0)


def test_a_method_s_median_is_over_the_repeats_that_count_for_its_tests() -> None:
    def of(*calls: tuple[int, int, float, str]) -> list[tuple[str, tuple[float, ...], tuple[float, ...], float]]:
        """Tests `t0`, `t1`, … of one run each: repeat, method, joules of the method, status."""
        tests = []
        for repeat, method, energy_j, status in calls:
            nodes = (NodeSpec(-1, method, 1, energy_j),)
            test = one_run(repeat, energy_j, status, method=f"t{method}")
            tests.append(replace(test, threads=(ThreadSpec(1, "main", energy_j, nodes=nodes),)))
        found = made(*tests).method_repeats()
        return [
            (each.total.method.name, each.exclusive_j.values, each.exclusive_j.counted, each.inclusive_j.median) for each in found
        ]

    assert of((0, 0, 8.0, "passed"), (1, 0, 1.0, "cut"), (2, 0, 6.0, "failed")) == [("sort", (8.0, 1.0, 6.0), (8.0, 6.0), 7.0)]
    assert of((0, 0, 8.0, "cut"), (1, 0, 1.0, "cut")) == [("sort", (8.0, 1.0), (8.0, 1.0), 4.5)]
    # If one of two tests is cut, the repeat doesn't count for the methods of that test.
    assert of((0, 0, 8.0, "passed"), (0, 1, 2.0, "passed"), (1, 0, 1.0, "cut"), (1, 1, 4.0, "passed")) == [
        ("sort", (8.0, 1.0), (8.0,), 8.0),
        ("swap", (2.0, 4.0), (2.0, 4.0), 3.0),
    ]
    # A repeat counts with 0 if tests ran without calling the method. It doesn't count if the tests never ran.
    assert of((0, 0, 8.0, "passed"), (1, 1, 2.0, "passed")) == [
        ("sort", (8.0, 0.0), (8.0,), 8.0),
        ("swap", (0.0, 2.0), (2.0,), 2.0),
    ]


def test_a_repeat_counts_for_a_test_that_ended_in_it() -> None:
    profile = made(
        one_run(0, 1.0),
        one_run(0, 1.0, "cut", method="cut once"),
        one_run(0, 1.0, "cut", method="always cut"),
        one_run(0, 1.0, wall_ns=0, method="ran late"),
        one_run(0, 1.0, "ignored", wall_ns=0, method="never ran"),
        one_run(2, 1.0),
        one_run(2, 1.0, method="cut once"),
        one_run(2, 1.0, "cut", method="always cut"),
        one_run(2, 1.0, method="ran late"),
        one_run(2, 1.0, "ignored", wall_ns=0, method="never ran"),
        one_run(5, 1.0),
    )
    found = counted_repeats(profile.tests)
    assert found.repeats == (0, 2, 5)
    by_method = {test.method: row for test, row in zip(profile.tests, found.counts[found.test].tolist(), strict=True)}
    assert by_method == {
        "t": [True, True, True],
        "cut once": [False, True, False],
        "always cut": [True, True, False],
        "ran late": [False, True, False],
        "never ran": [True, True, True],
    }
    first = {test.method: number for number, test in reversed(list(enumerate(profile.tests)))}
    pairs = [(0, "t"), (0, "cut once"), (1, "t"), (2, "cut once"), (2, "always cut")]
    group, record = (np.array(column) for column in zip(*[(number, first[name]) for number, name in pairs], strict=True))
    assert found.for_groups(group, record, 4).tolist() == [[False, True, False], [True] * 3, [False, True, False], [True] * 3]


def test_all_repeats_count_if_none_counts_for_all_tests_of_a_group() -> None:
    profile = made(one_run(0, 1.0), one_run(0, 1.0, "cut", method="u"), one_run(1, 1.0, "cut"), one_run(1, 1.0, method="u"))
    found = counted_repeats(profile.tests)
    assert found.for_groups(np.array([0, 0, 1]), np.array([0, 1, 0]), 2).tolist() == [[True, True], [True, False]]
    nothing = counted_repeats([])
    assert nothing.repeats == () and nothing.for_groups(np.array([], np.int64), np.array([], np.int64), 0).shape == (0, 0)


def test_components_of_repeats_are_medians_of_each() -> None:
    profile = profile_with(lit_runs(3))
    for group in profile.repeats():
        of_runs = np.array([test.components for test in group.tests])
        assert group.components == pytest.approx(np.median(of_runs, axis=0))
        assert len(group.components) == 2


def test_a_class_is_the_sum_of_its_tests() -> None:
    profile = profile_with(lit_runs(3))
    by_run = [[test for test in profile.tests if test.run == run] for run in range(3)]
    assert [len(tests) for tests in by_run] == [3, 3, 3]
    (group,) = profile.classes()
    assert group.method == "*" and group.tests == profile.tests_by_class
    assert group.energy_j.values == pytest.approx([profile.energy_j(tests) for tests in by_run])
    assert sum(group.components) == pytest.approx(group.median_j)
    assert profile.energy_j(profile.tests_by_class[:1]) == pytest.approx(profile.energy_j(by_run[0]))
    assert profile.energy_j() == pytest.approx(sum(group.energy_j.values))
    assert profile.totals.repeats == 3 and not profile.is_by_class


def test_methods_and_threads_of_a_class_are_those_of_its_tests() -> None:
    profile = profile_with(lit_runs(2))
    first = [test for test in profile.tests if test.run == 0]
    assert profile.method_totals(profile.tests_by_class[:1]) == profile.method_totals(first) != ()
    assert profile.thread_totals(profile.tests_by_class[:1]) == profile.thread_totals(first) != ()
    for total in profile.method_totals(first):
        assert total.inclusive_j_per_call == pytest.approx(total.inclusive_j / total.calls)


def test_threads_are_summed_by_role() -> None:
    collector = ThreadSpec(8, "GC Thread#0", 1.0, role="gc", count=2, cpu_ns=3)
    test = one_run(0, 10.0)
    profile = made(replace(test, threads=(*test.threads, collector)), replace(test, repeat=1, threads=(collector,)))
    app, of_gc = profile.role_totals()
    assert (app.role, app.count, app.energy_j, app.cpu_ns, app.untraced_j, app.components) == ("app", 1, 10.0, 10, 5.0, (10.0,))
    assert (of_gc.role, of_gc.count, of_gc.energy_j, of_gc.cpu_ns, of_gc.probes_j) == ("gc", 4, 2.0, 6, 0.0)
    assert [each.energy_j for each in profile.role_totals(profile.tests[1:])] == [1.0]
    assert profile.role_totals([]) == ()


def test_a_role_is_the_sum_of_its_threads() -> None:
    profile = profile_with(lit_runs(3), baselines=(2,))
    for tests in (None, profile.tests[:2], profile.tests_by_class[:1], []):
        threads, roles = profile.thread_totals(tests), profile.role_totals(tests)
        assert {role.role for role in roles} == {thread.role for thread in threads}
        for role in roles:
            own = [thread for thread in threads if thread.role == role.role]
            assert (role.count, role.cpu_ns) == (sum(each.count for each in own), sum(each.cpu_ns for each in own))
            for figure in ("energy_j", "untraced_j", "probes_j"):
                assert getattr(role, figure) == pytest.approx(sum(getattr(each, figure) for each in own), rel=1e-12)
            assert role.components == pytest.approx(np.sum([each.components for each in own], axis=0), rel=1e-12)


def test_runs_are_compared_with_baseline_runs() -> None:
    def probed(repeat: int, sampled_j: float) -> TestSpec:
        threads = (ThreadSpec(1, "main", 10.0, nodes=(NodeSpec(-1, 0, 1, 5.0, probes_j=1.0),)),)
        return TestSpec("p.SortTest", "t", repeat, threads, compensation=(sampled_j, 0.5, 8.0, 0.25))

    def plain(repeat: int, energy_j: float) -> TestSpec:
        return replace(one_run(repeat, energy_j), baseline=True)

    profile = made(*(probed(repeat, 2.0 + repeat) for repeat in range(4)), plain(0, 4.0), plain(1, 7.0), plain(2, 5.0))
    (group,) = profile.repeats()
    assert group.baseline == BaselinePairs(runs=3, probed_j=10.0, compensated_j=7.0, unprobed_j=5.0, probes_j=3.0)
    assert group.baseline.error == pytest.approx(0.4) and not group.baseline.exceeds_probes
    assert replace(group.baseline, probes_j=1.9).exceeds_probes and replace(group.baseline, unprobed_j=0.0).error is None
    assert profile.compensated_totals() == CompensatedTotals(energy_j=40.0, compensated_j=32.0, by_baseline=True)
    assert profile.compensated_totals(profile.tests[3:]) == CompensatedTotals(10.0, 8.0, by_baseline=False)
    assert made(one_run(0, 1.0)).compensated_totals() is None and made(one_run(0, 1.0)).repeats()[0].baseline is None


def test_a_share_of_zero_is_unknown() -> None:
    assert share(1.0, 4.0) == 0.25 and share(-1.0, 4.0) == -0.25
    assert share(1.0, 0.0) is share(1.0, -1.0) is None


def test_memory_and_work_follow_the_number_of_repeats() -> None:
    found = counted_repeats(made(*(one_run(repeat, 1.0, "cut" if repeat == 7 else "passed") for repeat in range(200))).tests)
    assert found.counts.shape == (1, 200) and found.counts.sum() == 199
    methods, records = np.repeat(np.arange(3), 200), np.tile(np.arange(200), 3)
    assert found.for_groups(methods, records, 3).sum(axis=1).tolist() == [199] * 3


def test_the_typical_run_is_that_of_typical_app_energy() -> None:
    """What else the device did does not choose the run that reports show."""
    runs = [one_run(0, 10.0, base_j=1.0), one_run(1, 11.0, base_j=9.0), one_run(2, 12.0, base_j=3.0)]
    (group,) = made(*runs).repeats()
    assert group.typical is group.tests[1] and group.energy_j.median != group.typical.energy_j
