"""Traces of the host's scheduler by its real tracer. Needs root, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from support.command_line import eventually
from support.host import processes
from support.phone_data import state_folder

from navitas.android.perfetto.messages import read_config
from navitas.capture.device.adb import AdbDevice
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.text_trace import read_text
from navitas.recording.parse.trace.trace_tables import RawTrace
from navitas.virtual_phone.kernel.host_slices import HostSlices
from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.sources import process_cpu_ns
from navitas.virtual_phone.kernel.spec import load_spec
from navitas.virtual_phone.kernel.trace_log import now
from navitas.virtual_phone.kernel.tracefs import Tracefs, open_tracefs
from navitas.virtual_phone.start import virtual_phone
from navitas.virtual_phone.trace.ftrace_text import KINDS, ftrace_text
from navitas.virtual_phone.trace.perfetto_file import TraceSession, perfetto_file

THREADS = 500
APP = f"""
import threading, time
input()
time.sleep(0.05)
for _ in range({THREADS}):
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
print(flush=True)
input()
"""
CONFIG = """buffers { size_kb: 1024 } duration_ms: 60000
data_sources { config { name: "linux.ftrace"
ftrace_config { ftrace_events: "sched/sched_switch" ftrace_events: "task/task_newtask" } } }
data_sources { config { name: "linux.process_stats" } }"""


def asleep(pid: int) -> bool:
    """A process that waits for input."""
    return state_of(pid) == "S" and "pipe" in Path(f"/proc/{pid}/wchan").read_text()


def state_of(pid: int) -> str:
    """A process's state, empty if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def clock_ns(pid: int) -> int:
    """CPU time in ns of a process, including its ended threads."""
    return process_cpu_ns(pid) or 0


def ran_ns(raw: RawTrace) -> int:
    """The time in ns that all threads ran, by the trace's switches."""
    switches, total = raw.trace.switches, 0
    for cpu in np.unique(switches.cpu):
        own = switches.cpu == cpu
        total += int(np.diff(switches.t_ns[own])[switches.next_tid[own][:-1] > 0].sum())
    return total


def phone_pid(device: AdbDevice) -> int:
    """The process ID of a virtual phone."""
    folder = state_folder(device)
    (pid,) = (pid for pid, line in processes("navitas.virtual_phone", "--state-dir").items() if folder in line)
    return pid


@pytest.fixture
def tracefs() -> Iterator[Tracefs]:
    found = open_tracefs()
    if found is None:
        pytest.skip("only root can trace on the host, outside of containers")
    yield found
    found.close()


@pytest.fixture
def instances(tracefs: Tracefs) -> Callable[[int], list[Path]]:
    """The tracing instances of the phone with this process ID."""
    folder = tracefs.root / "instances"
    return lambda pid: [path for path in folder.iterdir() if path.name.startswith(f"navitas-{pid}-")]


def test_the_trace_has_every_short_lived_thread_with_its_exact_time(
    tracefs: Tracefs, instances: Callable[[int], list[Path]], tmp_path: Path
) -> None:
    (tmp_path / "phone").mkdir()
    kernel = Kernel(load_spec(), tmp_path / "phone", tracefs=tracefs)
    kernel.start()
    # Without site packages: what measures the coverage of tests would run in each thread, too.
    with subprocess.Popen([sys.executable, "-S", "-c", APP], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as app:
        assert app.stdin is not None and app.stdout is not None
        try:
            kernel.add_process(app.pid)
            assert eventually(lambda: asleep(app.pid))
            before_ns, begin = clock_ns(app.pid), now()
            log = kernel.start_trace()
            assert isinstance(log.source, HostSlices) and len(instances(os.getpid())) == 1
            app.stdin.write(b"\n")
            app.stdin.flush()
            assert app.stdout.readline() == b"\n"
            assert eventually(lambda: asleep(app.pid))
            after_ns = clock_ns(app.pid)
            kernel.stop_trace(log)
            end = now()
            log.settle()
            kernel.stop_trace(kernel.start_trace())
            assert len(instances(os.getpid())) == 1
        finally:
            app.kill()
            app.wait()
            kernel.stop()
    config = read_config(CONFIG.encode(), is_text=True)
    (tmp_path / "trace.pftrace").write_bytes(perfetto_file(TraceSession(config, log, {app.pid: "python"}, [begin, end])))
    (tmp_path / "trace.txt").write_text(ftrace_text(log, begin, {app.pid: "python"}, KINDS["sched"]))
    for raw in (read_perfetto(tmp_path / "trace.pftrace"), read_text(tmp_path / "trace.txt")):
        tasks = raw.trace.tasks
        real = tasks.tid > 0
        assert raw.skipped_by_reason == {} and not any("lost" in text for text in raw.warnings)
        assert set(tasks.tgid[real].tolist()) == {app.pid}, "a process of the host that is not the phone's"
        assert np.count_nonzero(real) == THREADS + 1
        # The trace has all that the process's clock has, and the last µs of each thread; no more than the cores' time.
        assert 0.99 * (after_ns - before_ns) < ran_ns(raw) <= (os.cpu_count() or 1) * (end.monotonic_ns - begin.monotonic_ns)


def test_a_killed_phones_tracing_instance_is_removed(instances: Callable[[int], list[Path]]) -> None:
    with virtual_phone() as device:
        pid = phone_pid(device)
        device.shell("echo '" + CONFIG + "' | perfetto -c - --txt -o /data/misc/perfetto-traces/x.pftrace --background")
        assert len(instances(pid)) == 1
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: state_of(pid) in ("Z", ""))
    with virtual_phone() as device:
        assert instances(pid) == []
        pid = phone_pid(device)
        device.shell("atrace --async_start sched")
        assert len(instances(pid)) == 1
    assert instances(pid) == []
