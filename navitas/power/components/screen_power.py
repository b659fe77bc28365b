"""The screen, display by display: on, by brightness, and always-on (ambient, doze)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from navitas.power.components.allocation import Allocation, proportional
from navitas.power.components.charge import F64, I64, Column, charge_c
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile

BRIGHTNESS_BINS = ("dark", "dim", "medium", "light", "bright")
ScreenModel = Literal["default", "paper1"]
_LEVELS_A_BIN = 51
_BINS = len(BRIGHTNESS_BINS)
_SHARE_OF_FULL: dict[ScreenModel, F64] = {
    "default": (np.arange(_BINS) + 0.5) / _BINS,
    "paper1": np.arange(_BINS) / (_BINS - 1),
}


def brightness_bin(level: Column) -> I64:
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
    """All displays. Arrays of times have shape (intervals, displays), or by brightness (intervals, displays, bins)."""

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

    def current_ma(self, display: int, model: ScreenModel = "default") -> F64:
        """Return the current of a display that is on, at each bin of brightness.

        `default`: `screen.on + screen.full · (bin + ½) / 5` (AOSP: ScreenPowerCalculator). `paper1`: linear from the lowest
        brightness in the first bin to the highest in the last, `screen.on + screen.full · bin / 4` (Navitas Framework, IV.C).
        """
        power = self.displays[display]
        return power.on_ma + power.full_ma * _SHARE_OF_FULL[model]

    def on_c(self, on_ns: Column, bin_ns: Column, model: ScreenModel = "default") -> F64:
        """Return the charge of all displays that are on. On-time outside of the bins draws `screen.on`.

        Source: AOSP, ScreenPowerCalculator.
        """
        on_ma, full_ma = (np.array([getattr(one, name) for one in self.displays]) for name in ("on_ma", "full_ma"))
        brightness = np.asarray(bin_ns, np.float64) @ _SHARE_OF_FULL[model]
        charges: F64 = charge_c(on_ma, on_ns).sum(axis=1) + charge_c(full_ma, brightness).sum(axis=1)
        return charges

    def ambient_c(self, doze_ns: Column) -> F64:
        """Return the charge of all displays in always-on mode (AOSP: AmbientDisplayPowerCalculator)."""
        charges: F64 = charge_c(np.array([one.ambient_ma for one in self.displays]), doze_ns).sum(axis=1)
        return charges

    @staticmethod
    def counted_c(rail_c: Column, is_in_state: Column) -> F64:
        """Return the rail's charge at each reading, of displays that were in the state (on, or dozing) until the reading.

        Both arguments have shape (readings, displays). The charge of other displays is dropped
        (AOSP: BatteryStatsImpl.updateDisplayEnergyConsumerStatsLocked).
        """
        charges: F64 = np.where(is_in_state, rail_c, 0.0).sum(axis=1)
        return charges

    @staticmethod
    def allocate(device_c: Column, top_ns: Column, interval: I64) -> Allocation:
        """Allocate the charge of screens that are on by users' time in the foreground.

        AOSP's calculators allocate nothing if all users have less than ten minutes. This method has no such limit.
        """
        charge = np.asarray(device_c, np.float64)
        return Allocation(charge, proportional(charge, top_ns, interval), interval)

    @staticmethod
    def by_state(on_c: float, ambient_c: float, state_ns: Column, is_on: Column) -> tuple[F64, F64]:
        """Split a window's charges among its states by their times. Returns the charges of on-time and of always-on mode.

        `on_c` counts only in states with the screen on, `ambient_c` only in the others. The rest of each is dropped, as in AOSP's
        ScreenPowerStatsProcessor. Use it to reproduce Android's figures if only a window's sums are known.
        """
        window = np.zeros(len(np.asarray(state_ns)), np.int64)
        on = proportional(np.array([on_c]), state_ns, window)
        ambient = proportional(np.array([ambient_c]), state_ns, window)
        return np.where(is_on, on, 0.0), np.where(is_on, 0.0, ambient)
