"""The sample's known cases from Gradle build to analysed result: figures that are known beforehand come out."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.gradle_projects import JUNIT, write
from support.lab import Lab, Profiled, app_threads, skip_where_starved
from support.rails import rails_by_run

from navitas.build.gradle import build_bundles
from navitas.device.adb import AdbDevice

pytestmark = [pytest.mark.usefixtures("gradle"), pytest.mark.slow, pytest.mark.quiet, pytest.mark.timeout(600)]


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
    """Cases whose figures must not depend on who else runs."""
    names = ("equalTimeDifferentCpu", "sleepingAndBusyThread", "twoBusyThreads")
    with competition(sample.phone):
        return sample.profile(*(f"KnownCasesTest#{name}" for name in names), name="crowded")


@pytest.fixture(scope="module")
def alone(sample: Lab) -> Profiled:
    """Cases about calls."""
    names = ("nestedCalls", "recursion", "exceptionThroughThreeFrames")
    return sample.profile(*(f"KnownCasesTest#{name}" for name in names), name="alone")


@pytest.fixture(params=["crowded", "alone"])
def either(request: pytest.FixtureRequest) -> Profiled:
    found: Profiled = request.getfixturevalue(request.param)
    return found


def test_equal_time_at_a_third_of_the_cpu_costs_a_third(crowded: Profiled) -> None:
    quarter, three = (crowded.method("equalTimeDifferentCpu", name) for name in ("quarterLoad", "threeQuarterLoad"))
    assert three.inclusive_j / quarter.inclusive_j == pytest.approx(3, rel=0.1)
    assert three.cpu_ns / quarter.cpu_ns == pytest.approx(3, rel=0.1)


def test_a_sleeping_method_costs_next_to_nothing(crowded: Profiled) -> None:
    sleeping = crowded.method("sleepingAndBusyThread", "sleeping", "sleeping")
    busy = crowded.method("sleepingAndBusyThread", "busy", "busy")
    assert sleeping.wall_ns > 1_100_000_000
    assert sleeping.inclusive_j <= 0.01 * busy.inclusive_j


def test_two_busy_threads_each_get_their_own(crowded: Profiled) -> None:
    test = crowded.test("twoBusyThreads")
    first, second = (crowded.method(test.method, "busy", f"busy-{number}").inclusive_j for number in (1, 2))
    assert first == pytest.approx(second, rel=0.1)
    assert first + second == pytest.approx(sum(thread.energy_j for thread in app_threads(test)), rel=0.02)


def test_the_other_process_is_a_line_of_its_own(crowded: Profiled, alone: Profiled) -> None:
    assert crowded.profile.totals.other_processes_j > 0.2 * crowded.profile.totals.threads_j
    assert alone.profile.totals.other_processes_j < 0.1 * alone.profile.totals.threads_j


def test_an_exception_ends_three_frames_and_marks_them(alone: Profiled) -> None:
    methods = alone.methods("exceptionThroughThreeFrames")
    for name in ("top", "between", "bottom"):
        assert (methods[name].calls, methods[name].throws, methods[name].cut) == (1, 1, 0)
    assert methods["exceptionThroughThreeFrames"].throws == 0
    costs = [methods[name].inclusive_j for name in ("bottom", "between", "top")]
    assert costs == pytest.approx([costs[0], 2 * costs[0], 3 * costs[0]], rel=0.25)


def test_recursion_counts_inclusive_energy_once(alone: Profiled) -> None:
    recurse, burn = (alone.method("recursion", name) for name in ("recurse", "burnMillis"))
    assert recurse.calls == burn.calls == 10
    assert recurse.inclusive_j == pytest.approx(recurse.exclusive_j + burn.exclusive_j, rel=1e-6)
    assert recurse.inclusive_j <= alone.thread("recursion", "main").energy_j


def test_nested_calls_split_as_their_cpu_time(alone: Profiled) -> None:
    spent = [alone.method("nestedCalls", name).cpu_ns for name in ("outer", "middle", "inner")]
    assert spent == pytest.approx([1.0e9, 0.8e9, 0.5e9], rel=0.1)
    costs = [alone.method("nestedCalls", name).inclusive_j for name in ("outer", "middle", "inner")]
    assert costs[0] > costs[1] > costs[2] > 0


def test_every_test_passed_without_a_warning_of_lost_energy(either: Profiled) -> None:
    assert either.outcome.failures == {}
    assert not either.outcome.crashed
    assert {test.status for test in either.profile.tests} == {"passed"}
    assert "not_conserved" not in either.warnings
    assert either.profile.evidence[0].level == "sched"


def test_next_to_nothing_is_unattributed_or_untraced(either: Profiled) -> None:
    tests = either.profile.tests
    lost_j = sum(test.unattributed_j + sum(thread.untraced_j for thread in app_threads(test)) for test in tests)
    assert lost_j <= 0.02 * sum(test.energy_j for test in tests)


def test_the_estimate_agrees_with_the_rails(either: Profiled, alone: Profiled) -> None:
    skip_where_starved(alone)
    ((estimate_j, rails_j),) = rails_by_run(either.outcome.recording)
    assert estimate_j == pytest.approx(rails_j, rel=0.05)


def test_logcat_carries_the_same_kind_of_report(sample: Lab, alone: Profiled) -> None:
    logged = sample.profile("KnownCasesTest#nestedCalls", name="logcat", transport="logcat")
    assert not list(logged.outcome.recording.glob("runs/*/events-*.nvch"))
    assert calls(logged) == calls(alone)
    assert logged.profile.evidence[0].level == alone.profile.evidence[0].level
    assert logged.method("nestedCalls", "outer").cpu_ns == pytest.approx(1e9, rel=0.1)
    assert logged.warnings - {"starved"} <= alone.warnings


def test_folded_from_the_start_counts_the_same_calls(sample: Lab, alone: Profiled) -> None:
    folded = sample.profile("KnownCasesTest#nestedCalls", name="folded", mode="folded")
    assert calls(folded) == calls(alone)
    assert folded.method("nestedCalls", "outer").cpu_ns == pytest.approx(1e9, rel=0.1)
    assert folded.method("nestedCalls", "inner").inclusive_j < folded.method("nestedCalls", "outer").inclusive_j
    assert "not_conserved" not in folded.warnings


def calls(profiled: Profiled) -> dict[str, tuple[int, int, int]]:
    """Calls, exceptions and cut calls of each method on the main thread in nestedCalls."""
    return {name: (row.calls, row.throws, row.cut) for name, row in profiled.methods("nestedCalls").items()}


THREADS = 20_000
ONE_SHOT = """
package p;
public class ThreadsTest {
  static final java.lang.management.ThreadMXBean CLOCK = java.lang.management.ManagementFactory.getThreadMXBean();
  static volatile long cpuNanos;
  static void work() {
    long value = 1;
    for (int i = 0; i < 20000; i++) value = value * 31 + i;
    cpuNanos += CLOCK.getCurrentThreadCpuTime() + (value == 0 ? 1 : 0);
  }
  @org.junit.Test public void oneShots() throws Exception {
    for (int i = 0; i < %d; i++) {
      Thread thread = new Thread(ThreadsTest::work, "one-shot-" + i);
      thread.start();
      thread.join();
    }
    java.nio.file.Files.write(java.nio.file.Paths.get("cpu.txt"), Long.toString(cpuNanos).getBytes());
  }
}
"""


def test_cpu_time_of_one_shot_threads_is_found(phone: AdbDevice, gradle: str, tmp_path: Path) -> None:
    project = write(
        tmp_path / "project",
        {
            "settings.gradle": "",
            "build.gradle": f"apply plugin: 'java'\n{JUNIT}",
            "src/test/java/p/ThreadsTest.java": ONE_SHOT % THREADS,
        },
    )
    profiled = Lab(phone, build_bundles(project, gradle=gradle), tmp_path).profile(name="threads")
    named = [row for row in profiled.test("oneShots").threads if row.name.startswith("one-shot-")]
    rows = [row for row in named if row.role == "app"]
    assert sum(row.count for row in rows) == THREADS
    assert sum(method.calls for row in rows for method in row.methods) >= THREADS
    # By each thread's own clock, read before it ended. Only a trace shows what its end costs the kernel and the JVM after that.
    clock_ns = int((project / "cpu.txt").read_text())
    found_ns = sum(row.cpu_ns for row in rows)
    # On virtual machines a trace may rarely show one of them run outside of its life, for some ms that its own clock has, too.
    assert sum(row.cpu_ns for row in named if row.role != "app") <= 0.01 * clock_ns
    assert 0.95 * clock_ns <= found_ns
    assert found_ns <= 1.1 * clock_ns or profiled.profile.evidence[0].level == "sched"
    assert "not_conserved" not in profiled.warnings
