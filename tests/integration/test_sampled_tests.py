"""`--mode sample`: tests of a build without probes, their samples, and what they show of each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.gradle_projects import java_project, write
from support.lab import Lab
from support.lab_fixtures import Bundles

from navitas.capture.device.adb import AdbDevice
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.parse.stack_samples import RawSamples
from navitas.recording.store import open_recording

pytestmark = pytest.mark.extended

BUSY = """
package p;
public class BusyTest {
  static double sink;
  static long cpuNs() { return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }
  static void spin(long ms) {
    long end = cpuNs() + ms * 1_000_000L;  // on a busy computer, too
    while (cpuNs() < end) for (int i = 0; i < 1000; i++) sink += Math.sqrt(i);
  }
  static void other(long ms) { spin(ms); }
  @org.junit.Test public void busy() { spin(150); other(150); }
  @org.junit.Test public void asleep() throws Exception { Thread.sleep(300); }
  @org.junit.Test public void seesNoProbes() throws Exception {
    try (java.io.InputStream code = BusyTest.class.getResourceAsStream("BusyTest.class")) {
      String text = new String(code.readAllBytes(), "ISO-8859-1");
      org.junit.Assert.assertFalse(text.contains(String.join("/", "org", "navitas")));
    }
    org.junit.Assert.assertNotNull(BusyTest.class.getDeclaredMethod("spin", long.class));
  }
}
"""


@pytest.fixture(scope="module")
def lab(phone: AdbDevice, bundles: Bundles, sampler: Path, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    folder = tmp_path_factory.mktemp("sampled")
    project = java_project(folder / "project", {"BusyTest": BUSY})
    write(project, {"gradle.properties": "navitas.probes=none\n"})
    return Lab(phone, bundles(project), folder)


def test_samples_show_what_each_test_did(lab: Lab) -> None:
    profiled = lab.profile(name="sampled", mode="sample")
    assert {test.method: test.status for test in profiled.profile.tests} == dict.fromkeys(
        ("busy", "asleep", "seesNoProbes"), "passed"
    )
    recording = open_recording(profiled.outcome.recording)
    assert recording.manifest.settings["mode"] == "sample"
    (run,) = parse_recording(recording).runs
    (path,) = recording.files("samples", 0)
    samples = read_jfr(path)
    assert (samples.clock, samples.lost) == ("monotonic", 0)
    tests = {test.id: test.method for test in recording.manifest.tests}
    (main,) = (thread for thread in run.threads if thread.name == "main")
    stacks: dict[str, list[set[str]]] = {}
    for window in run.app.windows:
        inside = (samples.t_ns >= window.start_ns) & (samples.t_ns < window.end_ns) & (samples.tid == main.tid)
        stacks[tests[window.test_id]] = [names_of(samples, row) for row in samples.stack[inside].tolist()]
    spinning = [names for names in stacks["busy"] if "spin" in names]
    assert len(spinning) > 0.8 * len(stacks["busy"]) > 20
    through = sum("other" in names for names in spinning) / len(spinning)
    assert 0.25 < through < 0.75, "half of the time"
    assert not any("spin" in names for names in stacks["asleep"])


def names_of(samples: RawSamples, row: int) -> set[str]:
    names = set()
    while row >= 0:
        names.add(samples.frames[samples.stacks.frame[row]].name)
        row = int(samples.stacks.parent[row])
    return names
