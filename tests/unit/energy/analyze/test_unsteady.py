"""Warnings name tests that were starved or whose pace changed between repeats, with figures."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest
from lamp import ABOUT
from support.ledger_maker import NodeSpec, TestSpec, ThreadSpec, made_ledger

from navitas.energy.analyze.profile import Profile
from navitas.energy.analyze.records import Notice
from navitas.energy.analyze.records_of_tests import by_class
from navitas.energy.analyze.unsteady import unsteady
from navitas.recording.parse.tables import MethodTable

MS = 1_000_000
NONE = MethodTable((), {})


def ran(
    repeat: int = 0,
    *,
    cpu_ms: int,
    waited_ms: float = nan,
    starved_ms: float | None = None,
    calls: int = 0,
    jit_ms: int = 0,
    method: str = "polls",
    status: str = "passed",
) -> TestSpec:
    """Return a run of a test of 2 s. By default, all waiting time is starved time."""
    nodes = [NodeSpec(-1, 0, calls, 0.5)] if calls else []
    threads = [ThreadSpec(1, "main", 1.0, cpu_ns=cpu_ms * MS, nodes=nodes)]
    if jit_ms:
        threads.append(ThreadSpec(-1, "C2 CompilerThre", 1.0, role="jit", cpu_ns=jit_ms * MS))
    starved = waited_ms if starved_ms is None else starved_ms
    return TestSpec(
        "a.PollTest", method, repeat, threads, status=status, wall_ns=2000 * MS, waited_ns=waited_ms * MS, starved_ns=starved * MS
    )


def profile(*tests: TestSpec, kind: str = "virtual") -> Profile:
    return Profile(made_ledger(tests, NONE), replace(ABOUT, device={"kind": kind}))


def warned(*tests: TestSpec, kind: str = "virtual") -> list[Notice]:
    return list(unsteady(profile(*tests, kind=kind)))


def test_a_starved_test_has_a_warning_with_figures() -> None:
    (notice,) = warned(ran(cpu_ms=600, waited_ms=1400))
    assert notice.code == "starved"
    assert "other programs kept this computer busy" in notice.message
    assert "a.PollTest#polls (run 1) ran for 600 ms and waited 1.40 s" in notice.message
    assert "Stop other programs on this computer" in notice.remedy


def test_on_a_phone_the_remedy_is_about_the_phone() -> None:
    (notice,) = warned(ran(cpu_ms=600, waited_ms=1400), kind="phone")
    assert "other apps kept the phone busy" in notice.message
    assert "cool down" in notice.remedy


@pytest.mark.parametrize(
    "test",
    [
        ran(cpu_ms=1900, waited_ms=200),
        ran(cpu_ms=10, waited_ms=40),
        ran(cpu_ms=1000),
        ran(cpu_ms=1000, waited_ms=3000, starved_ms=0),
        ran(cpu_ms=0, waited_ms=0),
    ],
    ids=["as on a quiet computer", "too short to say", "waiting is not counted", "its own threads", "idle"],
)
def test_tests_that_are_not_starved_have_no_warning(test: TestSpec) -> None:
    assert warned(test) == []


def test_a_warning_names_each_test_once_and_at_most_three_tests() -> None:
    tests = [ran(k, cpu_ms=100, waited_ms=200 + 100 * k + n, method=f"t{n}") for n in range(5) for k in range(3)]
    (notice,) = warned(*tests)
    assert "5 tests" in notice.message
    assert notice.message.index("#t4 (run 3)") < notice.message.index("#t3 (run 3)") < notice.message.index("; and 2 more")
    assert notice.message.count("(run") == 3


def test_slower_calls_have_a_warning() -> None:
    (notice,) = warned(ran(0, cpu_ms=410, calls=1000), ran(1, cpu_ms=430, calls=1000), ran(2, cpu_ms=930, calls=1010))
    assert notice.code == "pace_changed"
    assert "the same calls of a.PollTest#polls took 410 ms to 930 ms of CPU time (2.3 ×)" in notice.message
    assert "--repeat" in notice.remedy


def test_different_numbers_of_calls_have_a_warning() -> None:
    (notice,) = warned(ran(0, cpu_ms=300, calls=1200), ran(1, cpu_ms=1400, calls=5600))
    assert "a.PollTest#polls made 1,200 to 5,600 calls in 300 ms to 1.40 s of CPU time (4.7 ×)" in notice.message


def test_without_calls_the_cpu_time_is_compared() -> None:
    (notice,) = warned(ran(0, cpu_ms=300), ran(1, cpu_ms=900))
    assert "a.PollTest#polls took 300 ms to 900 ms of CPU time (3.0 ×)" in notice.message


@pytest.mark.parametrize(
    "tests",
    [
        [ran(0, cpu_ms=500)],
        [ran(0, cpu_ms=500, calls=9), ran(1, cpu_ms=700, calls=9)],
        [ran(0, cpu_ms=10), ran(1, cpu_ms=60)],
        [ran(0, cpu_ms=500), ran(1, cpu_ms=0)],
        [ran(0, cpu_ms=500), ran(1, cpu_ms=60, status="cut")],
        [ran(0, cpu_ms=500, jit_ms=10), ran(1, cpu_ms=500, jit_ms=900)],
    ],
    ids=["one run", "usual spread", "too short to say", "idle", "cut", "JIT compiler"],
)
def test_steady_tests_have_no_warning(tests: list[TestSpec]) -> None:
    assert warned(*tests) == []


def test_cpu_use_contains_cpu_time_and_waiting_time() -> None:
    made = profile(ran(cpu_ms=500, waited_ms=1200, starved_ms=1000, calls=4000, jit_ms=70), ran(1, cpu_ms=0))
    use, unknown = map(made.cpu_use, made.tests)
    assert (use.cpu_ns, use.calls, use.waited_ns, use.starved_ns) == (500 * MS, 4000, 1200 * MS, 1000 * MS)
    assert use.starved_share == pytest.approx(2 / 3)
    assert (use.cpu_per_s, use.calls_per_s) == (0.25, 2000)
    assert (unknown.waited_ns, unknown.starved_ns, unknown.starved_share) == (None, None, None)


def test_ratios_compare_the_runs_that_were_not_cut() -> None:
    made = profile(ran(0, cpu_ms=100, calls=10), ran(1, cpu_ms=300, calls=15), ran(2, cpu_ms=9, calls=1, status="cut"))
    pace = made.pace(made.repeats()[0])
    assert [use.calls for use in pace.uses] == [10, 15, 1]
    assert (pace.cpu_ratio, pace.calls_ratio, pace.rate_ratio) == pytest.approx((3, 1.5, 3))
    assert not pace.same_calls


def test_a_class_waits_for_as_long_as_its_tests() -> None:
    one, other = ran(cpu_ms=100, waited_ms=20, method="a"), ran(cpu_ms=300, waited_ms=30, method="b")
    made = Profile(made_ledger([one, other], NONE), ABOUT)
    records = [replace(test, run=0) for test in made.tests]
    (joined,) = by_class(records)
    use = made.cpu_use(joined)
    assert (use.cpu_ns, use.waited_ns, use.wall_ns) == (400 * MS, 50 * MS, 4000 * MS)
