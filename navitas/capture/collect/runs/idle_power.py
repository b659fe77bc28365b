"""The idle run that is paired with an execution case: what the device's rails count while no test runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from navitas.android.power_statistics import SERVICE
from navitas.capture.collect.readings.topology import RAILS
from navitas.capture.device.base import Device

_UPTIME = "cat /proc/uptime"


@dataclass(frozen=True, slots=True)
class IdleReadings:
    """Text of the rails before and after a time without tests, with the device's uptime and UNIX time in seconds.

    `kind`: the rail monitor's file, the text of the power statistics, or `none` if the shell may read neither.
    """

    kind: Literal["rails", "statistics", "none"]
    before: str
    after: str
    uptime_s: tuple[float, float]
    unix_s: tuple[float, float]


def read_idle(device: Device, seconds: float) -> IdleReadings:
    """Read the rails, wait, and read them again. Raises `DeviceError` if the device does not answer."""
    kind, command = _source(device)
    before, up, unix = _reading(device, command)
    time.sleep(seconds)
    after, up_after, unix_after = _reading(device, command)
    return IdleReadings(kind, before, after, (up, up_after), (unix, unix_after))


def _source(device: Device) -> tuple[Literal["rails", "statistics", "none"], str]:
    if device.shell(f"cat {RAILS}").exit_code == 0:
        return "rails", f"cat {RAILS}"
    if "mWs" in device.shell(f"dumpsys {SERVICE}").text:
        return "statistics", f"dumpsys {SERVICE}"
    return "none", "true"


def _reading(device: Device, command: str) -> tuple[str, float, float]:
    """The text of one reading, the uptime and the UNIX time."""
    text = device.shell(f"{_UPTIME}; date +%s.%N; {command}").text
    uptime, unix, rest = (*text.split("\n", 2), "", "")[:3]
    return rest, _number(uptime.split(" ")[0]), _number(unix)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
