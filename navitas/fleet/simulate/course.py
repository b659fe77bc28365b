"""Times of samples, and the phones' states except apps and battery. Arrays have the shape (samples, clients)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import PPM
from navitas.fleet.simulate.catalog import DAY_S, FleetModel
from navitas.fleet.simulate.clients import Clients
from navitas.fleet.statistics import F64, I64, Bool

T = TypeVar("T", bound=np.generic)
Real = TypeVar("Real", np.float32, np.float64)

NONE, WIFI, MOBILE = 0, 1, 2
"""Indices into `schema.NETWORKS`."""
NETWORK_PPM_S = np.array([0.0, 0.7, 2.2])
"""Drain of a connection, by network."""
_RATE_MEMORY_S, _RATE_SPREAD = 3 * 3600, 0.35
_SCREEN_MEMORY_S, _NETWORK_MEMORY_S = 15 * 60, 3 * 3600
_LONG_GAP, _REBOOT = 0.006, 0.003
_NIGHT_IDLE = 0.7
"""Idle drain at night, relative to the day, while the phone is not used."""
_CHARGE_PPM_S = 150.0
_EMPTY_PPM = 5_000.0


@dataclass(frozen=True, slots=True)
class Course:
    """States at samples, and of the interval after each sample (0 s after the last).

    The first `active[i]` clients have an i-th sample. Between two samples, a phone keeps the state of the first for the fraction
    `switch` of the interval. Then it has the state of the second. `lit` is the fraction with the
    screen on, `rate_ppm_s` the drain without apps.
    """

    active: I64
    time_s: I64
    seconds: F64
    hour: F64
    switch: F64
    screen: Bool
    network: NDArray[np.int8]
    uptime_s: I64
    lit: F64
    rate_ppm_s: F64


def between(switch: NDArray[Real], state: NDArray[Real]) -> NDArray[Real]:
    """The mean of a state over the interval after each sample."""
    mean = np.zeros_like(state)
    np.subtract(state[:-1], state[1:], out=mean[:-1])
    mean[:-1] *= switch[:-1]
    mean[:-1] += state[1:]
    return mean


def course_of(model: FleetModel, clients: Clients, random: np.random.Generator, late_s: int) -> Course:
    """Draw the courses. Clients join `late_s` later than in the first period."""
    rows, size = int(clients.samples.max()), len(clients.samples)
    shape = (rows, size)
    sampled = np.arange(rows)[:, None] < clients.samples
    gap = model.gap_s * np.exp(model.gap_spread * random.standard_normal(shape))
    long = random.random(shape) < _LONG_GAP
    gap = np.where(long, random.uniform(2 * 3600, 14 * 3600, shape), gap)
    gap = np.maximum(np.rint(gap), 1.0)
    time_s = (clients.joined_s + late_s + np.cumsum(gap, axis=0) - gap).astype(np.int64)
    seconds = np.where(np.arange(1, rows + 1)[:, None] < clients.samples, gap, 0.0)
    hour = (time_s + clients.zone_s) % DAY_S / 3600
    screen = _screen(clients, gap, hour, random)
    network = _network(clients, gap, random)
    switch = random.random(shape)
    lit = _lit(model, switch, screen, random)
    return Course(
        active=np.count_nonzero(sampled, axis=1),
        time_s=time_s,
        seconds=seconds,
        hour=hour,
        switch=switch,
        screen=screen,
        network=network,
        uptime_s=_uptime(time_s, long, random),
        lit=lit,
        rate_ppm_s=_rate(clients, (gap, hour, switch, screen, network), lit, random),
    )


def _screen(clients: Clients, gap: F64, hour: F64, random: np.random.Generator) -> Bool:
    """The screen's state, with a chance by hour and client, drawn again after some minutes."""
    evening = 0.30 + 0.12 * np.cos((hour - 20) * np.pi / 12)
    chance = np.where(awake(hour), evening, 0.03)
    chance = 1 / (1 + (1 / chance - 1) * np.exp(-0.5 * clients.use))
    return _renewed(random.random(gap.shape) < chance, np.exp(-gap / _SCREEN_MEMORY_S), random)


def awake(hour: F64) -> Bool:
    """The hours of the client's day in which the phone may be in use."""
    return np.asarray((hour >= 7) & (hour < 23))


def _network(clients: Clients, gap: F64, random: np.random.Generator) -> NDArray[np.int8]:
    draw = random.random(gap.shape)
    fresh = np.where(draw < 0.05, NONE, np.where(draw < 0.05 + 0.95 * clients.wifi, WIFI, MOBILE)).astype(np.int8)
    return _renewed(fresh, np.exp(-gap / _NETWORK_MEMORY_S), random)


def _renewed(fresh: NDArray[T], keep: F64, random: np.random.Generator) -> NDArray[T]:
    """Keep the previous row with the probability `keep` for the gap between the rows, otherwise take the fresh row."""
    renewed = random.random(fresh.shape) >= np.vstack([np.zeros_like(keep[:1]), keep[:-1]])
    last = np.maximum.accumulate(np.where(renewed, np.arange(len(fresh))[:, None], 0), axis=0)
    return np.take_along_axis(fresh, last, 0)


def _uptime(time_s: I64, long: Bool, random: np.random.Generator) -> I64:
    """Seconds since the last restart. Many long gaps contain a restart."""
    chance = np.full(time_s.shape, _REBOOT)
    chance[1:][long[:-1]] = 0.5
    rebooted = random.random(time_s.shape) < chance
    since = (random.random(time_s.shape) * 600).astype(np.int64)
    since[1:] = np.minimum(since[1:], np.diff(time_s, axis=0) - 1)
    started = np.where(rebooted, time_s - since, time_s[0] - random.integers(600, 20 * DAY_S, time_s.shape[1]))
    return np.asarray(time_s - np.maximum.accumulate(started, axis=0))


def _lit(model: FleetModel, switch: F64, screen: Bool, random: np.random.Generator) -> F64:
    """The fraction of each interval with the screen on."""
    used = used_between(screen)
    lit = random.random(switch.shape)
    lit *= np.where(used, 1.0, 0.06)
    observed = between(switch, screen.astype(np.float64))
    return np.where(used, (1 - model.hidden_use) * lit + model.hidden_use * observed, lit)


def used_between(screen: Bool) -> Bool:
    """Whether the screen is on at either end of each interval."""
    used = screen.copy()
    used[:-1] |= screen[1:]
    return used


def _rate(clients: Clients, states: tuple[F64, F64, F64, Bool, NDArray[np.int8]], lit: F64, random: np.random.Generator) -> F64:
    """The mean rate of each interval: idle · client · slow variation · night + screen + network."""
    gap, hour, switch, screen, network = states
    idle = clients.idle_ppm_s * np.exp(_slow(gap, random) - _RATE_SPREAD**2 / 2)
    idle *= np.where(used_between(screen) | awake(hour), 1.0, _NIGHT_IDLE)
    return np.asarray(idle + clients.screen_ppm_s * lit + between(switch, NETWORK_PPM_S[network]))


def _slow(gap: F64, random: np.random.Generator) -> F64:
    """A normal first-order autoregression in time, with a memory of some hours."""
    value = random.standard_normal(gap.shape)
    keep = np.exp(-gap / _RATE_MEMORY_S)
    fresh = np.sqrt(1 - keep**2)
    for row in range(1, len(value)):
        value[row] = keep[row - 1] * value[row - 1] + fresh[row - 1] * value[row]
    return np.asarray(_RATE_SPREAD * value)


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
