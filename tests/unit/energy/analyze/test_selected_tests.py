"""A profile of some tests has their energy, calls and time, and nothing else."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from attribution_maker import nested, run, thread
from hardware_maker import ABOUT, profile_of, random_hardware_run

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.selection import of_tests


def chosen(made: Profile, *methods: str) -> Profile:
    """Return the profile of the tests with these methods."""
    return Profile(of_tests(made.ledger, np.array([method in methods for method in made.ledger.tests.method], bool)), ABOUT)


def two_tests() -> Profile:
    """t0 calls m0 from 100 to 300 ms, and t1 calls m1 from 500 to 900 ms, on a thread of its own."""
    threads = [
        thread(1, nested((100, 300, 0)), [(0, 0), (100, 0), (300, 200), (1000, 200)], name="first"),
        thread(2, nested((500, 900, 1)), [(0, 0), (500, 0), (900, 400), (1000, 400)], name="second"),
    ]
    return profile_of(run(threads, [(100, 300), (500, 900)]))


@pytest.mark.parametrize("seed", range(12))
def test_energy_is_conserved_in_each_part(seed: int) -> None:
    """Also if tests are cut, states overlap, rails jump and hooks lie outside of the run."""
    random = Random(seed)
    made = profile_of(random_hardware_run(random), random_hardware_run(random))
    methods = sorted(set(made.ledger.tests.method))
    parts = [chosen(made, method) for method in methods]
    whole_j = made.totals.energy_j
    assert sum(part.totals.energy_j for part in parts) + made.totals.outside_tests_j == pytest.approx(whole_j, abs=1e-9)
    for part, method in zip(parts, methods, strict=True):
        assert check(part) == []
        assert part.totals.energy_j == pytest.approx(
            made.energy_j(test for test in made.tests if test.method == method), abs=1e-9
        )
        assert part.totals.outside_tests_j == pytest.approx(0.0, abs=1e-9)
        drawn_j = sum(float(each.energy_j.sum()) for each in part.timelines_by_run())
        assert drawn_j == pytest.approx(part.totals.energy_j, rel=1e-9, abs=1e-9)
        assert part.top().energy_j == pytest.approx(part.totals.energy_j, rel=1e-9, abs=1e-9)


def test_methods_threads_and_time_are_those_of_the_tests() -> None:
    whole, part = two_tests(), chosen(two_tests(), "t1")
    assert [test.method for test in part.tests] == ["t1"]
    assert [total.method.name for total in part.method_totals()] == ["m1"]
    (used,) = [total for total in part.thread_totals() if total.energy_j]
    assert used.name == "second"
    timeline = part.timeline(step_ns=100_000_000)
    assert len(timeline.energy_j) == 4, "from the start of t1 to its end"
    (test,) = part.tests
    assert part.cpu_use(test).cpu_ns == 400_000_000
    of_whole = next(each for each in whole.tests if each.method == "t1")
    assert test.energy_j == pytest.approx(of_whole.energy_j) and test.app_j == pytest.approx(of_whole.app_j)


def test_the_time_between_tests_has_no_power() -> None:
    power_w = chosen(two_tests(), "t0", "t1").timeline(step_ns=100_000_000).power_w
    assert len(power_w) == 8 and not power_w[2:4].any() and power_w[:2].all() and power_w[4:].all()


def test_runs_without_the_tests_are_left_out() -> None:
    calls = [thread(1, nested((100, 300, 0)), [(0, 0), (1000, 500)], name="main")]
    made = profile_of(run(calls, [(100, 300)]), run(calls, [(100, 300), (400, 600)]))
    part = chosen(made, "t1")
    assert [entry.id for entry in part.ledger.runs] == [0, 1], "the first run lists the test, but it never began"
    ran = [test for test in part.tests if test.wall_ns]
    assert [test.run for test in ran] == [1] and check(part) == []
