"""Trace with Perfetto: a process on the phone and its file. Their names identify them as Navitas'."""

from __future__ import annotations

import base64
import secrets
import shlex
from pathlib import Path

from navitas.android.perfetto.messages import binary_config
from navitas.android.perfetto.sampling import stack_source
from navitas.base.errors import DeviceError
from navitas.capture.collect.trace.tracer import Recorder, TracerUnavailable, Warn, copy
from navitas.capture.device.base import Device

ENABLE = "adb shell setprop persist.traced.enable 1"
"""Remedy if the service is off."""
TRACES = "/data/misc/perfetto-traces"
_PREFIX = "navitas-"
_LARGEST_BYTES = 1 << 30
_LONGEST_MS = (1 << 32) - 1  # 49 days: the field's type
_TAKES_TEXT, _FIRST, _ALWAYS_ON, _HAS_CONSUMERS = 29, 28, 30, 31
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
_STACKS_BUFFER = "buffers { size_kb: 16384 }\n"
_CONFIG = """buffers {{ size_kb: 32768 }}
buffers {{ size_kb: 4096 }}
{stacks}data_sources {{ config {{ name: "linux.ftrace" target_buffer: 0 ftrace_config {{ {events}
buffer_size_kb: 8192 drain_period_ms: 250 compact_sched {{ enabled: true }} }} }} }}
data_sources {{ config {{ name: "linux.process_stats" target_buffer: 1
process_stats_config {{ scan_all_processes_on_start: true record_thread_names: true }} }} }}
data_sources {{ config {{ name: "linux.sys_stats" target_buffer: 1 sys_stats_config {{ cpufreq_period_ms: 500 }} }} }}
data_sources {{ config {{ name: "android.power" target_buffer: 1
android_power_config {{ battery_poll_ms: 250 collect_power_rails: true{consumers} }} }} }}
duration_ms: {duration_ms}
write_into_file: true
file_write_period_ms: 2500
max_file_size_bytes: {largest}
flush_period_ms: 5000
"""


class PerfettoTrace(Recorder):
    """A trace by `perfetto`."""

    file_name = "trace.pftrace"
    program, ours, missing = "perfetto", f"'{TRACES}/[n]avitas-'", "the trace's last seconds are missing"

    def pull(self, local: Path) -> None:
        """Pull the trace, and compare its size to check that it is complete."""
        copy(self._device, f"cat {self._path}", local)
        size = self._device.shell(f"stat -c %s {self._path}").text.strip()
        if size.isdecimal() and local.stat().st_size < int(size):
            raise DeviceError(f"device {self._device.info.serial}: the trace did not arrive completely", "profile again")


def begin(device: Device, longest_s: float, warn: Warn, sampled: str = "") -> PerfettoTrace:
    """Start a trace, with stacks of the app `sampled`. Raises `TracerUnavailable`."""
    sdk = device.info.sdk
    if reason := unavailable(device):
        raise TracerUnavailable(reason)
    path = f"{TRACES}/{_PREFIX}{secrets.token_hex(6)}.pftrace"
    text = config(longest_s, sdk, sampled)
    if sdk >= _TAKES_TEXT:
        feed, form = f"echo {shlex.quote(text)}", " --txt"
    else:
        feed, form = f"echo {base64.b64encode(binary_config(text)).decode()} | base64 -d", ""
    return PerfettoTrace.begin(device, f"{feed} | perfetto -c -{form} -o {path} --background", path, warn)


def unavailable(device: Device) -> str:
    """Return why a device cannot trace with `perfetto`; empty if it can."""
    sdk = device.info.sdk
    if sdk < _FIRST or not device.shell("which perfetto").text.strip():
        return "not on this phone"
    if is_off(sdk, device.shell("getprop persist.traced.enable").text):
        return f"its service is off; switch it on with {ENABLE}"
    return ""


def is_off(sdk: int, enabled: str) -> bool:
    """Return whether the user has to switch on the service, with the property `persist.traced.enable`."""
    return sdk < _ALWAYS_ON and enabled.strip() != "1"


def config(longest_s: float, sdk: int, sampled: str = "") -> str:
    """Return the configuration: scheduler, frequencies, names of threads, and rails and consumers if the phone has them.

    Stacks of the app `sampled` have a buffer of their own.

    A phone refuses text with fields that it does not know, so energy consumers are requested from Android 12 on.
    """
    consumers = " collect_energy_estimation_breakdown: true" if sdk >= _HAS_CONSUMERS else ""
    events = " ".join(f'ftrace_events: "{event}"' for event in _EVENTS)
    duration_ms = min(round(longest_s * 1e3), _LONGEST_MS)
    stacks = f"{_STACKS_BUFFER}{stack_source(sampled, 2)}" if sampled else ""
    return _CONFIG.format(events=events, duration_ms=duration_ms, largest=_LARGEST_BYTES, consumers=consumers, stacks=stacks)


def remove(device: Device) -> None:
    """Remove all trace files of Navitas, in a separate call, because its command line matches `ours`. Android 9 refuses."""
    device.shell(f"rm -f {TRACES}/{_PREFIX}*")
