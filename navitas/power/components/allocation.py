"""Allocation of a component's charge or time to its users.

A user is anything with usage: a uid, a call path, a process state. Usage is in rows, one for each user and interval that has
any. `interval[r]` is the interval of row r.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from navitas.power.components.charge import F64, I64, Column, ratio

Split = Callable[[Column, Column, I64], F64]
_MS_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Allocation:
    """A component's charge: `device_c` for each interval, `user_c` for each row of usage."""

    device_c: F64
    user_c: F64
    interval: I64

    @property
    def unallocated_c(self) -> F64:
        """The charge of each interval that is not allocated to users, such as that of an idle radio."""
        return self.device_c - sum_by_interval(self.user_c, self.interval, len(self.device_c))

    def scaled_to_rail(self, rail_c: Column) -> Allocation:
        """Return the allocation of the rail's measured charge: all estimates multiplied by rail ÷ estimate.

        If the estimate is 0, the rail's charge stays unallocated (AOSP: PowerStatsProcessor subclasses).
        """
        measured = np.asarray(rail_c, np.float64)
        scale = ratio(measured, self.device_c, otherwise=1.0)
        return Allocation(measured, self.user_c * scale[self.interval], self.interval)


def sum_by_interval(values: Column, interval: I64, intervals: int) -> F64:
    """Sum rows by interval."""
    sums: F64 = np.bincount(interval, values, minlength=intervals).astype(np.float64)
    return sums


def proportional(total: Column, weight: Column, interval: I64) -> F64:
    """Split `total` of each interval among its rows in proportion to `weight`, without rounding.

    The total is conserved, unless all weights are 0: then rows get 0. Unlike Android, it does not round.
    """
    sums = sum_by_interval(weight, interval, len(total))
    return np.asarray(total, np.float64)[interval] * ratio(weight, sums[interval])


def whole_milliseconds(total_ns: Column, weight: Column, interval: I64) -> F64:
    """Split times as `proportional`, in whole milliseconds rounded down (AOSP: BatteryStatsImpl, integer division).

    Use it only to reproduce Android's figures, since it loses up to 1 ms per row.
    """
    total_ms = np.asarray(total_ns).astype(np.int64)[interval] // _MS_NS
    whole = np.asarray(weight).astype(np.int64)
    sums = sum_by_interval(whole, interval, len(total_ns)).astype(np.int64)[interval]
    return (total_ms * whole // np.maximum(sums, 1) * _MS_NS).astype(np.float64)


def scan_first(time_ns: Column, scan_ns: Column, weight: Column, interval: I64, split: Split = proportional) -> F64:
    """Split a controller's receive or transmit time: scans first, the rest by `weight` (packets or bytes).

    A row gets its scan time. If the scans of an interval are longer than the controller's time, it gets its share of that time.
    Source: AOSP BatteryStatsImpl.updateWifiState, updateBluetoothStateLocked.
    """
    time = np.asarray(time_ns, np.float64)
    scans = sum_by_interval(scan_ns, interval, len(time))
    scanning = np.where((scans > time)[interval], split(time, scan_ns, interval), scan_ns)
    left = np.maximum(time - sum_by_interval(scanning, interval, len(time)), 0.0)
    return scanning + split(left, weight, interval)
