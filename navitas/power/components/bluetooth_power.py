"""Bluetooth: by the controller's times. With an old profile, by the times that it is on and active."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import Allocation
from navitas.power.components.charge import F64, Column, charge_c
from navitas.power.components.controller_power import ControllerPower, ControllerTimes, RadioUse
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class BluetoothPower:
    """Currents of Bluetooth: `controller` from `bluetooth.controller.*`, the others from old profiles."""

    controller: ControllerPower
    on_ma: float
    active_ma: float
    at_command_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> BluetoothPower:
        """Read `bluetooth.*`. Old profiles have `bluetooth.on`, `.active` and `.at` instead of a controller."""
        keys = ProfileKeys("bluetooth", profile)
        is_old = not any(keys.has(f"bluetooth.controller.{state}") for state in ("idle", "rx", "tx")) and any(
            keys.has(f"bluetooth.{state}") for state in ("on", "active")
        )
        idle, rx, tx = (keys.value(f"bluetooth.controller.{state}", optional=is_old) for state in ("idle", "rx", "tx"))
        voltage_mv = keys.value("bluetooth.controller.voltage", optional=True)
        on, active = (keys.value(f"bluetooth.{state}", optional=not is_old) for state in ("on", "active"))
        at_command = keys.value("bluetooth.at", optional=True)
        return cls(ControllerPower(idle, rx, tx, (), voltage_mv), on, active, at_command, keys.coverage())

    def charge_c(self, times: ControllerTimes) -> F64:
        """Return the charge of each interval by the controller's times."""
        return self.controller.charge_c(times)

    def on_and_active_c(self, on_ns: Column, active_ns: Column) -> F64:
        """Return the charge with an old profile: `bluetooth.on` while it is on, plus `bluetooth.active` during transfers."""
        return charge_c(self.on_ma, on_ns) + charge_c(self.active_ma, active_ns)

    def reported_device_c(self, user_c: Column, energy_j: float) -> float:
        """Return the charge of the device from the controller's reported energy, or that of all users if it is larger.

        Source: AOSP 12 – 15, BluetoothPowerCalculator.
        """
        return float(max(np.sum(user_c), self.controller.reported_c(np.array([energy_j]))[0]))

    def allocate(self, times: ControllerTimes, use: RadioUse) -> Allocation:
        """Allocate receiving by received bytes, and transmitting by sent bytes; by scan time in intervals with longer scans.

        Source: AOSP 15 QPR and 16, BluetoothPowerStatsProcessor. For comparison with Android; reports use
        attribute/hardware. For the rule of
        Android 12 – 15, see `ControllerPower.allocate_scan_first`.
        """
        return self.controller.allocate_by_traffic(times, use, scans_replace_traffic=True)
