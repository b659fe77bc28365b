"""Effects of apps from a store, compared with statsmodels' regression over its pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.hogs import Hogs, find_hogs
from navitas.fleet.schema import SAMPLES, State, bucket_of, month_of
from navitas.fleet.stages import MIN_SECONDS, bring_up_to_date
from navitas.fleet.store import Store, Unit

_APPS = 5


def samples(seed: int, clients: int) -> pa.Table:
    """Clients that discharge in steps of 1 %, with apps that start and stop; app 0 drains the battery."""
    chance = np.random.default_rng(seed)
    rows = []
    for client in range(clients):
        level, time_s, apps, screen = 95.0, 1_772_000_000, set(range(_APPS)), False
        for _ in range(int(chance.integers(30, 90))):
            rows.append({
                "client": client, "time_s": time_s, "level_ppm": int(np.ceil(level)) * 10_000, "state": int(State.DISCHARGING),
                "screen": screen, "apps": sorted(apps),
            })  # fmt: skip
            gap_s = int(chance.integers(300, 3600))
            level -= gap_s / 3600 * (2 + 3 * (0 in apps) + 2 * screen + chance.random())
            time_s, screen = time_s + gap_s, bool(chance.random() < 0.3)
            apps = {app for app in range(_APPS) if chance.random() < (0.8 if app in apps else 0.3)}
            if level < 5:  # Charged; samples of that time are missing.
                level, time_s = 95.0, time_s + 9 * 3600
    return pa.Table.from_pylist(rows, SAMPLES)


def found(table: pa.Table, path: Path) -> Hogs:
    store = Store.create(path, buckets=2, salt="s")
    store.write_packages(pa.table({"id": range(_APPS), "app": [f"a{i}" for i in range(_APPS)], "version": [""] * _APPS}))
    bucket, month = bucket_of(table["client"].to_numpy(), 2), month_of(table["time_s"].to_numpy())
    for unit in sorted({Unit(*one) for one in zip(bucket.tolist(), month.tolist(), strict=True)}):
        store.write_part(unit, "1", table.filter(pa.array((bucket == unit.bucket) & (month == unit.month))))
    return find_hogs(bring_up_to_date(store, DuckDbEngine(store.work / "spill", threads=1)))


def pairs(table: pa.Table) -> list[tuple[int, int, int, int, set[int], set[int]]]:
    """Client, screen, seconds, drop, and the apps at both ends of each pair."""
    observed = []
    for one, two in zip(table.to_pylist()[:-1], table.to_pylist()[1:], strict=True):
        seconds, drop = two["time_s"] - one["time_s"], one["level_ppm"] - two["level_ppm"]
        if one["client"] == two["client"] and 0 < seconds <= 6 * 3600 and drop >= 0:
            observed.append((one["client"], one["screen"] + two["screen"], seconds, drop, set(one["apps"]), set(two["apps"])))
    return observed


def regression(observed: list[tuple[int, int, int, int, set[int], set[int]]], app: int) -> tuple[float, float, int]:
    """Regress rates on the app at both ends, with an intercept per client and screen, time weights, and errors by client."""
    kept = [
        (c, s, seconds, drop, app in first) for c, s, seconds, drop, first, last in observed if (app in first) == (app in last)
    ]
    client, screen, seconds, drop, ran = (np.array(column) for column in zip(*kept, strict=True))
    stratum = client * 3 + screen
    time_with, time_without = (np.bincount(stratum, seconds * side) for side in (ran, ~ran))
    row = (np.minimum(time_with, time_without) >= MIN_SECONDS)[stratum]
    place = np.unique(stratum[row], return_inverse=True)[1]
    design = np.column_stack([ran[row], np.eye(place.max() + 1)[place]]).astype(float)
    cov = {"groups": client[row], "use_correction": False}
    fit = sm.WLS(drop[row] / seconds[row], design, weights=seconds[row]).fit(cov_type="cluster", cov_kwds=cov)
    groups = len(np.unique(client[row]))
    return float(fit.params[0]), float(fit.bse[0] * np.sqrt(groups / (groups - 1))), groups


@pytest.mark.parametrize("seed", [1, 2])
def test_an_apps_effect_is_that_of_a_regression_over_pairs(seed: int, tmp_path: Path) -> None:
    """The weighted regression with clustered standard errors gives the same effect as the sums."""
    table = samples(seed, 14)
    hogs, observed = found(table, tmp_path / "store"), pairs(table)
    assert hogs.app.tolist() == list(range(_APPS))
    for app in range(_APPS):
        value, error, clients = regression(observed, app)
        assert hogs.contrasted[app] == clients
        assert hogs.effect.value[app] == pytest.approx(value, rel=1e-6)
        assert hogs.effect.error[app] == pytest.approx(error, rel=1e-6)
    assert np.flatnonzero(hogs.is_hog).tolist() == [0]
    assert hogs.effect.value[0] / 2.78 == pytest.approx(3, abs=1)
