"""Memory: time in each bucket of bandwidth."""

from __future__ import annotations

from dataclasses import dataclass

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
