"""Phones whose samples contradict themselves: levels that no battery can have had, or a clock that is set repeatedly."""

from __future__ import annotations

import numpy as np

from navitas.fleet.regression.memberships import first_samples, owners
from navitas.fleet.statistics import I64, Bool

_STEP_PPM = 100_000
"""The largest step of a reported level."""
_DRAIN_PPM_S = 1e6 / 3600
"""No phone drains its battery within an hour."""
_LEAST_LEVELS, _LEVELS = 3, 0.002
_LEAST_CLOCKS, _CLOCKS = 5, 0.05
"""Pairs that contradict themselves, and their share among the pairs of a phone, from which on none of its samples is trusted."""


def contradictory_clients(client: I64, discharging: Bool, seconds: I64, drop_ppm: I64, clock_set: Bool) -> Bool:
    """Whether the samples of each pair's client contradict themselves. The columns are those of pairs, in order of clients.

    `discharging` marks pairs of a client, with the battery discharging at both ends and without a restart, and `clock_set`
    those between which the clock was set. A battery can be charged between two samples, so a level that rises is no
    contradiction.
    """
    if not len(client):
        return np.zeros(0, bool)
    steady = discharging & ~clock_set
    too_fast = drop_ppm > _STEP_PPM + _DRAIN_PPM_S * seconds
    levels = _are_many(client, steady & too_fast, steady, _LEAST_LEVELS, _LEVELS)
    return levels | _are_many(client, discharging & clock_set, discharging, _LEAST_CLOCKS, _CLOCKS)


def _are_many(client: I64, marked: Bool, among: Bool, least: int, share: float) -> Bool:
    first = first_samples(client)
    count, size = (np.add.reduceat(which, first, dtype=np.int64) for which in (marked, among))
    return np.asarray((count >= least) & (count >= share * size))[owners(client)]
