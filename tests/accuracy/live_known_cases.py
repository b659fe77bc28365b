"""Energy and times of the sample's cases match the known values (`make accuracy`)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.lab import Lab, Profiled, app_threads, skip_where_starved
from support.lab_fixtures import Bundles
from support.one_shot_threads import one_shot_threads
from support.rails import rails_by_run

from navitas.capture.device.adb import AdbDevice

pytestmark = pytest.mark.usefixtures("gradle")


@contextmanager
def competition(phone: AdbDevice) -> Iterator[None]:
    """Run a busy process on the phone, and one on this machine."""
    busy = subprocess.Popen(["yes"], stdout=subprocess.DEVNULL)
    try:
        with phone.stream("timeout 120 yes > /dev/null"):
            yield
    finally:
        busy.kill()
        busy.wait()


@pytest.fixture(scope="module")
def crowded(sample: Lab) -> Profiled:
    """Cases whose results must not depend on other processes."""
    names = ("equalTimeDifferentCpu", "sleepingAndBusyThread", "twoBusyThreads")
    with competition(sample.phone):
        return sample.profile(*(f"KnownCasesTest#{name}" for name in names), name="crowded")


@pytest.fixture(scope="module")
def alone(sample: Lab) -> Profiled:
    """Cases that test calls."""
    names = ("nestedCalls", "recursion", "exceptionThroughThreeFrames")
    return sample.profile(*(f"KnownCasesTest#{name}" for name in names), name="alone")


@pytest.fixture(params=["crowded", "alone"])
def either(request: pytest.FixtureRequest) -> Profiled:
    found: Profiled = request.getfixturevalue(request.param)
    return found


def test_a_third_of_the_cpu_time_uses_a_third_of_the_energy(crowded: Profiled) -> None:
    quarter, three = (crowded.method("equalTimeDifferentCpu", name) for name in ("quarterLoad", "threeQuarterLoad"))
    assert three.inclusive_j / quarter.inclusive_j == pytest.approx(3, rel=0.1)
    assert three.cpu_ns / quarter.cpu_ns == pytest.approx(3, rel=0.1)


def test_a_sleeping_method_uses_almost_no_energy(crowded: Profiled) -> None:
    sleeping = crowded.method("sleepingAndBusyThread", "sleeping", "sleeping")
    busy = crowded.method("sleepingAndBusyThread", "busy", "busy")
    assert sleeping.wall_ns > 1_100_000_000
    assert sleeping.inclusive_j <= 0.01 * busy.inclusive_j


def test_two_busy_threads_each_get_their_own(crowded: Profiled) -> None:
    test = crowded.test("twoBusyThreads")
    first, second = (crowded.method(test.method, "busy", f"busy-{number}").inclusive_j for number in (1, 2))
    assert first == pytest.approx(second, rel=0.1)
    assert first + second == pytest.approx(sum(thread.energy_j for thread in app_threads(test)), rel=0.02)


def test_other_processes_are_reported_separately(crowded: Profiled, alone: Profiled) -> None:
    assert crowded.profile.totals.other_processes_j > 0.2 * crowded.profile.totals.threads_j
    assert alone.profile.totals.other_processes_j < 0.1 * alone.profile.totals.threads_j


def test_calls_divide_energy_as_cpu_time(alone: Profiled) -> None:
    thrown = alone.methods("exceptionThroughThreeFrames")
    costs = [thrown[name].inclusive_j for name in ("bottom", "between", "top")]
    assert costs == pytest.approx([costs[0], 2 * costs[0], 3 * costs[0]], rel=0.25)
    nested = [alone.method("nestedCalls", name) for name in ("outer", "middle", "inner")]
    assert [method.cpu_ns for method in nested] == pytest.approx([1.0e9, 0.8e9, 0.5e9], rel=0.1)
    assert nested[0].inclusive_j > nested[1].inclusive_j > nested[2].inclusive_j > 0


def test_almost_no_energy_is_unattributed_or_untraced(either: Profiled) -> None:
    tests = either.profile.tests
    lost_j = sum(test.unattributed_j + sum(thread.untraced_j for thread in app_threads(test)) for test in tests)
    assert lost_j <= 0.02 * sum(test.energy_j for test in tests)


def test_the_estimate_matches_the_rails(either: Profiled, alone: Profiled) -> None:
    skip_where_starved(alone)
    ((estimate_j, rails_j),) = rails_by_run(either.outcome.recording)
    assert estimate_j == pytest.approx(rails_j, rel=0.05)


def test_other_modes_measure_the_same_cpu_time(sample: Lab) -> None:
    logged = sample.profile("KnownCasesTest#nestedCalls", name="logcat", transport="logcat")
    folded = sample.profile("KnownCasesTest#nestedCalls", name="folded", mode="folded")
    for profiled in (logged, folded):
        assert profiled.method("nestedCalls", "outer").cpu_ns == pytest.approx(1e9, rel=0.1)


def test_cpu_time_of_short_lived_threads_is_attributed(phone: AdbDevice, bundles: Bundles, tmp_path: Path) -> None:
    project = one_shot_threads(tmp_path / "project", 20_000)
    profiled = Lab(phone, bundles(project), tmp_path).profile(name="threads")
    named = [row for row in profiled.test("oneShots").threads if row.name.startswith("one-shot-")]
    # By each thread's clock, read before it ended. Only a trace shows the cost of its end in the kernel and the JVM.
    clock_ns = int((project / "cpu.txt").read_text())
    found_ns = sum(row.cpu_ns for row in named if row.role == "app")
    # On virtual machines, a trace rarely shows a thread run for some ms outside of its lifetime. Its clock has them, too.
    assert sum(row.cpu_ns for row in named if row.role != "app") <= 0.01 * clock_ns
    assert 0.95 * clock_ns <= found_ns
    assert found_ns <= 1.1 * clock_ns or profiled.profile.evidence[0].level == "sched"
