"""Readings of the power statistics' text as tables: rails, and consumers with their users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.parse.energy_consumers import EnergyConsumers
from navitas.parse.rail_readings import RailReadings, SkippedReadings, alike
from navitas.power_statistics import parse_power_statistics


def parse_statistics(
    t_ns: Sequence[int], texts: Sequence[str]
) -> tuple[RailReadings | None, EnergyConsumers | None, SkippedReadings]:
    """Return rails, consumers (without types), and the numbers of skipped readings."""
    found = [parse_power_statistics(text) for text in texts]
    names = [(tuple(one.meters), tuple(one.consumers)) for one in found]
    good, skipped = alike([each if any(each) else None for each in names], texts)
    if not good:
        return None, None, skipped
    rails, consumers = names[good[0]]
    times = np.maximum.accumulate(np.array([t_ns[i] for i in good], np.int64))
    rows = [
        (int(times[row]), place, uid, energy_j)
        for row, i in enumerate(good)
        for place, name in enumerate(consumers)
        for uid, energy_j in found[i].by_uid.get(name, {}).items()
    ]
    users = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3)
    table = EnergyConsumers(
        consumers,
        ("",) * len(consumers),
        times,
        np.array([list(found[i].consumers.values()) for i in good], np.float64),
        uid_consumer=users[:, 1],
        uid=users[:, 2],
        uid_t_ns=users[:, 0],
        uid_energy_j=np.array([row[3] for row in rows], np.float64),
    )
    energy_j = np.array([list(found[i].meters.values()) for i in good], np.float64)
    return RailReadings(rails, times, energy_j) if rails else None, table if consumers else None, skipped
