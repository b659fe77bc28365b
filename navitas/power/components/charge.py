"""Charge from currents and times: the arithmetic of all components.

Currents are in mA, times in ns, charges in coulombs (C). Joules are coulombs times the voltage of the power model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Column = NDArray[Any]

MAH_C = 3.6
_MA_NS_C = 1e-12


def charge_c(current_ma: float | F64, duration_ns: Column | float) -> F64:
    """Return current × time, element by element (AOSP: UsageBasedPowerEstimator.calculatePower)."""
    charges: F64 = np.asarray(duration_ns, np.float64) * current_ma * _MA_NS_C
    return charges


def weighted_charge_c(currents_ma: tuple[float, ...], duration_ns: Column) -> F64:
    """Return Σ current × time over the last axis of `duration_ns`, one column for each current.

    Columns beyond the last current have the last current (AOSP: PowerProfile.getAveragePower with a level).
    """
    columns = np.asarray(duration_ns, np.float64)
    if not currents_ma:
        return np.zeros(columns.shape[:-1])
    last = len(currents_ma) - 1
    charges: F64 = columns @ np.array([currents_ma[min(k, last)] for k in range(columns.shape[-1])]) * _MA_NS_C
    return charges


def reported_charge_c(energy_j: Column, voltage_mv: float) -> F64:
    """Return the charge of the energy that a radio controller reports, or 0 if the profile has no voltage for it.

    AOSP: BatteryStatsImpl divides the controller's µJ by `*.controller.voltage`.
    """
    energy = np.asarray(energy_j, np.float64)
    return energy * 1e3 / voltage_mv if voltage_mv > 0 else np.zeros_like(energy)


def rail_charge_c(energy_j: Column, voltage_v: float) -> F64:
    """Return the charge of a rail from its energy at the battery's voltage (AOSP: PowerStatsCollector.uJtoUc)."""
    return np.asarray(energy_j, np.float64) / voltage_v


def ratio(dividend: Column, divisor: Column, otherwise: float = 0.0) -> F64:
    """Divide element by element. If a divisor is not positive, the result is `otherwise`."""
    top, bottom = np.broadcast_arrays(np.asarray(dividend, np.float64), np.asarray(divisor, np.float64))
    quotient: F64 = np.divide(top, bottom, out=np.full(top.shape, otherwise), where=bottom > 0)
    return quotient
