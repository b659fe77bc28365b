"""Mode tick on code of many short calls: what it says of a method is right within the error that it states."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gradle_projects import JUNIT, write
from support.lab import Lab

from navitas.build.gradle import build_bundles
from navitas.device.adb import AdbDevice

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROUNDS = 20_000
SPLIT = """
package p;
public class SplitTest {
  static long ones, threes, deeps;
  static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) { }
  }
  static void one() { spin(12_000); }
  static void three() { spin(36_000); }
  static void deep(int depth) { spin(4_000); if (depth > 1) deep(depth - 1); }
  static void none() { }
  @org.junit.Test public void split() throws Exception {
    for (int i = 0; i < %d; i++) {
      long a = System.nanoTime();
      one();
      long b = System.nanoTime();
      three();
      long c = System.nanoTime();
      deep(3);
      long d = System.nanoTime();
      none();
      ones += b - a; threes += c - b; deeps += d - c;
    }
    java.nio.file.Files.write(java.nio.file.Paths.get("spent.txt"), (ones + " " + threes + " " + deeps).getBytes());
  }
}
"""


def test_ticks_split_a_threads_energy_within_the_stated_error(phone: AdbDevice, gradle: str, tmp_path: Path) -> None:
    project = write(
        tmp_path / "project",
        {
            "settings.gradle": "",
            "build.gradle": f"apply plugin: 'java'\n{JUNIT}",
            "src/test/java/p/SplitTest.java": SPLIT % ROUNDS,
        },
    )
    profiled = Lab(phone, build_bundles(project, gradle=gradle), tmp_path).profile(name="ticks", mode="tick")
    thread, methods = profiled.thread("split", "main"), profiled.methods("split")
    assert {name: methods[name].calls for name in ("one", "three", "deep", "spin", "none")} == {
        "one": ROUNDS,
        "three": ROUNDS,
        "deep": 3 * ROUNDS,
        "spin": 5 * ROUNDS,
        "none": ROUNDS,
    }
    traced_j = sum(method.exclusive_j for method in thread.methods)
    assert traced_j + thread.probes_j + thread.untraced_j == pytest.approx(thread.energy_j)
    assert thread.untraced_j <= 0.02 * thread.energy_j
    assert profiled.profile.tick_ns is not None
    # What the test itself measured around its calls, and that takes nearly all of the time.
    spent = dict(zip(("one", "three", "deep"), map(int, (project / "spent.txt").read_text().split()), strict=True))
    whole_ns, whole_j = sum(spent.values()), sum(methods[name].inclusive_j for name in spent)
    assert whole_j >= 0.9 * traced_j
    for name, spent_ns in spent.items():
        error_j = methods[name].inclusive_error_j
        assert error_j is not None
        assert abs(methods[name].inclusive_j - whole_j * spent_ns / whole_ns) <= 4 * error_j
    assert methods["none"].inclusive_j <= 0.01 * traced_j
    assert "not_conserved" not in profiled.warnings
