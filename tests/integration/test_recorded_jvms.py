"""`record --java` on real JVMs: samples by their own clock and threads, a JVM that goes on, and one that fails."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.capture.build.java import find_java
from navitas.cli.main import run
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.parse.stack_samples import RawSamples
from navitas.recording.parse.tables import RunTables
from navitas.recording.store import open_recording

CLOCK_NS = 100_000
"""The largest error of the clock of samples."""
PROGRAM = """
public class Spin {
    static double sum;
    static long cpuNs() { return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }
    static void busy(long ms) {
        long end = cpuNs() + ms * 1_000_000;  // on a busy computer, too
        while (cpuNs() < end) for (int i = 0; i < 1000; i++) sum += Math.sqrt(i);
    }
    static void idle(long ms) throws Exception { Thread.sleep(ms); }
    public static void main(String[] words) throws Exception {
        if (words.length > 1) System.exit(7);
        Thread other = new Thread(() -> busy(Long.parseLong(words[0])), "other thread");
        other.start();
        long begin = System.nanoTime();
        busy(Long.parseLong(words[0]));
        long end = System.nanoTime();
        other.join();
        String file = System.getProperty("times");
        if (file != null) java.nio.file.Files.writeString(java.nio.file.Path.of(file), begin + " " + end);
        idle(300);
    }
}
"""


@pytest.fixture(scope="module")
def classes(sampler: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    (folder / "Spin.java").write_text(PROGRAM)
    subprocess.run([find_java().with_name("javac"), "-d", folder, folder / "Spin.java"], check=True)
    return folder


@pytest.fixture
def server(classes: Path) -> Iterator[int]:
    with subprocess.Popen([find_java(), "-cp", classes, "Spin", "60000"]) as process:
        time.sleep(1)
        yield process.pid
        assert process.poll() is None, "the JVM goes on"
        process.kill()


def recorded(folder: Path) -> tuple[RunTables, RawSamples]:
    recording = open_recording(folder)
    (run_tables,) = parse_recording(recording).runs
    (path,) = recording.files("samples", 0)
    return run_tables, read_jfr(path)


def named(samples: RawSamples) -> list[set[str]]:
    """Return the names of the frames of each sample."""
    names: list[set[str]] = []  # callers come first
    for parent, number in zip(samples.stacks.parent.tolist(), samples.stacks.frame.tolist(), strict=True):
        names.append({samples.frames[number].name} | (names[parent] if parent >= 0 else set()))
    return [names[row] if row >= 0 else set() for row in samples.stack.tolist()]


def check(tables: RunTables, samples: RawSamples) -> None:
    """Check that samples lie in the run, and that busy threads have some. How many depends on what else the computer does."""
    assert samples.clock == "monotonic" and samples.period_ns is not None
    assert tables.start_ns <= samples.t_ns.min() and samples.t_ns.max() <= tables.end_ns
    count = Counter(samples.tid.tolist())
    cpu_ns = {thread.tid: int(clock[-1] - clock[0]) for thread in tables.threads if len(clock := thread.samples.cpu_ns)}
    busy = sorted(cpu_ns, key=cpu_ns.__getitem__)[-2:]
    assert all(count[tid] for tid in busy)
    names = {samples.frames[number].name for number in set(samples.stacks.frame.tolist())}
    assert {"busy", "main"} <= names


def test_a_started_jvm(classes: Path, tmp_path: Path) -> None:
    output = tmp_path / "recording"
    times = tmp_path / "times"
    command = ["java", f"-Dtimes={times}", "-cp", str(classes), "Spin", "500"]
    assert run(["record", "--java", "-o", str(output), "--", *command]) == 0
    tables, samples = recorded(output)
    check(tables, samples)
    begin_ns, end_ns = map(int, times.read_text().split())  # System.nanoTime is CLOCK_MONOTONIC
    t_ns = samples.t_ns[[{"busy", "main"} <= names for names in named(samples)]]
    assert len(t_ns) and begin_ns - CLOCK_NS <= t_ns.min() and t_ns.max() <= end_ns + CLOCK_NS
    assert "other thread" in samples.thread_names.values()
    assert open_recording(output).manifest.tests[0].class_name == "Spin"


def test_a_running_jvm_twice(server: int, tmp_path: Path) -> None:
    for name in ("first", "second"):
        assert run(["record", "--java", str(server), "--duration", "2", "-o", str(tmp_path / name)]) == 0
        check(*recorded(tmp_path / name))
        assert "attached_late" in {warning.code for warning in open_recording(tmp_path / name).manifest.warnings}


def test_a_jvm_that_fails_is_said(classes: Path, tmp_path: Path, capsys: Capture) -> None:
    output = tmp_path / "recording"
    assert run(["record", "--java", "-o", str(output), "--", "java", "-cp", str(classes), "Spin", "1", "fail"]) == 3
    assert "FAILED Spin: the JVM ended with exit code 7" in capsys.readouterr().err
    manifest = open_recording(output).manifest
    assert any("ended with exit code 7" in warning.message for warning in manifest.warnings)
    assert [test.status for test in manifest.tests] == ["failed"]
