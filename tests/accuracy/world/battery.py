"""A battery's charge over time: it drains, people charge it, and battery saver comes on when it is low."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, MINUTE_S
from world.drains import PiecewiseRate
from world.people import HOUR_S, Person
from world.regimes import Regime
from world.spans import NO_SPANS, Bools, Floats, Ints, Spans, merged, union, where

DISCHARGING, CHARGING = 0, 1
_EMPTY = 1.0
_FOREVER = np.inf


@dataclass(frozen=True, slots=True)
class Phases:
    """Times in which a phone discharges or charges, with battery saver on or off: `edges_s` (n + 1), others (n).

    `level` is that at the start of each phase, in percent.
    """

    edges_s: Floats
    kind: Ints
    saver: Bools
    level: Floats
    percent_h: float

    def phase(self, times_s: Floats) -> Ints:
        """Return the phase of each time."""
        return np.clip(np.searchsorted(self.edges_s, times_s, side="right") - 1, 0, len(self.kind) - 1).astype(np.int64)

    def spans(self, kind: int, saver: bool | None = None) -> Spans:
        """Return when phases are of a kind, and with battery saver on or off if it is given."""
        fits = self.kind == kind
        return where(self.edges_s, fits if saver is None else fits & (self.saver == saver))

    def levels(self, times_s: Floats, rates: tuple[PiecewiseRate, PiecewiseRate]) -> Floats:
        """Return the true level at each time. `rates` are those without and with battery saver."""
        at = self.phase(times_s)
        start_s = self.edges_s[at]
        used = [rate.used(times_s) - rate.used(start_s) for rate in rates]
        drained = self.level[at] - np.where(self.saver[at], used[1], used[0])
        charged = np.minimum(self.level[at] + self.percent_h * (times_s - start_s) / HOUR_S, 100.0)
        return np.where(self.kind[at] == CHARGING, charged, drained)


@dataclass(frozen=True, slots=True)
class ChargingHabits:
    """How a person charges. `planned`: times at a charger. `saver_level`: battery saver comes on below it (0: never)."""

    planned: Spans
    manual_saver: Spans
    saver_level: float
    percent_h: float


def draw_habits(regime: Regime, person: Person, rng: np.random.Generator) -> ChargingHabits:
    """Draw when a person charges, whatever the level."""
    end_s = regime.days * DAY_S
    nights = person.asleep[rng.random(len(person.asleep)) < rng.uniform(0.5, 0.95)]
    begin = nights[:, 0] + rng.uniform(-20.0, 10.0, len(nights)) * MINUTE_S
    night = merged(begin, nights[:, 1] + rng.uniform(0.0, 20.0, len(nights)) * MINUTE_S, end_s)
    starts = rng.uniform(0.0, end_s, rng.poisson(rng.uniform(0.1, 0.8) * regime.days))
    day = merged(starts, starts + rng.uniform(15.0, 90.0, len(starts)) * MINUTE_S, end_s)
    manual = NO_SPANS
    if rng.random() < regime.manual_saver_share:
        starts = rng.uniform(0.0, end_s, rng.poisson(0.8 * regime.days))
        manual = merged(starts, starts + rng.uniform(1.0, 6.0, len(starts)) * HOUR_S, end_s)
    saver_level = float(rng.choice([15.0, 20.0])) if rng.random() < regime.saver_share else 0.0
    return ChargingHabits(union(night, day), manual, saver_level, float(rng.uniform(25.0, 70.0)))


def live(habits: ChargingHabits, rates: tuple[PiecewiseRate, PiecewiseRate], end_s: float, rng: np.random.Generator) -> Phases:
    """Drain and charge a battery until the end. `rates` are those without and with battery saver."""
    cumulated = [rate.used(rate.edges_s) for rate in rates]
    edges_s = rates[0].edges_s
    starts, kinds, savers, levels = [], [], [], []
    now_s, level, automatic = 0.0, float(rng.uniform(40.0, 100.0)), False
    low, plug_s = float(rng.uniform(6.0, 35.0)), _FOREVER
    while now_s < end_s:
        charge = _span_at(habits.planned, now_s)
        if charge is None and now_s >= plug_s:
            charge = (now_s, round(now_s + float(rng.uniform(30.0, 120.0)) * MINUTE_S, 3))
        if charge is None and level <= _EMPTY:
            charge = (now_s, round(now_s + float(rng.uniform(60.0, 180.0)) * MINUTE_S, 3))
        starts.append(now_s)
        levels.append(level)
        if charge is not None:
            kinds.append(CHARGING)
            savers.append(False)
            level = min(level + habits.percent_h * (charge[1] - now_s) / HOUR_S, 100.0)
            now_s, automatic = charge[1], False
            low, plug_s = float(rng.uniform(6.0, 35.0)), _FOREVER
            continue
        saver = automatic or _span_at(habits.manual_saver, now_s) is not None
        used = cumulated[saver]
        here = float(np.interp(now_s, edges_s, used))
        target = max(one for one in (low, habits.saver_level, _EMPTY) if one < level)
        reached_s = float(np.interp(here + level - target, used, edges_s))
        next_s = min(end_s, reached_s, plug_s, _next_edge(habits.planned, now_s), _next_edge(habits.manual_saver, now_s))
        kinds.append(DISCHARGING)
        savers.append(saver)
        level = target if next_s == reached_s else level - float(np.interp(next_s, edges_s, used)) + here
        now_s = next_s
        automatic = automatic or level <= habits.saver_level
        if level <= low and plug_s == _FOREVER:
            plug_s = now_s + float(rng.exponential(20.0)) * MINUTE_S
            low = -_FOREVER
    edges = np.append(starts, end_s)
    return Phases(edges, np.array(kinds), np.array(savers, bool), np.array(levels), habits.percent_h)


def _span_at(spans: Spans, time_s: float) -> tuple[float, float] | None:
    at = int(np.searchsorted(spans[:, 0], time_s, side="right")) - 1
    return (float(spans[at, 0]), float(spans[at, 1])) if at >= 0 and time_s < spans[at, 1] else None


def _next_edge(spans: Spans, time_s: float) -> float:
    edges = spans.ravel()
    at = int(np.searchsorted(edges, time_s, side="right"))
    return float(edges[at]) if at < len(edges) else _FOREVER
