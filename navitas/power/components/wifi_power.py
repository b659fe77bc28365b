"""Wi-Fi: the currents of its controller, or those of profiles without one."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.controller_power import ControllerPower
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


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
