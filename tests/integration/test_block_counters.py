"""`--granularity block`: a recording on the virtual phone has each test's executions, which the census adds up to blocks."""

from __future__ import annotations

import json
import struct
from collections import Counter
from pathlib import Path

import pytest
from support.gradle_projects import java_project
from support.lab import Lab

from navitas.capture.build.bridge import InstrumenterBridge, InstrumentOptions
from navitas.capture.build.gradle import BuildOptions, build_bundles
from navitas.capture.bundle.reader import Bundle
from navitas.capture.device.adb import AdbDevice
from navitas.insight.operations.census.document import CensusMethod, parse_census

pytestmark = pytest.mark.extended

WORK = """
package p;
public class Work {
  static int odd(int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      if (i % 2 == 1) found++;
    }
    return found;
  }
  static void inThreads(int count) throws Exception {
    Thread[] all = new Thread[count];
    for (int i = 0; i < count; i++) {
      int n = i;
      all[i] = new Thread(() -> odd(n), "worker" + i);
      all[i].start();
    }
    for (Thread each : all) each.join();
  }
}
"""
TESTS = """
package p;
import org.junit.Test;
public class WorkTest {
  @Test public void alone() { Work.odd(100); Work.odd(50); }
  @Test public void threads() throws Exception { Work.inThreads(4); }
  @Test(expected = IllegalStateException.class) public void fails() { Work.odd(7); throw new IllegalStateException(); }
}
"""
_HEADER = struct.Struct("<4sHHQQIIIqIIH")
_COLLECTIONS = 0xFFFFFFFF
Counts = Counter[tuple[str, int, int]]
"""Executions by test, method and counter."""


@pytest.fixture(scope="module")
def built(gradle: str, tmp_path_factory: pytest.TempPathFactory) -> list[Bundle]:
    folder = tmp_path_factory.mktemp("blocks")
    project = java_project(folder / "project", {"Work": WORK, "WorkTest": TESTS})
    return build_bundles(project, BuildOptions(gradle=gradle, probes="blocks"))


def test_a_recording_has_the_executions_of_each_test(phone: AdbDevice, built: list[Bundle], tmp_path: Path) -> None:
    assert built[0].manifest.probes == "blocks"
    profiled = Lab(phone, built, tmp_path).profile(name="blocks", granularity="block")
    assert "block_counters" in profiled.warnings
    (map_file,) = (profiled.outcome.recording / "maps").glob("*.json")
    known = json.loads(map_file.read_bytes())
    assert known["probes"] == "blocks"
    (events,) = profiled.outcome.recording.rglob("events-*.nvch")
    counts, threads = decode(events.read_bytes(), int(known["map_id"], 16))
    (odd,) = [each["id"] for each in known["methods"] if each["name"] == "odd"]
    (of_class,) = [each["sha256"] for each in known["classes"] if each["name"] == "p.Work"]
    with InstrumenterBridge() as bridge:
        project = Path(built[0].path).parents[2]
        (classes,) = project.glob("build/classes/java/main")
        census = parse_census(bridge.census([classes], [], [], InstrumentOptions()), "census")
    (work,) = [each for each in census.classes if each.name == "p.Work"]
    assert work.sha256 == of_class
    (method,) = [each for each in work.methods if each.name == "odd"]
    executions = {test: blocks(method, counts, test, odd) for test in ("alone", "threads", "fails")}
    # Entry, test of the loop, test of the remainder, increment of the result, next round, return.
    assert executions == {"alone": [2, 152, 150, 75, 150, 2], "threads": [4, 10, 6, 2, 6, 4], "fails": [1, 8, 7, 3, 7, 1]}
    assert {"main", "worker0", "worker3"} <= threads


def blocks(method: CensusMethod, counts: Counts, test: str, number: int) -> list[int]:
    """Return the executions of each block of a method in a test."""
    return [
        sum(counts[test, number, counter] for counter in block.plus)
        - sum(counts[test, number, counter] for counter in block.minus)
        for block in method.blocks
    ]


def decode(data: bytes, map_id: int) -> tuple[Counts, set[str]]:
    """Return the executions of all threads by test, and the threads' names, as docs/dev/formats.md describes chunks."""
    records: list[tuple[int, int, tuple[int, ...]]] = []
    marks: list[tuple[int, int, str]] = []
    threads = set()
    collections = 0
    at = 0
    while at < len(data):
        magic, _, kind, owner_map, serial, _, _, lost, _, count, size, length = _HEADER.unpack_from(data, at)
        assert magic == b"NVCH" and lost == 0
        name = data[at + _HEADER.size : at + _HEADER.size + length].decode()
        start = at + _HEADER.size + length + 4
        at = start
        for _ in range(count):
            if kind == 4:
                t_ns, mark, _, _, chars = struct.unpack_from("<qBBHH", data, at)
                marks.append((t_ns, mark, data[at + 14 : at + 14 + chars].decode().partition("#")[2]))
                at += 14 + chars
            elif kind == 7:
                t_ns, method, counters = struct.unpack_from("<qII", data, at)
                values = struct.unpack_from(f"<{counters}q", data, at + 16)
                at += 16 + 8 * counters
                assert owner_map == map_id
                if method == _COLLECTIONS:
                    assert serial == 0 and len(values) == 1 and values[0] >= 0
                    collections += 1
                else:
                    assert serial > 0 and any(values)
                    records.append((t_ns, method, values))
                    threads.add(name)
        assert kind not in (4, 7) or at == start + size
        at = start + size
    starts = {test: t_ns for t_ns, mark, test in marks if mark == 1}
    counts: Counts = Counter()
    for finish, _, test in (each for each in marks if each[1] == 2):
        for t_ns, method, values in records:
            if starts[test] < t_ns <= finish:
                counts.update({(test, method, counter): value for counter, value in enumerate(values)})
    assert collections >= len(marks)
    return counts, threads
