"""The sample's cases, from its Gradle build to the analysis: calls, statuses and evidence match the known values.

`make accuracy` compares their energy and times (tests/accuracy/live_known_cases.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.lab import Lab, Profiled
from support.lab_fixtures import Bundles
from support.one_shot_threads import one_shot_threads

from navitas.analyze.conserve import check
from navitas.device.adb import AdbDevice

pytestmark = pytest.mark.xdist_group("cases")


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


@pytest.mark.extended
def test_recording_through_logcat_gives_an_equivalent_report(sample: Lab, cases: Profiled) -> None:
    logged = sample.profile("KnownCasesTest#nestedCalls", name="logcat", transport="logcat")
    assert not list(logged.outcome.recording.glob("runs/*/events-*.nvch"))
    assert calls(logged) == calls(cases)
    assert logged.profile.evidence[0].level == cases.profile.evidence[0].level


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
