"""What drains a phone's battery: rates in percent of a full battery per hour, constant between edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, MINUTE_S
from world.networks import MOBILE, WIFI, Connections
from world.people import HOUR_S, Person, daily
from world.regimes import Regime
from world.spans import NO_SPANS, Floats, Spans, covers, where
from world.streams import bounded_pareto, bounded_pareto_mean, log_uniform

YEAR_S = 365.0 * DAY_S
_SHORTEST_BURST_S, _LONGEST_RATIO, _LENGTH_EXPONENT = 2 * MINUTE_S, 100.0, 1.2
_SIZE_RATIO, _SIZE_EXPONENT = 20.0, 1.5
_DARK_SHARE = 0.35
"""The drain of a screen at brightness 0, as a share of that at 1."""
_OFF_SHARE = 0.05
"""The drain of a phone that is off, as a share of its idle drain."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A phone's own drains in percent per hour. `upgraded` multiplies the idle drain after the OS upgrade.

    `ageing` is the share of the capacity that is lost in a year. `saver_idle` and `saver_screen` are factors of battery saver.
    """

    idle: float
    screen: float
    mobile: float
    wifi: float
    evening: float
    upgraded: float
    ageing: float
    saver_idle: float
    saver_screen: float


def draw_hardware(regime: Regime, rng: np.random.Generator) -> Hardware:
    """Draw one phone's drains."""
    return Hardware(
        idle=log_uniform(rng, 0.4, 1.5),
        screen=log_uniform(rng, 5.0, 15.0),
        mobile=rng.uniform(0.3, 1.5),
        wifi=rng.uniform(0.1, 0.3),
        evening=rng.uniform(1.0, 3.0) if rng.random() < regime.evening_share else 0.0,
        upgraded=rng.uniform(*regime.upgraded),
        ageing=rng.uniform(0.0, 2 * regime.ageing_per_year),
        saver_idle=rng.uniform(0.6, 0.8),
        saver_screen=rng.uniform(0.75, 0.9),
    )


@dataclass(frozen=True, slots=True)
class PiecewiseRate:
    """A rate in percent per hour that is constant between edges: shapes (n + 1,) and (n,)."""

    edges_s: Floats
    percent_h: Floats

    def used(self, times_s: Floats) -> Floats:
        """Return the percent that are used before each time."""
        cumulated = np.concatenate([[0.0], np.cumsum(np.diff(self.edges_s) * self.percent_h / HOUR_S)])
        return np.asarray(np.interp(times_s, self.edges_s, cumulated), np.float64)


@dataclass(frozen=True, slots=True)
class AppDrain:
    """An app's extra drain while it runs, within the times in which its version or its bug drains."""

    app: int
    percent_h: float
    when: Spans


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens around a phone. `off`: when it is off; `evenings`: when something drains that no sample shows."""

    person: Person
    connections: Connections
    off: Spans
    evenings: Spans
    bursts: Spans
    burst_percent_h: Floats
    upgrade_s: float


def draw_evenings(hardware: Hardware, person: Person, days: int, rng: np.random.Generator) -> Spans:
    """Draw when a phone has the evening drain."""
    spans = daily(days, person.utc_offset_s, (19.0, 20.5), (21.5, 23.0), 0.6, rng)
    return spans if hardware.evening else NO_SPANS


def draw_bursts(regime: Regime, typical_percent_h: float, rng: np.random.Generator) -> tuple[Spans, Floats]:
    """Draw bursts, which may overlap, and their rates: both lengths and sizes have heavy tails."""
    count = rng.poisson(regime.bursts_per_day * regime.days)
    starts = rng.uniform(0.0, regime.days * DAY_S, count)
    lengths_s = _SHORTEST_BURST_S * bounded_pareto(rng, count, _LENGTH_EXPONENT, _LONGEST_RATIO)
    sizes = bounded_pareto(rng, count, _SIZE_EXPONENT, _SIZE_RATIO)
    mean_h = _SHORTEST_BURST_S / HOUR_S * bounded_pareto_mean(_LENGTH_EXPONENT, _LONGEST_RATIO)
    per_day = typical_percent_h * 24.0 * regime.burst_share / (1.0 - regime.burst_share)
    unit = per_day / (regime.bursts_per_day * mean_h * bounded_pareto_mean(_SIZE_EXPONENT, _SIZE_RATIO))
    return np.asarray(np.round(np.column_stack([starts, starts + lengths_s]), 3), np.float64), unit * sizes


def phone_rates(hardware: Hardware, scene: Scene, edges_s: Floats, saver: bool) -> Floats:
    """Return the drain between edges without apps and without ageing, with battery saver on or off."""
    starts = edges_s[:-1]
    person = scene.person
    brightness = np.zeros(len(starts))
    if len(person.lit):
        at = np.clip(np.searchsorted(person.lit[:, 0], starts, side="right") - 1, 0, None)
        brightness = person.brightness[at]
    lit = covers(person.lit, starts)
    screen = hardware.screen * (_DARK_SHARE + (1.0 - _DARK_SHARE) * brightness) * lit
    network = scene.connections.network[scene.connections.segment(starts)]
    weakness = scene.connections.weakness[scene.connections.segment(starts)]
    radio = np.where(network == MOBILE, hardware.mobile * weakness, np.where(network == WIFI, hardware.wifi, 0.0))
    on = ~covers(scene.off, starts)
    idle = hardware.idle * np.where(starts >= scene.upgrade_s, hardware.upgraded, 1.0) * np.where(on, 1.0, _OFF_SHARE)
    other = hardware.evening * covers(scene.evenings, starts) + _bursts(scene, edges_s)
    factors = (hardware.saver_idle, hardware.saver_screen) if saver else (1.0, 1.0)
    return np.asarray(idle * factors[0] + on * (screen * factors[1] + radio + other))


def aged(hardware: Hardware, edges_s: Floats) -> Floats:
    """Return by what ageing multiplies all drains between edges, because the battery holds less."""
    middle = (edges_s[1:] + edges_s[:-1]) / 2
    return np.asarray(1.0 / (1.0 - hardware.ageing * middle / YEAR_S))


def app_rates(drains: list[AppDrain], runs: dict[int, Spans], edges_s: Floats) -> Floats:
    """Return what apps add between edges."""
    total = np.zeros(len(edges_s) - 1)
    for drain in drains:
        total += drain.percent_h * (covers(runs[drain.app], edges_s[:-1]) & covers(drain.when, edges_s[:-1]))
    return total


def _bursts(scene: Scene, edges_s: Floats) -> Floats:
    change = np.zeros(len(edges_s) + 1)
    low, high = (np.searchsorted(edges_s, np.minimum(scene.bursts[:, end], edges_s[-1])) for end in (0, 1))
    np.add.at(change, low, scene.burst_percent_h)
    np.add.at(change, high, -scene.burst_percent_h)
    return np.maximum(np.cumsum(change)[: len(edges_s) - 1], 0.0)


def on_mobile(connections: Connections) -> Spans:
    """Return when a phone is on a mobile network."""
    return where(connections.edges_s, connections.network == MOBILE)
