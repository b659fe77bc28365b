"""Energy of tests without probes (`--granularity`), and baseline runs in addition to probed ones (`--baseline`)."""

from __future__ import annotations

import pytest
from support.gradle_projects import java_project
from support.lab import Lab
from support.lab_fixtures import Bundles

from navitas.capture.device.adb import AdbDevice
from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.records_of_tests import by_class

pytestmark = pytest.mark.extended

BUSY = """
package p;
public class BusyTest {
  static double sink;
  static void spin() {
    long end = System.nanoTime() + 300_000_000L;
    while (System.nanoTime() < end) sink += Math.sqrt(end);
  }
  @org.junit.Test public void busy() { spin(); }
  @org.junit.Test public void asleep() throws Exception { Thread.sleep(300); }
  @org.junit.Test public void fails() { spin(); org.junit.Assert.fail("meant"); }
}
"""


@pytest.fixture(scope="module")
def lab(phone: AdbDevice, bundles: Bundles, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    folder = tmp_path_factory.mktemp("whole")
    return Lab(phone, bundles(java_project(folder / "project", {"BusyTest": BUSY})), folder)


def test_whole_tests_have_energy_and_no_methods(lab: Lab) -> None:
    profiled = lab.profile(name="tests", granularity="test")
    assert check(profiled.profile) == []
    assert not any(thread.methods for test in profiled.profile.tests for thread in test.threads)
    assert profiled.thread("busy", "main").cpu_ns > 0
    assert profiled.test("fails").status == "failed"
    (whole,) = by_class(profiled.profile.tests)
    assert (whole.method, whole.status) == ("*", "failed")
    assert whole.energy_j == pytest.approx(sum(test.energy_j for test in profiled.profile.tests))


def test_each_test_has_its_energy_without_probes(lab: Lab) -> None:
    profiled = lab.profile(name="baselines", baseline=True, repeat=2)
    assert check(profiled.profile) == []
    busy = [test for test in profiled.profile.tests if test.method == "busy"]
    assert len(busy) == 2
    for test in busy:
        assert test.unprobed_j is not None and test.unprobed_j > 0
    assert all(test.unprobed_j is not None for test in profiled.profile.tests if test.method == "fails")
