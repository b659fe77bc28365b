"""Sensors: the current that each sensor's driver declares. Power profiles don't contain it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.charge import F64, I64, Column, charge_c


@dataclass(frozen=True, slots=True, eq=False)
class SensorPower:
    """Currents of sensors: `current_ma[k]` is the value of `Sensor.getPower()` for sensor k of the recording."""

    current_ma: F64

    def charge_c(self, sensor: I64, on_ns: Column) -> F64:
        """Return the charge of each row: sensor `sensor[r]` was on for `on_ns[r]` (AOSP: SensorPowerCalculator)."""
        return charge_c(np.asarray(self.current_ma, np.float64)[sensor], on_ns)
