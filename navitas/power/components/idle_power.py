"""The idle device."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class IdlePower:
    """The current of an idle device: always `suspend_ma`, plus `idle_ma` while it is awake."""

    suspend_ma: float
    idle_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> IdlePower:
        """Read `cpu.suspend` and `cpu.idle`.

        In the oldest profiles, `cpu.idle` is the current of the suspended device, and `cpu.awake` the addition while awake.
        """
        keys = ProfileKeys("idle", profile)
        is_old = keys.has("cpu.awake") and "cpu.suspend" not in profile.items
        suspend, idle = ("cpu.idle", "cpu.awake") if is_old else ("cpu.suspend", "cpu.idle")
        return cls(keys.value(suspend), keys.value(idle), keys.coverage())
