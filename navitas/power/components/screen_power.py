"""The screen, display by display: on, by brightness, and always-on (ambient, doze)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile

BRIGHTNESS_BINS = ("dark", "dim", "medium", "light", "bright")
ScreenModel = Literal["default", "paper1"]
_LEVELS_A_BIN = 51
_BINS = len(BRIGHTNESS_BINS)
_SHARE_OF_FULL: dict[ScreenModel, NDArray[np.float64]] = {
    "default": (np.arange(_BINS) + 0.5) / _BINS,
    "paper1": np.arange(_BINS) / (_BINS - 1),
}


def brightness_bin(level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bin of each brightness level, 0 – 255 (AOSP: BatteryStatsImpl.noteScreenBrightnessLocked)."""
    return np.clip(np.asarray(level, np.int64) // _LEVELS_A_BIN, 0, _BINS - 1)


@dataclass(frozen=True, slots=True)
class DisplayPower:
    """Currents of a display: `on_ma` at the lowest brightness, plus `full_ma` at the highest; `ambient_ma` in always-on mode."""

    on_ma: float
    full_ma: float
    ambient_ma: float


@dataclass(frozen=True, slots=True)
class ScreenPower:
    """All displays."""

    displays: tuple[DisplayPower, ...]
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> ScreenPower:
        """Read `screen.on`, `screen.full` and `ambient.on`, each with `.displayN` from Android 12 on.

        As in AOSP's PowerProfile.initDisplays, unnumbered entries belong to display 0 if no entry is numbered.
        """
        keys = ProfileKeys("screen", profile)
        count = 0
        while any(keys.has(f"{name}.display{count}") for name in ("screen.on", "screen.full", "ambient.on")):
            count += 1
        suffixes = [f".display{number}" for number in range(count)] or [""]
        displays = tuple(
            DisplayPower(
                keys.value(f"screen.on{suffix}"),
                keys.value(f"screen.full{suffix}"),
                keys.value(f"ambient.on{suffix}", optional=True),
            )
            for suffix in suffixes
        )
        return cls(displays, keys.coverage())

    def current_ma(self, display: int, model: ScreenModel = "default") -> NDArray[np.float64]:
        """Return the current of a display that is on, at each bin of brightness.

        `default`: `screen.on + screen.full · (bin + ½) / 5` (AOSP: ScreenPowerCalculator). `paper1`: linear from the lowest
        brightness in the first bin to the highest in the last, `screen.on + screen.full · bin / 4` (Navitas Framework, IV.C).
        """
        power = self.displays[display]
        return power.on_ma + power.full_ma * _SHARE_OF_FULL[model]
