"""Battery level and charging. The level is the integral of the rate while the phone is unplugged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.schema import I64, PPM
from navitas.fleet.simulate.catalog import F64, Bool
from navitas.fleet.simulate.clients import Clients
from navitas.fleet.simulate.course import Course

_CHARGE_PPM_S = 150.0
_EMPTY_PPM = 5_000.0


@dataclass(frozen=True, slots=True)
class BatteryLevels:
    """Levels (ppm) before rounding, and whether the phone is plugged in, at samples."""

    level_ppm: F64
    plugged: Bool

    def discharging(self) -> Bool:
        """Intervals with the phone unplugged at both ends."""
        both = np.zeros(self.plugged.shape, bool)
        both[:-1] = ~(self.plugged[:-1] | self.plugged[1:])
        return both


def battery_of(clients: Clients, course: Course, rate_ppm_s: F64, random: np.random.Generator, dirt: bool) -> BatteryLevels:
    """Discharge and charge, one sample after another.

    A phone is plugged in at night, after a low level at the last sample, or because it would be empty. Otherwise, the
    drain in an interval does not affect charging, so pairs that have a rate are not selected by it.
    """
    rows, size = rate_ppm_s.shape
    level, plugged = np.empty((rows, size)), np.zeros((rows, size), bool)
    level[0] = random.uniform(0.3, 1, size) * PPM
    draw = random.random((rows, size))
    night = (course.hour >= 22) | (course.hour < 6)
    nightly = random.random((rows, size)) < clients.nightly
    evening = (course.hour >= 22) & nightly & (draw < 0.6)
    drop = rate_ppm_s * course.seconds
    if dirt:  # Unseen charges between two samples of an unplugged phone.
        drop = drop - np.where(random.random((rows, size)) < 0.003, random.uniform(0, 0.2 * PPM, (rows, size)), 0)
    charge = _CHARGE_PPM_S * course.seconds
    for row in range(1, rows):
        k = int(course.active[row])
        above, was, u = level[row - 1, :k], plugged[row - 1, :k], draw[row, :k]
        full = above >= PPM
        leaves = u < np.where(night[row, :k] & (clients.nightly[:k] > 0.5), 0.03, np.where(full | (above > 0.8 * PPM), 0.6, 0.08))
        needs = (above < clients.low_ppm[:k]) & (u < 0.5)
        empty = above - drop[row - 1, :k] <= _EMPTY_PPM
        now = np.where(was, ~leaves, evening[row, :k] | needs | empty)
        first = course.switch[row - 1, :k]
        charging = np.where(was, np.where(now, 1.0, first), np.where(now, 1 - first, 0.0))
        after = above + charging * charge[row - 1, :k] - (1 - charging) * drop[row - 1, :k]
        level[row, :k] = np.clip(after, _EMPTY_PPM, PPM)
        plugged[row, :k] = now
    return BatteryLevels(level, plugged)


def reported_level(level_ppm: F64, step_ppm: I64) -> I64:
    """The level that a phone reports: rounded up to its step, as iOS does (paper 5, section 2.3)."""
    return np.asarray(np.minimum(np.ceil(level_ppm / step_ppm) * step_ppm, PPM).astype(np.int64))
