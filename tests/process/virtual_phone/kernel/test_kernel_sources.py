"""CPU time of real processes: none is lost or counted twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from navitas.virtual_phone.kernel.scheduler import CpuUsage, KernelTask
from navitas.virtual_phone.kernel.sources import (
    CpuSource,
    ProcessClockSource,
    SchedstatSource,
    default_source,
    process_cpu_ns,
    streams,
)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

DT = 10_000_000

# Each child says "ready", waits for a line, works, says "done" and waits for the end of its input.
_FRAME = """
import sys, threading, time
def spin(s):
    end = time.thread_time() + s
    while time.thread_time() < end: pass
{setup}
print("ready", flush=True); sys.stdin.readline()
{work}
print("done", flush=True); sys.stdin.read()
"""


@contextmanager
def child(work: str, setup: str = "") -> Iterator[subprocess.Popen[str]]:
    code = _FRAME.format(setup=setup, work=work)
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def work(process: subprocess.Popen[str], source: CpuSource) -> Counter[KernelTask]:
    """Let the child work; collect what the source sees meanwhile and at the end."""
    assert process.stdin is not None
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    seen: Counter[KernelTask] = Counter()
    process.stdin.write("\n")
    process.stdin.flush()
    while True:
        seen.update(source.read(DT).runs)
        if process.stdout.readline():
            break
        time.sleep(0.005)
    seen.update(source.remove(process.pid).runs)
    return seen


@pytest.mark.parametrize("kind", [SchedstatSource, ProcessClockSource])
def test_all_cpu_time_is_counted(kind: type[SchedstatSource] | type[ProcessClockSource]) -> None:
    source = kind()
    with child("spin(0.15); t = threading.Thread(target=spin, args=(0.1,)); t.start(); t.join()") as process:
        before_ns = process_cpu_ns(process.pid)
        source.add(process.pid)
        seen = work(process, source)
        after_ns = process_cpu_ns(process.pid)
    assert before_ns is not None
    assert after_ns is not None
    # Exact except for the CPU time between the readings of the child's clock here and in the source.
    assert sum(seen.values()) == pytest.approx(after_ns - before_ns, abs=20_000_000)
    assert sum(seen.values()) >= 250_000_000
    source.close()


def test_threads_are_distinguished() -> None:
    source = SchedstatSource()
    # The thread goes on, so that the last reading sees it too.
    with child(
        "go.set(); spin(0.3); spun.wait()",
        "go, spun, never = threading.Event(), threading.Event(), threading.Event()\n"
        "threading.Thread(target=lambda: (go.wait(), spin(0.1), spun.set(), never.wait()), daemon=True).start()",
    ) as process:
        source.add(process.pid)
        seen = work(process, source)
        others = {task: ns for task, ns in seen.items() if task.tid not in (0, process.pid)}
    assert seen[KernelTask(process.pid, process.pid)] >= 295_000_000
    assert max(others.values()) >= 95_000_000
    assert seen[KernelTask(process.pid, 0)] < 0.1 * sum(seen.values())


def test_one_shot_threads_lose_no_time() -> None:
    source = SchedstatSource()
    shots = "for _ in range(500):\n    t = threading.Thread(target=spin, args=(0.0002,)); t.start(); t.join()"
    with child(shots) as process:
        before_ns = process_cpu_ns(process.pid)
        source.add(process.pid)
        seen = work(process, source)
        after_ns = process_cpu_ns(process.pid)
    assert before_ns is not None
    assert after_ns is not None
    assert sum(seen.values()) == pytest.approx(after_ns - before_ns, abs=20_000_000)
    assert sum(ns for task, ns in seen.items() if task.tid != process.pid) >= 500 * 200_000
    assert all(ns > 0 for ns in seen.values())


def test_time_before_add_does_not_count() -> None:
    source = SchedstatSource()
    with child("pass", "spin(0.2)") as process:
        source.add(process.pid)
        assert sum(work(process, source).values()) < 100_000_000


def test_an_ended_process_leaves_no_descriptor() -> None:
    source = SchedstatSource()
    before = len(list(Path("/proc/self/fd").iterdir()))
    with child("pass") as process:
        source.add(process.pid)
    assert source.read(DT) == CpuUsage()
    assert source.remove(process.pid) == CpuUsage()
    assert source.remove(process.pid) == CpuUsage()
    source.add(2**22 + 1)
    assert source.read(DT) == CpuUsage()
    source.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_streams_divide_time_without_remainder() -> None:
    assert streams(7, 0, DT) == {}
    assert streams(7, -5, DT) == {}
    assert streams(7, DT, DT) == {KernelTask(7, 0): DT}
    parts = streams(7, 2 * DT + 1, DT)
    assert set(parts) == {KernelTask(7, 0), KernelTask(7, -1), KernelTask(7, -2)}
    assert sum(parts.values()) == 2 * DT + 1
    assert max(parts.values()) <= DT


def test_linux_has_a_source_of_threads() -> None:
    assert isinstance(default_source(), SchedstatSource)
