"""A step of a special test run on a phone: a known load, and what the phone's counters said before and after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GAUGE = "/sys/class/power_supply/battery"
"""The folder of the battery's fuel gauge (kernel: Documentation/ABI/testing/sysfs-class-power)."""

Meter = Literal["rails", "statistics", "gauge"]
"""What measures the phone: the file of its rails, the text of its power statistics, or the fuel gauge."""


@dataclass(frozen=True, slots=True)
class MeasuredStep:
    """One step. `text` has two readings, at its begin and its end, with a line `@NAME` before each part of a reading:

    - `@time`: `date +%s.%N`; `@stat`: /proc/stat; `@policyN`: the policy's time_in_state
    - `@taskPID`: /proc/PID/time_in_state of each process of the load, empty if the kernel has none
    - `@rails` or `@statistics`, or lines `@gauge CURRENT VOLTAGE` during the step

    `brightness` is from 0 to 255.
    """

    kind: Literal["cpu", "screen", "radios"]
    text: str
    screen_on: bool = True
    brightness: int = 0
    wifi: bool = False
    bluetooth: bool = False
