"""Wi-Fi and Bluetooth: the currents of their controllers, or those of profiles without one."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class ControllerPower:
    """Currents of a controller, of transmitting also by level. `voltage_mv` is that of the energy which it reports itself."""

    idle_ma: float
    rx_ma: float
    tx_ma: float
    tx_level_ma: tuple[float, ...] = ()
    voltage_mv: float = 0.0


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


@dataclass(frozen=True, slots=True)
class WifiPower:
    """Currents of Wi-Fi: `controller` from `wifi.controller.*`; the others are added while it is on, transfers, or scans."""

    controller: ControllerPower
    on_ma: float
    active_ma: float
    scan_ma: float
    batched_scan_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> WifiPower:
        """Read `wifi.*`. A profile without a controller needs `wifi.on`, `wifi.active` and `wifi.scan`."""
        keys = ProfileKeys("wifi", profile)
        has_controller = any(keys.has(f"wifi.controller.{state}") for state in ("idle", "rx", "tx"))
        has_times = any(keys.has(f"wifi.{state}") for state in ("on", "active", "scan"))
        idle, rx, tx = (
            keys.value(f"wifi.controller.{state}", optional=has_times and not has_controller) for state in ("idle", "rx", "tx")
        )
        levels = keys.values("wifi.controller.tx_levels", optional=True)
        controller = ControllerPower(idle, rx, tx, levels, keys.value("wifi.controller.voltage", optional=True))
        on, active, scan = (keys.value(f"wifi.{state}", optional=has_controller) for state in ("on", "active", "scan"))
        return cls(controller, on, active, scan, keys.value("wifi.batchedscan", optional=True), keys.coverage())
