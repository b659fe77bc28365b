"""The radio controllers of Wi-Fi and Bluetooth: receiving, transmitting and idle."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from navitas.power.components.allocation import Allocation, Split, proportional, scan_first, sum_by_interval
from navitas.power.components.charge import F64, I64, Column, charge_c, ratio, reported_charge_c, weighted_charge_c

_NO_TIME = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class ControllerTimes:
    """A controller's times in each interval. `tx_ns` can have a column for each transmit level. `scan_ns` can be empty."""

    rx_ns: Column
    tx_ns: Column
    idle_ns: Column
    scan_ns: Column = field(default_factory=lambda: _NO_TIME)

    @property
    def sent_ns(self) -> F64:
        """Transmit time of each interval, at any level."""
        tx = np.asarray(self.tx_ns, np.float64)
        return tx.sum(axis=1) if tx.ndim == 2 else tx


@dataclass(frozen=True, slots=True, eq=False)
class RadioUse:
    """Use of a radio, a row for each user and interval: received and sent packets or bytes, and scan times.

    `interval[r]` is the interval of row r.
    """

    interval: I64
    rx: Column
    tx: Column
    scan_ns: Column
    batched_scan_ns: Column = field(default_factory=lambda: _NO_TIME)

    @property
    def all_scans_ns(self) -> F64:
        """Scan and batched scan time of each row."""
        scans = np.asarray(self.scan_ns, np.float64)
        return scans + self.batched_scan_ns if len(self.batched_scan_ns) else scans


@dataclass(frozen=True, slots=True, eq=False)
class ScanFirst:
    """The result of `ControllerPower.allocate_scan_first`: receive and transmit time of each row, and the charge."""

    rx_ns: F64
    tx_ns: F64
    charge: Allocation


@dataclass(frozen=True, slots=True)
class ControllerPower:
    """Currents of a controller. `tx_level_ma` has one for each transmit level; if empty, `tx_ma` applies to all levels."""

    idle_ma: float
    rx_ma: float
    tx_ma: float
    tx_level_ma: tuple[float, ...] = ()
    voltage_mv: float = 0.0

    @property
    def is_supported(self) -> bool:
        """Whether all three currents are known (AOSP: WifiPowerCalculator.mHasWifiPowerController)."""
        return min(self.idle_ma, self.rx_ma, self.tx_ma) > 0

    def rx_c(self, times: ControllerTimes) -> F64:
        """Return the charge of receiving."""
        return charge_c(self.rx_ma, times.rx_ns)

    def tx_c(self, times: ControllerTimes) -> F64:
        """Return the charge of transmitting, by level if times and currents have levels."""
        if np.ndim(times.tx_ns) == 2 and self.tx_level_ma:
            return weighted_charge_c(self.tx_level_ma, times.tx_ns)
        return charge_c(self.tx_ma, times.sent_ns)

    def charge_c(self, times: ControllerTimes) -> F64:
        """Return each interval's charge of receiving, transmitting and idling.

        Source: AOSP, WifiPowerCalculator, BluetoothPowerCalculator.
        """
        return self.rx_c(times) + self.tx_c(times) + charge_c(self.idle_ma, times.idle_ns)

    def reported_c(self, energy_j: Column) -> F64:
        """Return the charge of the energy that the controller reports."""
        return reported_charge_c(energy_j, self.voltage_mv)

    def allocate_scan_first(self, times: ControllerTimes, use: RadioUse, split: Split = proportional) -> ScanFirst:
        """Allocate receive and transmit time, scans first; idle energy stays unallocated.

        Source: AOSP 12 – 15, WifiPowerCalculator (packets), BluetoothPowerCalculator (bytes), with
        `split=whole_milliseconds`. A scan counts as receive time and as transmit time.
        """
        rx_ns = scan_first(times.rx_ns, use.scan_ns, use.rx, use.interval, split)
        tx_ns = scan_first(times.sent_ns, use.scan_ns, use.tx, use.interval, split)
        sent_c_per_ns = ratio(self.tx_c(times), times.sent_ns)
        user_c = charge_c(self.rx_ma, rx_ns) + sent_c_per_ns[use.interval] * tx_ns
        return ScanFirst(rx_ns, tx_ns, Allocation(self.charge_c(times), user_c, use.interval))

    def allocate_by_traffic(self, times: ControllerTimes, use: RadioUse, scans_replace_traffic: bool = False) -> Allocation:
        """Allocate receiving by received traffic, and transmitting by sent traffic. Idle energy stays unallocated.

        `scans_replace_traffic`: in intervals with scans that are longer than the receive (transmit) time, allocate by scan time
        instead (AOSP: BluetoothPowerStatsProcessor).
        """
        rx, tx = np.asarray(use.rx, np.float64), np.asarray(use.tx, np.float64)
        if scans_replace_traffic:
            scans = sum_by_interval(use.scan_ns, use.interval, len(times.rx_ns))
            rx = np.where((scans > times.rx_ns)[use.interval], use.scan_ns, rx)
            tx = np.where((scans > times.sent_ns)[use.interval], use.scan_ns, tx)
        user_c = proportional(self.rx_c(times), rx, use.interval) + proportional(self.tx_c(times), tx, use.interval)
        return Allocation(self.charge_c(times), user_c, use.interval)
