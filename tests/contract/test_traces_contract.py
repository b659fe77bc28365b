"""Traces of the scheduler, by Perfetto and atrace, on any phone: what was running is in them, and nothing stays behind."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from navitas.collect import trace
from navitas.device.base import Device
from navitas.parse.trace.perfetto import read_perfetto
from navitas.parse.trace.tables import RawTrace, Trace
from navitas.parse.trace.text import read_text

BUSY_S = 1.0


@pytest.fixture
def busy(device: Device) -> Iterator[int]:
    """The process id of one that never rests."""
    with device.stream("timeout 60 yes > /dev/null"):
        deadline = time.monotonic() + 10.0
        while not (pids := device.shell("pidof yes").text.split()) and time.monotonic() < deadline:
            time.sleep(0.1)
        yield int(pids[0])
        device.shell(f"kill {pids[0]}")


def traced(device: Device, tracing: trace.Tracing, folder: Path) -> RawTrace:
    told: list[str] = []
    tracer = trace.start(device, tracing, 60.0, lambda text, _: told.append(text))
    if tracer is None:
        pytest.skip(told[0])
    try:
        time.sleep(BUSY_S)
        tracer.stop()
        local = folder / tracer.file_name
        tracer.pull(local)
    finally:
        tracer.remove()
    return read_perfetto(local) if local.suffix == ".pftrace" else read_text(local)


def ran_ns(found: Trace, tid: int) -> int:
    """How long a thread ran, by the switches."""
    total = 0
    switches = found.switches
    for cpu in np.unique(switches.cpu):
        own = switches.cpu == cpu
        t_ns, following = switches.t_ns[own], switches.next_tid[own]
        total += int(np.diff(t_ns)[following[:-1] == tid].sum())
    return total


@pytest.mark.parametrize("tracing", ["perfetto", "atrace"])
def test_a_busy_process_is_in_the_trace(device: Device, busy: int, tracing: trace.Tracing, tmp_path: Path) -> None:
    raw = traced(device, tracing, tmp_path)
    assert raw.skipped_by_reason == {} and not any("lost" in text for text in raw.warnings)
    tasks = raw.trace.tasks
    (row,) = np.flatnonzero((tasks.tid == busy) & (tasks.tgid == busy))[:1]
    assert tasks.name_of(int(row)) in ("yes", "")
    assert ran_ns(raw.trace, busy) > 0.2e9 * BUSY_S
    assert len(np.unique(raw.trace.frequencies.cpu)) > 0 and raw.trace.frequencies.khz.min() > 0
    assert device.shell("ls /data/misc/perfetto-traces").text.count("navitas-") == 0


def test_perfetto_tells_clocks_and_rails(virtual: Device, busy: int, tmp_path: Path) -> None:
    found = traced(virtual, "perfetto", tmp_path).trace
    assert found.clock == "boottime" and len(found.snapshots) >= 2
    assert found.rails is not None and "VDD_CPU_ACTIVE" in found.rails.names
    assert (np.diff(found.rails.energy_j, axis=0) >= 0).all() and found.rails.energy_j[-1].sum() > found.rails.energy_j[0].sum()


def test_perfetto_refuses_what_it_does_not_understand(device: Device) -> None:
    if not device.shell("which perfetto").text.strip():
        pytest.skip("the device has no perfetto")
    out = "-o /data/misc/perfetto-traces/navitas-none.pftrace"
    for command in (f"echo 'nonsense {{' | perfetto -c - --txt {out}", "perfetto --txt", f"echo '' | perfetto -c - --txt {out}"):
        refused = device.shell(command)
        assert refused.exit_code != 0 and refused.stderr, command


def test_threads_tell_where_they_ran(device: Device, busy: int) -> None:
    path = f"/proc/{busy}/task/{busy}/time_in_state"
    if not device.shell(f"cat {path}").text:
        pytest.skip("the kernel keeps no such file")
    deadline = time.monotonic() + 20.0
    while (ticks := device.shell(f"sleep 0.3; cat {path}").text) and time.monotonic() < deadline:
        if sum(int(found) for found in re.findall(r"^\d+ (\d+)", ticks, re.MULTILINE)) >= 10:
            return
    raise AssertionError(ticks)


def test_a_trace_that_was_removed_stays_removed(device: Device) -> None:
    tracer = trace.start(device, "perfetto", 60.0, lambda *_: None)
    if tracer is None or device.info.sdk < 29:
        pytest.skip("the device has no perfetto, or lets no trace be removed")
    assert trace.start(device, "none", 60.0, lambda *_: None) is None
    tracer.stop()
    assert device.shell("ls /data/misc/perfetto-traces").text.count("navitas-") == 0
