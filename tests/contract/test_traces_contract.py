"""Scheduler traces by Perfetto and atrace on any phone: they contain running processes, and leave nothing on the phone."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.command_line import eventually
from support.link import linked
from support.trace_tasks import task_name

from navitas.base.errors import DeviceError
from navitas.capture.collect.trace.atrace import MARK
from navitas.capture.collect.trace.run_trace import RunTrace, remove_traces
from navitas.capture.collect.trace.tracer import Tracing
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.base import Device
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import RawTrace, Trace

BUSY_NS = 200_000_000
TICK_NS = 10_000_000


@pytest.fixture
def busy(device: Device) -> Iterator[int]:
    """The process ID of a busy process."""
    with device.stream("timeout 60 yes > /dev/null"):
        running = "for p in $(pidof yes); do if [ -r /proc/$p/schedstat ]; then echo $p; fi; done"
        assert eventually(lambda: device.shell(running).text.strip() != "")
        (pid,) = device.shell(running).text.split()
        yield int(pid)
        device.shell(f"kill {pid}")
        assert eventually(lambda: device.shell("pidof yes").exit_code != 0)


def used_ns(device: Device, pid: int) -> int:
    """CPU time of a process's first thread."""
    return int(device.shell(f"cat /proc/{pid}/schedstat").text.split()[0])


def wait_until_used(device: Device, pid: int, more_ns: int) -> None:
    until_ns = used_ns(device, pid) + more_ns
    assert eventually(lambda: used_ns(device, pid) >= until_ns)


def traced(device: Device, tracing: Tracing, folder: Path, busy: int) -> RawTrace:
    """A trace in which a process uses at least `BUSY_NS`."""
    trace = started(device, tracing)
    try:
        wait_until_used(device, busy, BUSY_NS)
        trace.stop()
    finally:
        trace.pull(lambda _kind, name: folder / name)
    (local,) = folder.iterdir()
    return read_perfetto(local) if local.suffix == ".pftrace" else read_text(local)


def started(device: Device, tracing: Tracing) -> RunTrace:
    reported: list[str] = []
    trace = RunTrace(device, tracing)
    trace.start(60.0, lambda text, _: reported.append(text))
    if reported:
        pytest.skip(reported[0])
    return trace


def left(device: Device) -> list[str]:
    """Leftovers on the device: tracing processes, files, atrace's marker."""
    return device.shell(
        f"pgrep -f perfetto-traces/[n]avitas-; ls /data/misc/perfetto-traces | grep navitas-; ls {MARK}"
    ).text.split()


def ran_ns(found: Trace, tid: int) -> int:
    """The time in ns that a thread ran, by the trace's switches."""
    total = 0
    switches = found.switches
    for cpu in np.unique(switches.cpu):
        own = switches.cpu == cpu
        t_ns, following = switches.t_ns[own], switches.next_tid[own]
        total += int(np.diff(t_ns)[following[:-1] == tid].sum())
    return total


@pytest.mark.parametrize("tracing", ["perfetto", "atrace"])
def test_a_trace_contains_a_busy_process(device: Device, busy: int, tracing: Tracing, tmp_path: Path) -> None:
    raw = traced(device, tracing, tmp_path, busy)
    assert raw.skipped_by_reason == {} and not any("lost" in text for text in raw.warnings)
    tasks = raw.trace.tasks
    (row,) = np.flatnonzero((tasks.tid == busy) & (tasks.tgid == busy))[:1]
    assert task_name(tasks, int(row)) in ("yes", "")
    # The trace lacks the time before tracing started and after the last tick.
    assert ran_ns(raw.trace, busy) > 0.5 * BUSY_NS
    assert len(np.unique(raw.trace.frequencies.cpu)) > 0 and raw.trace.frequencies.khz.min() > 0
    assert left(device) == []


def test_perfetto_reports_clocks_and_rails(virtual: Device, busy: int, tmp_path: Path) -> None:
    found = traced(virtual, "perfetto", tmp_path, busy).trace
    assert found.clock == "boottime" and len(found.snapshots) >= 2
    assert found.rails is not None and "VDD_CPU_ACTIVE" in found.rails.names
    assert (np.diff(found.rails.energy_j, axis=0) >= 0).all() and found.rails.energy_j[-1].sum() > found.rails.energy_j[0].sum()


def test_perfetto_rejects_an_invalid_configuration(device: Device) -> None:
    if not device.shell("which perfetto").text.strip():
        pytest.skip("the device has no perfetto")
    out = "-o /data/misc/perfetto-traces/navitas-none.pftrace"
    for command in (f"echo 'nonsense {{' | perfetto -c - --txt {out}", "perfetto --txt", f"echo '' | perfetto -c - --txt {out}"):
        refused = device.shell(command)
        assert refused.exit_code != 0 and refused.stderr, command


def test_threads_report_their_time_in_state(device: Device, busy: int) -> None:
    def ticks() -> int:
        text = device.shell(f"cat /proc/{busy}/task/{busy}/time_in_state").text
        return sum(int(found) for found in re.findall(r"^\d+ (\d+)", text, re.MULTILINE))

    if not device.shell(f"cat /proc/{busy}/task/{busy}/time_in_state").text:
        pytest.skip("the kernel has no such file")
    first = ticks()
    wait_until_used(device, busy, BUSY_NS)
    assert eventually(lambda: (ticks() - first) * TICK_NS > 0.8 * BUSY_NS)


@pytest.mark.parametrize("tracing", ["perfetto", "atrace"])
def test_the_next_trace_removes_what_a_killed_client_left(device: AdbDevice, busy: int, tracing: Tracing, tmp_path: Path) -> None:
    kill_in_a_trace(device, tracing)
    assert len(left(device)) == (2 if tracing == "perfetto" else 1)
    again = started(device, tracing)
    assert len(left(device)) == (2 if tracing == "perfetto" else 1), "one process, one file; one mark"
    wait_until_used(device, busy, BUSY_NS)
    again.pull(lambda _kind, name: tmp_path / name)
    assert left(device) == [] and [path.stat().st_size > 0 for path in tmp_path.iterdir()] == [True]


def test_a_trace_ended_by_the_next_one_stays_removed(device: AdbDevice, tmp_path: Path) -> None:
    trace, following = started(device, "perfetto"), RunTrace(device, "none")
    following.start(None, lambda *_: None)
    assert left(device) == []
    trace.stop()
    following.pull(lambda _kind, name: tmp_path / name)
    assert left(device) == []


@pytest.mark.parametrize("following", ["perfetto", "none"])
def test_any_run_disables_tracing_that_was_left_on(device: AdbDevice, following: Tracing, tmp_path: Path) -> None:
    kill_in_a_trace(device, "atrace")
    trace = started(device, following)
    assert "sched_switch:" not in device.shell("atrace --async_stop").text
    trace.pull(lambda _kind, name: tmp_path / name)
    assert left(device) == []


@pytest.mark.parametrize("tracing", ["perfetto", "atrace"])
def test_a_disconnected_cable(virtual: AdbDevice, tracing: Tracing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.collect.trace.run_trace._RECONNECT_S", 0.1)
    with linked(virtual) as (device, link):
        trace = started(device, tracing)
        link.cut()
        with pytest.raises(DeviceError):
            trace.pull(lambda _kind, name: tmp_path / name)
    assert left(virtual) != []
    remove_traces(virtual)
    assert left(virtual) == []


def kill_in_a_trace(device: AdbDevice, tracing: Tracing) -> None:
    """Start a process that traces, and kill it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            reported: list[str] = []
            RunTrace(device, tracing).start(None, lambda text, _: reported.append(text))
            os.write(writing, "".join(reported).encode() or b"traces")
            signal.pause()
        os._exit(1)
    os.close(writing)
    said = os.read(reading, 1_000)
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if said != b"traces":
        pytest.skip(said.decode())
