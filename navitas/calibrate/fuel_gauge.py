"""Power from a battery's fuel gauge, whose unit and sign differ between phones.

The kernel's documentation asks for µA and µV, but some drivers give mA or mV, and the sign of a discharge differs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from navitas.errors import DeviceError

_MICRO_FROM = 10_000
"""No phone uses 10 A, and one that is awake uses more than 10 mA. So larger readings are µA, smaller ones mA."""
_VOLTS = ((1e6, 1e-6), (1e3, 1e-3), (1.0, 1.0))
_READING = re.compile(r"(-?\d{1,12})[ \t]+(\d{1,12})[ \t]*")
_LEAST_ALIKE = 0.9


def gauge_power_mw(readings: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the mean power of each step from its readings `CURRENT VOLTAGE`, positive for a discharge; None without a reading.

    The phone must not be charging. Raises `DeviceError` if there are no readings, or if the sign changes between them.
    """
    parsed = [[(int(found[1]), int(found[2])) for text in step if (found := _READING.fullmatch(text))] for step in readings]
    currents = np.array([current for step in parsed for current, _ in step], np.float64)
    moving = currents[currents != 0]
    if not len(moving):
        raise DeviceError("the phone's fuel gauge shows no current", "Use a power meter: --recording and --meter.")
    share = float(np.mean(moving < 0))
    if max(share, 1 - share) < _LEAST_ALIKE:
        raise DeviceError(
            "the sign of the fuel gauge's current changes, so the phone was charging in between", "Unplug it, and try again."
        )
    sign = -1.0 if share > 0.5 else 1.0
    to_ma = 1e-3 if float(np.median(np.abs(moving))) >= _MICRO_FROM else 1.0
    return [_mean_mw(step, sign * to_ma) for step in parsed]


def _mean_mw(step: Sequence[tuple[int, int]], to_ma: float) -> float | None:
    if not step:
        return None
    return float(np.mean([current * to_ma * _volts(voltage) for current, voltage in step]))


def _volts(reading: int) -> float:
    """Volts of a battery with one cell, whose reading may be in µV, mV or V."""
    return next((reading * scale for least, scale in _VOLTS if reading >= least), 0.0)
