"""A phone's networks over time: Wi-Fi at home and in some offices, mobile elsewhere with changing signal, sometimes none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, MINUTE_S
from world.people import HOUR_S, Person, daily
from world.spans import NO_SPANS, Bools, Floats, Ints, Spans, covers, difference, merged, union, where

NONE, WIFI, MOBILE = 0, 1, 2
NETWORKS = ("none", "wifi", "mobile")
_CELL_S = 30 * MINUTE_S


@dataclass(frozen=True, slots=True)
class Connections:
    """Segments between `edges_s` (n + 1): the network (n), and by what weak signal multiplies the mobile drain (n)."""

    edges_s: Floats
    network: Ints
    weakness: Floats

    def spans(self, network: int) -> Spans:
        """Return when the phone is on this network."""
        return where(self.edges_s, self.network == network)

    def segment(self, times_s: Floats) -> Ints:
        """Return the segment of each time."""
        last = len(self.network) - 1
        return np.clip(np.searchsorted(self.edges_s, times_s, side="right") - 1, 0, last).astype(np.int64)


def draw_connections(person: Person, days: int, rng: np.random.Generator) -> Connections:
    """Draw the networks of a phone that a person carries."""
    end_s = days * DAY_S
    away, office = _places(person, days, rng)
    none = _short_gaps(end_s, rng)
    if rng.random() < 0.1:
        none = union(none, person.asleep)
    cells = np.cumsum(rng.exponential(_CELL_S, int(1.5 * end_s / _CELL_S) + 20))
    layers = (away, office, none, person.outdoors)
    edges = np.unique(np.clip(np.concatenate([[0.0, end_s], np.round(cells, 3), *(one.ravel() for one in layers)]), 0.0, end_s))
    starts = edges[:-1]
    home_wifi = rng.random() < 0.9
    outdoors = covers(person.outdoors, starts)
    on_wifi: Bools = np.where(covers(away, starts), covers(office, starts), home_wifi) & ~outdoors
    network = np.where(covers(none, starts), NONE, np.where(on_wifi, WIFI, MOBILE)).astype(np.int64)
    cell = np.searchsorted(cells, starts, side="right")
    strength = rng.random(len(cells) + 1)[cell]
    return Connections(edges, network, np.where(outdoors, 1.5 + 1.5 * strength, 1.0 + strength))


def _places(person: Person, days: int, rng: np.random.Generator) -> tuple[Spans, Spans]:
    """Draw times away from home, and those of them on an office's Wi-Fi."""
    outings = rng.uniform(0.0, days * DAY_S, rng.poisson(0.7 * days))
    away = difference(merged(outings, outings + rng.uniform(1.0, 4.0, len(outings)) * HOUR_S, days * DAY_S), person.asleep)
    if rng.random() > 0.6:
        return away, NO_SPANS
    leave_h = rng.uniform(6.5, 9.5)
    work = daily(days, person.utc_offset_s, (leave_h - 0.3, leave_h + 0.3), (leave_h + 8.5, leave_h + 10.5), 5 / 7, rng)
    travel_s = rng.uniform(20.0, 50.0) * MINUTE_S
    office = merged(work[:, 0] + travel_s, work[:, 1] - travel_s) if rng.random() < 0.5 else NO_SPANS
    return union(away, work), office


def _short_gaps(end_s: float, rng: np.random.Generator) -> Spans:
    starts = rng.uniform(0.0, end_s, rng.poisson(0.5 * end_s / DAY_S))
    return merged(starts, starts + rng.uniform(5.0, 40.0, len(starts)) * MINUTE_S, end_s)
