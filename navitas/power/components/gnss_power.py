"""GNSS (GPS): its current while it is on, by signal quality if known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class GnssPower:
    """Currents of GNSS: `on_ma` from `gps.on`, and `quality_ma` from `gps.signalqualitybased`, poor signal first."""

    on_ma: float
    quality_ma: tuple[float, ...]
    voltage_mv: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> GnssPower:
        """Read `gps.*`. The profile needs `gps.on` or `gps.signalqualitybased`."""
        keys = ProfileKeys("gnss", profile)
        quality = keys.values("gps.signalqualitybased", optional=True)
        on = keys.value("gps.on", optional=any(quality))
        known = quality if any(quality) else ()  # AOSP ignores zeros: GnssPowerStatsProcessor.mUseSignalLevelEstimators
        return cls(on, known, keys.value("gps.voltage", optional=True), keys.coverage())

    @property
    def unknown_quality_ma(self) -> float:
        """The current at unknown signal quality: `gps.on` if the profile has it, otherwise the mean over the qualities.

        AOSP's processor uses 0 without `gps.on`.
        """
        return self.on_ma if self.on_ma or not self.quality_ma else float(np.mean(self.quality_ma))
