"""A run's kernel trace: who ran on which core when, recorded on the phone with `perfetto`, else `atrace`."""

from __future__ import annotations

import base64
import re
import secrets
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from navitas.device.base import Device
from navitas.errors import DeviceError
from navitas.perfetto.config import binary_config

Tracing = Literal["auto", "perfetto", "atrace", "none"]
Warn = Callable[[str, str], None]
"""Takes what is the matter, and its remedy."""

SPARE_S = 600.0
"""A trace that nobody could end, since the cable was lost, ends so long after the run must have."""
TRACES = "/data/misc/perfetto-traces"
_PREFIX = "navitas-"
_LARGEST_BYTES = 1 << 30
_ATRACE_KB = 16 << 10  # of each core
_STOP_S = 30.0
_PULL_S = 120.0
_CAN_UNLINK, _TAKES_TEXT, _HAS_PERFETTO, _ALWAYS_ON = 29, 29, 28, 30
_EVENTS = (
    "sched/sched_switch",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "power/cpu_frequency",
    "power/cpu_idle",
    "power/suspend_resume",
    "task/task_newtask",
    "task/task_rename",
)
_CONFIG = """buffers {{ size_kb: 32768 }}
buffers {{ size_kb: 4096 }}
data_sources {{ config {{ name: "linux.ftrace" target_buffer: 0 ftrace_config {{ {events}
buffer_size_kb: 8192 drain_period_ms: 250 compact_sched {{ enabled: true }} }} }} }}
data_sources {{ config {{ name: "linux.process_stats" target_buffer: 1
process_stats_config {{ scan_all_processes_on_start: true record_thread_names: true }} }} }}
data_sources {{ config {{ name: "linux.sys_stats" target_buffer: 1 sys_stats_config {{ cpufreq_period_ms: 500 }} }} }}
data_sources {{ config {{ name: "android.power" target_buffer: 1
android_power_config {{ battery_poll_ms: 250 collect_power_rails: true }} }} }}
duration_ms: {duration_ms}
write_into_file: true
file_write_period_ms: 2500
max_file_size_bytes: {largest}
flush_period_ms: 5000
"""


class Tracer(Protocol):
    """A trace that is being recorded. All raise `DeviceError` when the device is lost."""

    file_name: str

    def stop(self) -> None:
        """End recording (idempotent)."""
        ...

    def pull(self, local: Path) -> None:
        """Bring the trace here, after its end."""
        ...

    def remove(self) -> None:
        """Leave nothing of it on the device, whatever it was doing."""
        ...


def start(device: Device, tracing: Tracing, longest_s: float, warn: Warn) -> Tracer | None:
    """Begin a trace that ends by itself after `longest_s` seconds; None, and a warning, where the phone has no tracer.

    What a profiling that was killed has left ends first, also where no trace is wanted: it would cost energy.
    """
    if device.info.sdk >= _HAS_PERFETTO:
        # The brackets keep the pattern from meeting its own command line.
        device.shell(f"pkill -f '{TRACES}/[n]avitas-'; rm -f {TRACES}/{_PREFIX}*")
    if tracing == "none":
        return None
    why: list[str] = []
    for name, begin in (("perfetto", _start_perfetto), ("atrace", _start_atrace)):
        if tracing in ("auto", name):
            try:
                tracer = begin(device, longest_s)
            except _NotThere as reason:
                why.append(f"{name}: {reason}")
                continue
            if why:
                warn(f"traced with {name} ({'; '.join(why)})", "")
            return tracer
    warn(
        f"the phone's threads were not traced ({'; '.join(why)})", "figures have a lower evidence level (docs/troubleshooting.md)"
    )
    return None


class _NotThere(Exception):
    """A tracer that this phone has not, or that does not start."""


class _Perfetto:
    file_name = "trace.pftrace"

    def __init__(self, device: Device, pid: str, path: str) -> None:
        self._device, self._pid, self._path = device, pid, path
        self._runs = True

    def stop(self) -> None:
        if self._runs:
            wait = f"n=0; while kill -0 {self._pid} 2>/dev/null && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.1; done"
            self._device.shell(f"kill {self._pid}; {wait}", timeout_s=_STOP_S)
            self._runs = False

    def pull(self, local: Path) -> None:
        _copy(self._device, f"cat {self._path}", local)
        size = self._device.shell(f"stat -c %s {self._path}").text.strip()
        if size.isdecimal() and local.stat().st_size < int(size):
            raise DeviceError(f"device {self._device.info.serial}: the trace did not arrive whole", "profile again")

    def remove(self) -> None:
        if self._runs:
            self._device.shell(f"kill {self._pid}")
        if self._device.info.sdk >= _CAN_UNLINK:
            self._device.shell(f"rm -f {self._path}")


class _Atrace:
    file_name = "trace.txt"

    def __init__(self, device: Device) -> None:
        self._device = device
        self._runs = True

    def stop(self) -> None:
        """Stopping prints the trace: `pull` does both."""

    def pull(self, local: Path) -> None:
        self._runs = False
        _copy(self._device, "atrace --async_stop", local)

    def remove(self) -> None:
        if self._runs:
            self._device.shell("atrace --async_stop >/dev/null", timeout_s=_PULL_S)
            self._runs = False


def _start_perfetto(device: Device, longest_s: float) -> _Perfetto:
    sdk = device.info.sdk
    if sdk < _HAS_PERFETTO or not device.shell("which perfetto").text.strip():
        raise _NotThere("not on this phone")
    if sdk < _ALWAYS_ON and device.shell("getprop persist.traced.enable").text.strip() != "1":
        raise _NotThere("its service is off; on: adb shell setprop persist.traced.enable 1")
    path = f"{TRACES}/{_PREFIX}{secrets.token_hex(6)}.pftrace"
    config = perfetto_config(longest_s)
    if sdk >= _TAKES_TEXT:
        feed, form = f"echo {shlex.quote(config)}", " --txt"
    else:
        feed, form = f"echo {base64.b64encode(binary_config(config)).decode()} | base64 -d", ""
    said = device.shell(f"{feed} | perfetto -c -{form} -o {path} --background")
    pid = re.search(r"^(\d{2,10})\s*$", said.text, re.MULTILINE)
    if pid is None:
        text = (said.stderr or said.stdout).decode("utf-8", "replace").strip()
        raise _NotThere(text.splitlines()[-1][:200] if text else f"exit code {said.exit_code}")
    return _Perfetto(device, pid[1], path)


def perfetto_config(longest_s: float) -> str:
    """What is traced: the kernel's scheduler and frequencies, names of threads, and rails where the phone has them."""
    events = " ".join(f'ftrace_events: "{event}"' for event in _EVENTS)
    return _CONFIG.format(events=events, duration_ms=round(longest_s * 1e3), largest=_LARGEST_BYTES)


def _start_atrace(device: Device, longest_s: float) -> _Atrace:
    listed = device.shell("atrace --list_categories").text
    categories = [name for name in ("sched", "freq", "idle") if re.search(rf"^\s*{name} - ", listed, re.MULTILINE)]
    if "sched" not in categories:
        raise _NotThere("it cannot trace the scheduler" if listed.strip() else "not on this phone")
    said = device.shell(f"atrace --async_start -c -b {_ATRACE_KB} {' '.join(categories)}", timeout_s=_STOP_S)
    if said.exit_code:
        text = (said.stderr or said.stdout).decode("utf-8", "replace").strip()
        raise _NotThere(text.splitlines()[-1][:200] if text else f"exit code {said.exit_code}")
    return _Atrace(device)


def _copy(device: Device, command: str, local: Path) -> None:
    with local.open("wb") as file:
        for piece in device.exec_out(command, timeout_s=_PULL_S):
            file.write(piece)
