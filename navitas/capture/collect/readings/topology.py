"""The device's CPUs and cpufreq policies, and the counters that can be sampled."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from navitas.android.power_statistics import SERVICE, parse_power_statistics
from navitas.base.cpu_limit import MAX_CPUS
from navitas.base.errors import DeviceError
from navitas.capture.device.base import Device
from navitas.recording import manifest

CPUFREQ = "/sys/devices/system/cpu/cpufreq"
RAILS = "/sys/bus/iio/devices/iio:device0/energy_value"
PROC_STAT = "/proc/stat"
NET_DEV, DISKSTATS = "/proc/net/dev", "/proc/diskstats"

_THREADS_SOURCE = 1
_PROCESS_SOURCE = 2
_PROCESS_IO_SOURCE, _NET_DEV_SOURCE, _UID_TRAFFIC_SOURCE, _POWER_MONITORS_SOURCE = 4, 5, 6, 7
_FIRST_POLICY_SOURCE = 10
_LAST_OPEN_NET_DEV = 28
HAS_POWER_MONITORS = 35
"""The first API level with power monitors for apps."""
_CPU = r"(?<!\d)\d{1,4}(?!\d)"


def read_policies(device: Device) -> list[manifest.Policy]:
    """Return the cpufreq policies, by id; empty if the kernel has no cpufreq."""
    listing = device.shell(f"ls {CPUFREQ}")
    ids = sorted({int(found) for found in re.findall(r"\bpolicy(\d{1,4})\b", listing.text)})
    policies, taken = [], set[int]()
    for policy in ids:
        related = device.shell(f"cat {CPUFREQ}/policy{policy}/related_cpus").text
        named = dict.fromkeys(int(cpu) for cpu in re.findall(_CPU, related))
        cpus = [cpu for cpu in named if cpu < MAX_CPUS and cpu not in taken]  # a CPU is in one policy
        taken.update(cpus)
        policies.append(manifest.Policy(id=policy, cpus=cpus))
    return policies


def read_frequencies(device: Device, policies: list[manifest.Policy]) -> dict[int, list[int]]:
    """Return the operating points in kHz, by policy, as far as the shell can read them."""
    found = {}
    for policy in policies:
        folder = f"{CPUFREQ}/policy{policy.id}"
        states = device.shell(f"cat {folder}/stats/time_in_state").text
        speeds = re.findall(r"^(\d{1,9}) \d+", states, re.MULTILINE)
        speeds = speeds or re.findall(r"\b\d{1,9}\b", device.shell(f"cat {folder}/scaling_available_frequencies").text)
        found[policy.id] = sorted({int(speed) for speed in speeds})
    return {number: speeds for number, speeds in found.items() if speeds}


def read_cpus(device: Device, policies: list[manifest.Policy]) -> list[int]:
    """Return the CPU numbers, from `possible` if readable, otherwise from the policies."""
    text = device.shell("cat /sys/devices/system/cpu/possible").text.strip()
    found: set[int] = set()
    for first, last in re.findall(rf"({_CPU})(?:-(\d+))?", text)[:MAX_CPUS]:
        if len(last) <= len(str(MAX_CPUS)):
            found.update(range(int(first), min(int(last or first), MAX_CPUS - 1) + 1))
    cpus = sorted(found) or sorted(cpu for policy in policies for cpu in policy.cpus)
    if not cpus:
        raise DeviceError(
            f"device {device.info.serial}: neither /sys/devices/system/cpu/possible nor {CPUFREQ} is readable",
            "check the device with: adb shell ls /sys/devices/system/cpu",
        )
    return cpus


def counter_sources(policies: list[manifest.Policy]) -> list[manifest.Source]:
    """Return the counters that the runtime samples inside the app: threads, process, each policy's time in state."""
    return [
        manifest.Source(id=_THREADS_SOURCE, path="threads", kind="thread_schedstat"),
        manifest.Source(id=_PROCESS_SOURCE, path="/proc/self/stat", kind="process_stat"),
        *(
            manifest.Source(
                id=_FIRST_POLICY_SOURCE + index,
                path=f"{CPUFREQ}/policy{policy.id}/stats/time_in_state",
                kind="time_in_state",
                policy=policy.id,
            )
            for index, policy in enumerate(policies)
        ),
    ]


def traffic_sources(device: Device, by_shell: Sequence[str]) -> list[manifest.Source]:
    """Return the counters of traffic that the runtime samples inside the app, besides those that the shell samples.

    Apps may read /proc/net/dev up to Android 9.
    """
    sources = [
        manifest.Source(id=_PROCESS_IO_SOURCE, path="/proc/self/io", kind="process_io"),
        manifest.Source(id=_UID_TRAFFIC_SOURCE, path="traffic", kind="uid_traffic"),
    ]
    if NET_DEV not in by_shell and device.info.sdk <= _LAST_OPEN_NET_DEV:
        sources.append(manifest.Source(id=_NET_DEV_SOURCE, path=NET_DEV, kind="net_dev"))
    return sources


def monitor_sources(device: Device, *, has_rails: bool) -> list[manifest.Source]:
    """Return the power monitors that the runtime reads inside the app, unless what the shell reads has rails."""
    if has_rails or device.info.sdk < HAS_POWER_MONITORS:
        return []
    return [manifest.Source(id=_POWER_MONITORS_SOURCE, path="power_monitors", kind="power_monitors")]


def reads_statistics(device: Device, files: Sequence[str], *, by_perfetto: bool) -> bool:
    """Return whether the shell reads rails as text of the power statistics, besides `files`.

    With the rail monitor's file or a Perfetto trace it does not: they show rails in shorter intervals, and exactly.
    """
    if by_perfetto or RAILS in files:
        return False
    return bool(parse_power_statistics(device.shell(f"dumpsys {SERVICE}").text).meters)


def readable(device: Device, *paths: str) -> list[str]:
    """Return the files that the shell can read. Disks are closed to it from Android 10 on."""
    return [path for path in paths if device.shell(f"cat {shlex.quote(path)} >/dev/null 2>&1").exit_code == 0]
