"""Effects of apps from a unit's sums, compared with statsmodels' regression over the same pairs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm

from navitas.fleet.regression.exposure import CLASSES
from navitas.fleet.regression.usage import COLUMNS, usage_of
from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.statistics import Moments, effects_of

_APPS = 5


def samples(seed: int, clients: int, *, counters: bool) -> list[dict[str, Any]]:
    """Clients that discharge in steps of 1 %, with apps that start and stop; app 0 drains the battery."""
    chance = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for client in range(clients):
        level, time_s, apps, screen, on_ms = 95.0, 1_772_000_000, set(range(_APPS)), False, 0
        for _ in range(int(chance.integers(60, 120))):
            known = {"screen_on_ms": on_ms, "brightness": float(chance.random()), "saver": bool(chance.random() < 0.1)}
            rows.append({
                "client": client, "time_s": time_s, "level_ppm": int(np.ceil(level)) * 10_000, "state": int(State.DISCHARGING),
                "screen": screen, "apps": sorted(apps), "network": ("wifi", "mobile", None)[int(chance.integers(3))],
                **(known if counters else {}),
            })  # fmt: skip
            gap_s = int(chance.integers(300, 3600))
            on_s = int(chance.integers(gap_s))
            level -= (gap_s * (2 + 3 * (0 in apps)) + 6 * on_s) / 3600 + chance.random() / 4
            time_s, screen, on_ms = time_s + gap_s, bool(chance.random() < 0.3), on_ms + 1000 * on_s
            apps = {app for app in range(_APPS) if chance.random() < (0.8 if app in apps else 0.3)}
            if level < 5:  # Charged; samples of that time are missing.
                level, time_s = 95.0, time_s + 9 * 3600
    return rows


def _mean(one: float, two: float) -> float:
    return (float(one) + float(two)) / 2


def pairs(rows: list[dict[str, Any]]) -> list[tuple[int, float, float, list[float], list[float]]]:
    """Client, seconds, drop, controls, and the share of ends with each app, of each pair."""
    found, before = [], 0.0
    for one, two in pairwise(rows):
        seconds, drop = two["time_s"] - one["time_s"], one["level_ppm"] - two["level_ppm"]
        if one["client"] == two["client"] and 0 < seconds <= 6 * 3600 and drop >= 0:
            hour = 2 * np.pi * (one["time_s"] + seconds / 2) / 86_400
            controls = [1.0, _mean(one["screen"], two["screen"])]
            controls += [_mean(one["network"] == name, two["network"] == name) for name in ("wifi", "mobile")]
            controls += [wave(harmonic * hour) for harmonic in (1 / 7, 1, 2, 3, 4) for wave in (np.sin, np.cos)]
            if "screen_on_ms" in one:
                on = (two["screen_on_ms"] - one["screen_on_ms"]) / 1000 / seconds
                after = float(np.float32(two["brightness"]))
                brightness = _mean(np.float32(one["brightness"]), after) if one["screen"] else after
                controls += [on, on * brightness, _mean(one["saver"], two["saver"]), before * min(600 / seconds, 1)]
                before = on
            share = [_mean(app in one["apps"], app in two["apps"]) for app in range(_APPS)]
            found.append((one["client"], seconds, drop, controls, share))
        else:
            before = 0.0
    return found


@pytest.mark.parametrize(("seed", "counters"), [(1, True), (2, False)])
def test_an_apps_effect_is_that_of_a_regression_over_pairs(seed: int, counters: bool) -> None:
    """Weighted by time, with controls by client and errors clustered by client."""
    rows = samples(seed, 12, counters=counters)
    empty = dict.fromkeys(SAMPLES.names)
    table = pa.Table.from_pylist([empty | row for row in rows], SAMPLES).select(COLUMNS)
    usage = usage_of(table, np.arange(_APPS, dtype=np.int32)).usage
    client, seconds, drop, controls, share = (np.array(column) for column in zip(*pairs(rows), strict=True))
    design = (np.eye(12)[client][:, :, None] * controls[:, None, :]).reshape(len(client), -1)
    for app in range(_APPS):
        own = usage.filter(pa.array(usage["app"].to_numpy() == app))
        s, w = own["s"].to_numpy().astype(float), sum(own[f"w{kind}"].to_numpy().astype(float) for kind in range(CLASSES))
        sums = [np.array([values]) for values in (len(s), w.sum(), s.sum(), (s * s).sum(), (s * w).sum(), (w * w).sum())]
        effect = effects_of(Moments(*sums))
        model = sm.WLS(drop / seconds, np.column_stack([share[:, app], design]), weights=seconds)
        fit = model.fit(cov_type="cluster", cov_kwds={"groups": client, "use_correction": False})
        assert effect.value[0] == pytest.approx(fit.params[0], rel=1e-6)
        assert effect.error[0] == pytest.approx(fit.bse[0] * np.sqrt(12 / 11), rel=1e-5)
    assert effects_of(Moments(*sums)).value[0] < 0.5 * 3 * 1e4 / 3600
