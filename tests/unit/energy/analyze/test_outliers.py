"""Repeats that do not count, single runs that differ, and a drift: marked, named, and never dropped silently."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from lamp import ABOUT
from support.ledger_maker import TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.unsteady import drift, repeats_notices
from navitas.recording.parse.tables import MethodTable

MS = 1_000_000


def ran(repeat: int, energy_j: float, *, starved_ms: float = nan, method: str = "sorts", status: str = "passed") -> TestSpec:
    threads = [ThreadSpec(1, "main", energy_j, cpu_ns=500 * MS)]
    waits = {"waited_ns": starved_ms * MS, "starved_ns": starved_ms * MS}
    return TestSpec("a.SortTest", method, repeat, threads, status=status, wall_ns=1000 * MS, **waits)


def profile(*tests: TestSpec, unfit: dict[int, str] | None = None) -> Profile:
    ledger = made_ledger(tests, MethodTable((), {}))
    reasons = unfit or {}
    runs = [replace(run, unfit=(reasons[run.repeat],) if run.repeat in reasons else ()) for run in ledger.runs]
    return Profile(replace(ledger, runs=tuple(runs)), ABOUT)


def codes(made: Profile) -> list[str]:
    return [notice.code for notice in repeats_notices(made)]


def test_warm_up_runs_are_listed_and_do_not_count() -> None:
    made = profile(ran(0, 90.0), ran(1, 10.0), ran(2, 12.0), unfit={0: "warmup"})
    (group,) = made.repeats()
    assert [test.unfit for test in group.tests] == [("warmup",), (), ()]
    assert group.energy_j.values[0] > group.energy_j.values[1]
    assert group.energy_j.counts == (False, True, True)
    assert group.typical.repeat in (1, 2)
    assert codes(made) == [], "a requested warm-up is no warning"


def test_starved_and_hot_runs_are_named_and_do_not_count() -> None:
    made = profile(ran(0, 10.0, starved_ms=0), ran(1, 30.0, starved_ms=900), ran(2, 12.0, starved_ms=0), unfit={2: "hot"})
    assert made.repeats()[0].energy_j.counts == (True, False, False)
    (notice,) = repeats_notices(made)
    assert notice.code == "unfit_runs"
    assert "a.SortTest#sorts (run 2: starved); a.SortTest#sorts (run 3: hot)" in notice.message


def test_if_no_run_is_fit_all_count_but_warm_ups() -> None:
    starved = [ran(repeat, 10.0 + repeat, starved_ms=900) for repeat in range(3)]
    made = profile(*starved, unfit={0: "warmup"})
    assert made.repeats()[0].energy_j.counts == (False, True, True)
    (notice,) = repeats_notices(made)
    assert notice.message.endswith("only runs that should not count, so all of their runs count: a.SortTest#sorts")


def test_a_run_that_was_cut_counts_less_than_an_unfit_one() -> None:
    made = profile(ran(0, 10.0, starved_ms=900), ran(1, 2.0, status="cut", starved_ms=0))
    assert made.repeats()[0].energy_j.counts == (True, False)


def test_an_outlier_is_named_and_counts() -> None:
    made = profile(*(ran(repeat, energy_j) for repeat, energy_j in enumerate((10.0, 10.1, 9.9, 10.2, 15.0))))
    (notice,) = repeats_notices(made)
    assert notice.code == "outliers"
    assert "a.SortTest#sorts (run 5: 1.4" in notice.message and "They count, too" in notice.message
    assert made.repeats()[0].energy_j.counted == made.repeats()[0].energy_j.values


@pytest.mark.parametrize("energies", [(10.0,) * 5, (10.0, 10.0, 10.0, 10.0, 10.3), (10.0, 20.0, 30.0, 40.0, 50.0), (1.0, 9.0)])
def test_small_spreads_wide_spreads_and_few_runs_have_no_outlier(energies: tuple[float, ...]) -> None:
    assert codes(profile(*(ran(repeat, energy_j) for repeat, energy_j in enumerate(energies)))) == []


def test_a_drift_is_named() -> None:
    made = profile(*(ran(repeat, 10.0 - 0.3 * repeat) for repeat in range(8)))
    (notice,) = repeats_notices(made)
    assert notice.code == "drift" and "-21 %" in notice.message and "of 8 repeats" in notice.message


def test_runs_without_a_trend_seldom_drift() -> None:
    rng = np.random.default_rng(3)
    found = [drift(np.exp(rng.normal(0, 0.1, 10)).tolist()) for _ in range(1000)]
    assert sum(one is not None for one in found) <= 20
    assert drift([1.0, 2.0, 3.0]) is None, "too few"
    assert drift([1.0, 1.001, 1.002, 1.003, 1.004, 1.005]) is None, "too small"
    assert drift([0.0] * 8) is None


def test_a_drift_over_many_repeats_is_found_fast() -> None:
    values = (10.0 * np.exp(1e-5 * np.arange(65_535))).tolist()
    found = drift(values)
    assert found is not None and found == pytest.approx(values[-1] / values[0] - 1, rel=0.02)
