"""Memory: time in each bucket of bandwidth."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.charge import F64, Column, weighted_charge_c
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class MemoryPower:
    """Currents of memory: `bandwidth_ma` from `memory.bandwidths`, one for each bucket."""

    bandwidth_ma: tuple[float, ...]
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> MemoryPower:
        """Read `memory.bandwidths`."""
        keys = ProfileKeys("memory", profile)
        return cls(keys.values("memory.bandwidths"), keys.coverage())

    def charge_c(self, bucket_ns: Column) -> F64:
        """Return the charge of the device, which users don't share (AOSP: MemoryPowerCalculator).

        `bucket_ns` has a column for each bucket.
        """
        return weighted_charge_c(self.bandwidth_ma, bucket_ns)
