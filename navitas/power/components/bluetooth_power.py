"""Bluetooth: the currents of its controller, or those of old profiles."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.controller_power import ControllerPower
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
