"""Wi-Fi: by the controller's times if they are known, otherwise by packets and times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import Allocation, proportional, sum_by_interval
from navitas.power.components.charge import F64, Column, charge_c
from navitas.power.components.controller_power import ControllerPower, ControllerTimes, RadioUse
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile

PACKET_BYTES = 2048
_BITS_PER_S = 1e6
_PACKET_NS = PACKET_BYTES * 8 / _BITS_PER_S * 1e9


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

    @property
    def packet_c(self) -> float:
        """Charge of one packet: 2048 bytes at 1 Mbit/s and `wifi.active` (AOSP: WifiPowerCalculator.getWifiPowerPerPacket)."""
        return float(charge_c(self.active_ma, _PACKET_NS))

    def controller_c(self, times: ControllerTimes) -> F64:
        """Return the charge of each interval by the controller's times, including scans."""
        return self.controller.charge_c(times) + self._controller_scans_c(times)

    def allocate(self, times: ControllerTimes, use: RadioUse) -> Allocation:
        """Allocate receiving by received packets, transmitting by sent packets, and scans by scan time.

        Source: AOSP 15 QPR and 16, WifiPowerStatsProcessor. For comparison with Android; reports use
        attribute/hardware. For the rule of Android 12 – 15,
        see `ControllerPower.allocate_scan_first`.
        """
        traffic = self.controller.allocate_by_traffic(times, use)
        scans_c = self._controller_scans_c(times)
        user_c = traffic.user_c + proportional(scans_c, use.all_scans_ns, use.interval)
        return Allocation(traffic.device_c + scans_c, user_c, use.interval)

    def allocate_active_time(self, active_ns: Column, use: RadioUse) -> Allocation:
        """Allocate active time by packets of both directions, and scans by scan time, if the controller's times are unknown.

        Source: AOSP 15 QPR and 16, WifiPowerStatsProcessor.
        """
        active_c = charge_c(self.active_ma, active_ns)
        scans_c = self._scans_c(use)
        packets = np.asarray(use.rx, np.float64) + use.tx
        device_c = active_c + sum_by_interval(scans_c, use.interval, len(active_c))
        return Allocation(device_c, proportional(active_c, packets, use.interval) + scans_c, use.interval)

    def packets_and_times_c(self, use: RadioUse, running_ns: Column) -> F64:
        """Return the charge of each row if the controller's times are unknown: packets, `wifi.on` while it runs, and scans.

        Source: AOSP 12 – 15, WifiPowerCalculator.
        """
        packets = np.asarray(use.rx, np.float64) + use.tx
        return packets * self.packet_c + charge_c(self.on_ma, running_ns) + self._scans_c(use)

    def _controller_scans_c(self, times: ControllerTimes) -> F64:
        return charge_c(self.scan_ma, times.scan_ns) if len(times.scan_ns) else np.zeros(len(times.rx_ns))

    def _scans_c(self, use: RadioUse) -> F64:
        batched = charge_c(self.batched_scan_ma, use.batched_scan_ns) if len(use.batched_scan_ns) else 0.0
        return charge_c(self.scan_ma, use.scan_ns) + batched
