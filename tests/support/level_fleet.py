"""Phones that are sampled at each change of their level, with apps that run at random and drain nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from navitas.fleet.schema import SAMPLES, State, bucket_of, month_of
from navitas.fleet.statistics import F64, Bool
from navitas.fleet.store import Store, Unit

START_S = 1_772_323_200
"""The first day of a month, so that a client's samples lie in one unit."""
_MINUTES = 24 * 60


def alternating(chance: np.random.Generator, minutes: int, on: float, off: float) -> Bool:
    """A state at each minute, with exponential times on and off."""
    lengths = np.empty(2 * (int(minutes / (on + off) * 2) + 20))
    lengths[0::2], lengths[1::2] = chance.exponential(on, len(lengths) // 2), chance.exponential(off, len(lengths) // 2)
    starts_on = bool(chance.random() < on / (on + off))
    ends = np.cumsum(lengths[0 if starts_on else 1 :])
    switches = np.bincount(ends[ends < minutes].astype(int), minlength=minutes)
    return np.asarray((np.cumsum(switches) + (not starts_on)) % 2 == 0)


def level_samples(seed: int, clients: int, days: int, runs: list[tuple[float, float, float]], *, exact: bool = False) -> pa.Table:
    """Samples at each percent. Each app runs for times with means on and off (minutes), and drains %/h while it runs.

    If `exact`, samples have the total running time of each app.
    """
    tables = []
    for client in range(clients):
        chance = np.random.default_rng([seed, client])
        size = days * _MINUTES
        screen = alternating(chance, size, 6, 40) & ((np.arange(size) // 60 % 24) >= 8)
        apps = np.stack([alternating(chance, size, on, off) for on, off, _ in runs])
        drain = chance.uniform(0.5, 1.5) + chance.uniform(6, 14) * screen + 4.0 * alternating(chance, size, 30, 300)
        drain = drain + (np.array([extra for *_, extra in runs])[:, None] * apps).sum(axis=0)
        tables.append(_sampled(client, drain / 60, screen, apps, exact=exact))
    return pa.concat_tables(tables)


def _sampled(client: int, drop: F64, screen: Bool, apps: Bool, *, exact: bool) -> pa.Table:
    """Samples at the crossings of each percent. A phone is charged at 20 %, in no time."""
    whole = np.cumsum(drop)
    percent = np.floor(whole)
    row = np.flatnonzero(np.diff(percent) > 0) + 1
    moment = row + 1 - (whole[row] - percent[row]) / drop[row]
    lit = np.append(0.0, np.cumsum(screen))
    lists = [np.flatnonzero(state).tolist() for state in apps[:, row].T]
    columns = {
        "client": np.full(len(row), client),
        "time_s": np.rint(START_S + 60 * moment).astype(np.int64),
        "level_ppm": ((100 - percent[row] % 80) * 10_000).astype(np.int32),
        "state": np.full(len(row), int(State.DISCHARGING), np.int8),
        "screen": screen[row],
        "apps": lists,
        "screen_on_ms": np.rint(60_000 * np.interp(moment, np.arange(len(lit)), lit)).astype(np.int64),
    }
    if exact:
        total = np.concatenate([np.zeros((len(apps), 1)), np.cumsum(apps, axis=1)], axis=1)
        ran = [np.interp(moment, np.arange(len(lit)), one) for one in total]
        columns["running_apps"] = [list(range(len(apps)))] * len(row)
        columns["running_ms"] = np.rint(60_000 * np.array(ran)).astype(np.int64).T.tolist()
    arrays = [
        pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(len(row), field.type)
        for field in SAMPLES
    ]
    return pa.table(arrays, schema=SAMPLES)


def stored_fleet(path: Path, table: pa.Table, apps: int, buckets: int = 2) -> Store:
    """A store with these samples, and packages of one version."""
    store = Store.create(path, buckets=buckets, salt="s")
    store.write_packages(pa.table({"id": range(apps), "app": [f"a{i}" for i in range(apps)], "version": [""] * apps}))
    bucket, month = bucket_of(table["client"].to_numpy(), buckets), month_of(table["time_s"].to_numpy()).astype(str)
    for unit in sorted({Unit(*one) for one in zip(bucket.tolist(), month.tolist(), strict=True)}):
        store.write_part(unit, "1", table.filter(pa.array((bucket == unit.bucket) & (month == unit.month))))
    return store
