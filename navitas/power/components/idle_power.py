"""The idle device and wake locks. Both use the same current, which counts once: for the device or for a wake lock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import sum_by_interval
from navitas.power.components.charge import F64, I64, Column, charge_c, ratio
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True, eq=False)
class IdleCharge:
    """The charge of the idle device, split into `base_c` and `system_c` by interval, and `holder_c` by row of wake locks.

    `system_c`: the device was awake with the screen off, and no user held a wake lock (AOSP: root).
    """

    base_c: F64
    holder_c: F64
    system_c: F64
    interval: I64

    @property
    def moved_c(self) -> F64:
        """The charge of wake locks and the system in each interval, which base energy excludes."""
        return sum_by_interval(self.holder_c, self.interval, len(self.base_c)) + self.system_c


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

    def charge_c(self, elapsed_ns: Column, awake_ns: Column) -> F64:
        """Return the charge of the idle device (AOSP: IdlePowerCalculator)."""
        return charge_c(self.suspend_ma, elapsed_ns) + charge_c(self.idle_ma, awake_ns)

    def with_wakelocks(
        self, elapsed_ns: Column, awake_ns: Column, screen_on_ns: Column, held_ns: Column, interval: I64
    ) -> IdleCharge:
        """Move the charge of held wake locks from base energy to their holders. `held_ns` has a row for each holder and interval.

        AOSP counts this current in two components, idle and wake lock (WakelockPowerCalculator). Here it counts once. If the
        wake locks of an interval are held for longer than the device was awake, the holders share the awake time.
        """
        awake = np.asarray(awake_ns, np.float64)
        held = sum_by_interval(held_ns, interval, len(awake))
        fits = np.minimum(ratio(awake, held, otherwise=1.0), 1.0)
        holder_c = charge_c(self.idle_ma, held_ns) * fits[interval]
        system_c = charge_c(self.idle_ma, np.maximum(awake - screen_on_ns - held, 0.0))
        moved_c = sum_by_interval(holder_c, interval, len(awake)) + system_c
        return IdleCharge(np.maximum(self.charge_c(elapsed_ns, awake) - moved_c, 0.0), holder_c, system_c, interval)
