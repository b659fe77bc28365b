"""A small fleet with all that samples can have: versions, counters, and samples at level changes, by a timer, or both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.statistics import F64
from navitas.fleet.store import Store
from support.level_fleet import START_S, alternating, stored_fleet

_DAYS, _TIMER_MIN = 9, 20
_DRAINS = (4.0, 0.0, 2.0, 0.0, 0.0, 3.0)
"""Drains of the apps in %/h. The third one drains from its second version on."""


def mixed_samples(clients: int, seed: int = 11) -> pa.Table:
    """The samples. App *a* has the packages 3 *a* and 3 *a* + 1 with a version, and 3 *a* + 2 without one, as in counters."""
    chances = (np.random.default_rng([seed, client]) for client in range(clients))
    return pa.concat_tables(_of_client(client, chance) for client, chance in enumerate(chances))


def mixed_fleet(path: Path, clients: int) -> Store:
    """A store with these samples."""
    store = stored_fleet(path, mixed_samples(clients), 3 * len(_DRAINS))
    apps = range(len(_DRAINS))
    packages = {
        "id": range(3 * len(apps)),
        "app": [f"a{app}" for app in apps for _ in range(3)],
        "version": ["1", "2", ""] * len(apps),
    }
    store.write_packages(pa.table(packages))
    return store


def _of_client(client: int, chance: np.random.Generator) -> pa.Table:
    size = _DAYS * 1440
    screen = alternating(chance, size, 8, 50)
    apps = np.stack([alternating(chance, size, 25 + 15 * app, 150) for app in range(len(_DRAINS))])
    shown = apps[0] & screen
    updated = chance.integers(0, size, len(_DRAINS))
    version = np.arange(size) >= updated[:, None]
    drain = np.array(_DRAINS)[:, None] * apps
    drain[2] *= version[2]
    brightness, saver = np.where(np.arange(size) % 1440 < 700, 0.4, 0.9), alternating(chance, size, 200, 900)
    wifi = alternating(chance, size, 240, 240)
    total = np.cumsum(chance.uniform(1, 2) + 9 * screen * (0.5 + brightness) + drain.sum(axis=0) - 0.3 * saver) / 60
    at_levels, at_timer = np.flatnonzero(np.diff(np.floor(total)) > 0) + 1, np.arange(0, size, _TIMER_MIN)
    row = (np.union1d(at_levels, at_timer + chance.integers(0, 9, len(at_timer))), at_levels, at_timer)[client % 3]
    row = row[row < size]
    columns: dict[str, object] = {
        "client": np.full(len(row), client),
        "time_s": START_S + 60 * row,
        "level_ppm": (100 - np.floor(total[row]) % 80) * 10_000,
        "state": np.where(chance.random(len(row)) < 0.01, State.CHARGING, State.DISCHARGING),
        "screen": _known(screen[row], chance, 0.05),
        "network": np.where(wifi[row], "wifi", np.where(apps[3][row], "mobile", "none")),
        "model": [f"M{client % 2}"] * len(row),
        "os": [f"{10 + client % 3}"] * len(row),
        "uptime_s": 60 * row + 100,
        "apps": [
            (3 * np.flatnonzero(on) + late[on]).tolist() for on, late in zip(apps[:, row].T, version[:, row].T, strict=True)
        ],
    }
    if client % 5:
        columns["screen_on_ms"] = _known(_total_ms(screen, row), chance, 0.1)
        columns["mobile_ms"] = _total_ms(apps[3] & ~wifi, row)
    if client % 4 < 2:
        columns |= {"brightness": brightness[row], "saver": _known(saver[row], chance, 0.1)}
    if client % 4 == 1:
        columns["running_apps"] = [[3 * app + 2 for app in range(len(_DRAINS))] if chance.random() < 0.95 else None for _ in row]
        columns["running_ms"] = _lists(columns["running_apps"], np.stack([_total_ms(of, row) for of in apps]))
    if client % 4 > 1:
        columns["foreground_apps"] = [[2] if chance.random() < 0.95 else None for _ in row]
        columns["foreground_ms"] = _lists(columns["foreground_apps"], _total_ms(shown, row)[None])
    return pa.table(
        [pa.array(columns[of.name]).cast(of.type) if of.name in columns else pa.nulls(len(row), of.type) for of in SAMPLES],
        schema=SAMPLES,
    )


def _total_ms(state: F64, row: F64) -> F64:
    return np.cumsum(state)[row] * 60_000


def _known(values: F64, chance: np.random.Generator, unknown: float) -> pa.Array:
    return pa.array(values, mask=chance.random(len(values)) < unknown)


def _lists(apps: object, values: F64) -> list[list[int] | None]:
    return [None if of is None else row for of, row in zip(apps, values.T.tolist(), strict=True)]
