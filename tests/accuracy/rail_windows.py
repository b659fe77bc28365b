"""The energy of named windows of a phone's use, from its rails alone, and savings with their uncertainty.

The use prints `rails NAME` and then the text of the rail monitor. A window is the time from one such reading to the next.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, stdev

from scipy.special import stdtrit

REST, NONE = "rest", "none"
"""The window in which the app does nothing, and the times between windows."""
_READING = re.compile(r"^rails (\S+)\s+t=(\d+)\s+((?:CH\d+.*\s+)+)", re.MULTILINE)
_CHANNEL = re.compile(r"^CH\d+\(T=\d+\)\[([^\]]+)\], (\d+)", re.MULTILINE)
_CONSTANT = ("VSYS_CPU_BASE", "VSYS_PWR_DISPLAY")
"""Rails of what no message uses: the phone's base, and the screen, whose monitor has more noise than an alarm has energy."""
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Window:
    """A window's length, and the growth of all rails but those of the base and the screen."""

    s: float
    energy_j: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and half the width of its 95 % confidence interval by Student's t; infinite for one value."""

    mean: float
    half: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Interval:
        if len(values) < 2:
            return cls(mean(values), math.inf)
        quantile = float(stdtrit(len(values) - 1, (1 + _CONFIDENCE) / 2))
        return cls(mean(values), quantile * stdev(values) / math.sqrt(len(values)))


def windows(output: str) -> dict[str, Window]:
    """Return the windows of a use by name.

    Raises:
        ValueError: a name occurs twice.
    """
    found: dict[str, Window] = {}
    readings = [(name, int(ms) / 1e3, _energy_j(channels)) for name, ms, channels in _READING.findall(output)]
    for (name, start_s, start_j), (_, end_s, end_j) in pairwise(readings):
        if name in found:
            raise ValueError(f"two windows {name}")
        if name != NONE:
            found[name] = Window(end_s - start_s, end_j - start_j)
    return found


def _energy_j(channels: str) -> float:
    return sum(int(uj) for rail, uj in _CHANNEL.findall(channels) if rail not in _CONSTANT) / 1e6


def saving_j(faulty: Mapping[str, Window], fixed: Mapping[str, Window], name: str) -> float:
    """The energy that the fixed app saved in a window.

    A longer window also has more energy of a resting app. That is no saving, so it is subtracted, at the power of both rests.
    """
    rest_w = sum(each[REST].energy_j for each in (faulty, fixed)) / sum(each[REST].s for each in (faulty, fixed))
    before, after = faulty[name], fixed[name]
    return before.energy_j - after.energy_j - rest_w * (before.s - after.s)
