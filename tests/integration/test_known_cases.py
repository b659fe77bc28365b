"""The sample's cases, from its Gradle build to the analysis: calls, statuses and evidence match the known values.

`make accuracy` compares their energy and times (tests/accuracy/live_known_cases.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.lab import Lab, Profiled
from support.lab_fixtures import Bundles
from support.one_shot_threads import one_shot_threads

from navitas.capture.device.adb import AdbDevice
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import load_tables
from navitas.recording.parse.calibration import CALIBRATION
from navitas.recording.parse.chunks import CALLS, FOLDED, read_chunks
from navitas.recording.parse.device_states import NO_UID


@pytest.fixture(scope="module")
def cases(sample: Lab) -> Profiled:
    """One recording for all tests that only read it."""
    names = ("nestedCalls", "recursion", "exceptionThroughThreeFrames", "twoBusyThreads")
    return sample.profile(*(f"KnownCasesTest#{name}" for name in names), name="cases", trace="perfetto")


def test_an_exception_ends_three_calls(cases: Profiled) -> None:
    methods = cases.methods("exceptionThroughThreeFrames")
    for name in ("top", "between", "bottom"):
        assert (methods[name].calls, methods[name].throws, methods[name].cut) == (1, 1, 0)
    assert methods["exceptionThroughThreeFrames"].throws == 0


def test_recursion_counts_inclusive_energy_once(cases: Profiled) -> None:
    recurse, burn = (cases.method("recursion", name) for name in ("recurse", "burnMillis"))
    assert recurse.calls == burn.calls == 10
    assert recurse.inclusive_j == pytest.approx(recurse.exclusive_j + burn.exclusive_j, rel=1e-6)
    assert recurse.inclusive_j <= cases.thread("recursion", "main").energy_j


def test_every_test_passed_with_conserved_energy(cases: Profiled) -> None:
    assert cases.outcome.failures == {}
    assert {test.status for test in cases.profile.tests} == {"passed"}
    assert "not_conserved" not in cases.warnings
    assert check(cases.profile) == []
    assert cases.profile.evidence[0].level == "sched"


def test_folded_calls_are_calibrated_only_in_runs_that_fold(cases: Profiled, sample: Lab) -> None:
    folding = sample.profile("DemoTest#searchByScanning", name="folding", event_budget_bytes=1 << 16)
    assert _calibrated(cases) == {CALLS} and _calibrated(folding) == {CALLS, FOLDED}
    assert folding.method("searchByScanning", "contains").calls == 800_000


def _calibrated(profiled: Profiled) -> set[int]:
    """Return the types of the calls that calibration threads recorded."""
    chunks = (chunk for file in profiled.outcome.recording.rglob("*.nvch") for chunk in read_chunks(file).chunks)
    return {chunk.type for chunk in chunks if chunk.name == CALIBRATION} & {CALLS, FOLDED}


def test_tracing_leaves_nothing_on_the_phone(cases: Profiled, sample: Lab) -> None:
    assert cases.profile.evidence[0].level == "sched"
    assert sample.phone.shell("ls /data/misc/perfetto-traces; pidof perfetto").text == ""


def test_the_virtual_phone_records_waiting_times(cases: Profiled) -> None:
    """On any host, the reported time is the time that its kernel counted."""
    (run,) = load_tables(cases.outcome.recording).parsed.runs
    queue = run.cpu.run_queue
    assert queue is not None
    for test, window in zip(cases.profile.tests, run.app.windows, strict=True):
        use = cases.profile.cpu_use(test)
        first, last = np.interp([window.start_ns, window.end_ns], queue.t_ns, queue.waited_ns)
        assert use.waited_ns == pytest.approx(last - first, abs=1)
        assert use.starved_ns is not None
        assert 0 <= use.starved_ns <= use.waited_ns


def test_consumers_of_a_trace_have_the_apps_uid(cases: Profiled) -> None:
    (run,) = load_tables(cases.outcome.recording).parsed.runs
    assert run.devices.consumers is not None and {"CPU_CLUSTER", "DISPLAY", "WIFI"} <= set(run.devices.consumers.kinds)
    assert run.devices.consumers.app_uid != NO_UID and (run.devices.consumers.uid == run.devices.consumers.app_uid).any()
    (cpu,) = [one for one in cases.profile.consumers if one.component == "cpu"]
    rounding_j = 1e-6 * len(cpu.consumers)  # the phone counts microjoules, of each app and of all
    assert cpu.energy_j > 0 and cpu.app_j is not None and 0 < cpu.app_j <= cpu.energy_j + rounding_j


@pytest.mark.extended
def test_recording_through_logcat_gives_an_equivalent_report(sample: Lab, cases: Profiled) -> None:
    logged = sample.profile("KnownCasesTest#nestedCalls", name="logcat", transport="logcat")
    assert not list(logged.outcome.recording.glob("runs/*/events-*.nvch"))
    assert calls(logged) == calls(cases)
    assert logged.profile.evidence[0].level == cases.profile.evidence[0].level
    assert logged.warnings.isdisjoint({"events_missing", "logcat_chunks", "no_clocks", "no_events", "no_run_end"})


@pytest.mark.extended
def test_folding_from_the_start_counts_the_same_calls(sample: Lab, cases: Profiled) -> None:
    folded = sample.profile("KnownCasesTest#nestedCalls", name="folded", mode="folded")
    assert calls(folded) == calls(cases)
    assert check(folded.profile) == []


def calls(profiled: Profiled) -> dict[str, tuple[int, int, int]]:
    """Calls, exceptions and cut calls of each method on the main thread in nestedCalls."""
    return {name: (row.calls, row.throws, row.cut) for name, row in profiled.methods("nestedCalls").items()}


@pytest.mark.extended
def test_every_short_lived_thread_is_counted(phone: AdbDevice, bundles: Bundles, tmp_path: Path) -> None:
    threads = 2_000
    project = one_shot_threads(tmp_path / "project", threads)
    profiled = Lab(phone, bundles(project), tmp_path).profile(name="threads")
    rows = [row for row in profiled.test("oneShots").threads if row.name.startswith("one-shot-") and row.role == "app"]
    assert sum(row.count for row in rows) == threads
    assert sum(method.calls for row in rows for method in row.methods) >= threads
    assert "not_conserved" not in profiled.warnings
