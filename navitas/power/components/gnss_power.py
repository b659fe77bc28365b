"""GNSS (GPS): its current while it is on, by signal quality if known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import Allocation, proportional
from navitas.power.components.charge import F64, I64, Column, charge_c, ratio, reported_charge_c, weighted_charge_c
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

    def charge_c(self, on_ns: Column, quality_ns: Column | None = None) -> F64:
        """Return the charge of on-time by `gps.on`, or without it by `quality_ns`, the device's time at each quality.

        Source: AOSP 12 – 15, GnssPowerCalculator.getAverageGnssPower.
        """
        if self.on_ma or quality_ns is None:
            return charge_c(self.unknown_quality_ma, on_ns)
        times = np.asarray(quality_ns, np.float64)
        return np.asarray(on_ns, np.float64) * ratio(weighted_charge_c(self.quality_ma, times), times.sum(axis=-1))

    def quality_c(self, unknown_ns: Column, quality_ns: Column) -> F64:
        """Return the charge of the device: on-time at each known quality (a column each), and on-time at unknown quality.

        Source: AOSP 15 QPR and 16, GnssPowerStatsProcessor. For comparison with Android; reports use
        attribute/hardware.
        """
        known_c = weighted_charge_c(self.quality_ma or (self.on_ma,), quality_ns)
        return charge_c(self.unknown_quality_ma, unknown_ns) + known_c

    def reported_c(self, energy_j: Column) -> F64:
        """Return the charge of the energy that the receiver reports, by `gps.voltage`."""
        return reported_charge_c(energy_j, self.voltage_mv)

    @staticmethod
    def allocate(device_c: Column, on_ns: Column, interval: I64) -> Allocation:
        """Allocate the device's charge, estimated or from a rail, by users' on-time at any quality."""
        charge = np.asarray(device_c, np.float64)
        return Allocation(charge, proportional(charge, on_ns, interval), interval)
