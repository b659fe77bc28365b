"""Drains of an app by week and condition in a fleet with one bad gauge: that phone hardly counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from support.level_fleet import START_S, stored_fleet
from support.open_fleet import fleet_of

from navitas.fleet.diagnoses.app_drains import drains_of
from navitas.fleet.diagnoses.conditions import strata_by_app
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import Hogs, find_hogs
from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.stages import Fleet

CLIENTS, HOURS = 7, 14 * 24
BAD = CLIENTS - 1


def samples() -> pa.Table:
    """Hourly samples from a Monday on. An app drains 1 %/h. One gauge is twenty times less exact than others."""
    rows = []
    for client in range(CLIENTS):
        chance = np.random.default_rng(client)
        runs, is_mobile = (np.repeat(chance.random(HOURS // 3) < 0.5, 3) for _ in range(2))
        level = 90.0
        for hour in range(HOURS):
            level -= 6 + chance.normal(0, 2.0 if client == BAD else 0.1) + runs[max(hour - 1, 0) : hour + 1].mean()
            level = 90.0 if level < 15 else level
            row = dict.fromkeys(SAMPLES.names) | {"client": client, "time_s": START_S + 3600 * (24 + hour), "screen": False}
            row |= {"level_ppm": round(level * 10_000), "state": int(State.DISCHARGING)}
            row |= {"network": "mobile" if is_mobile[hour] else "wifi", "apps": [0, 1] if runs[hour] else [1]}
            rows.append(row)
    return pa.Table.from_pylist(rows, SAMPLES)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Fleet, Hogs, Hogs]:
    """The fleet, its hogs, and the same hogs with a weight of 1 for each client."""
    fleet = fleet_of(stored_fleet(tmp_path_factory.mktemp("fleet") / "store", samples(), 2, 1))
    hogs = find_hogs(fleet)
    alike = replace(hogs.alone, weights=replace(hogs.alone.weights, weight=np.ones(CLIENTS)))
    return fleet, hogs, replace(hogs, alone=alike)


def test_a_bad_gauge_hardly_widens_intervals_of_weeks_and_conditions(found: tuple[Fleet, Hogs, Hogs]) -> None:
    fleet, *both = found
    bugs = find_bugs(fleet, both[0])
    drains = [drains_of(fleet, hogs, bugs, 0) for hogs in both]
    assert [row.by for row in drains[0]] == ["week", "week", "network", "network"]
    for row, plain in zip(*drains, strict=True):
        assert row.clients == CLIENTS and row.extra_percent_h == pytest.approx(1.0, abs=0.05)
        width, wide = (one.extra_high_percent_h - one.extra_low_percent_h for one in (row, plain))
        assert width < 0.1 and width < wide / 2


def test_the_noise_of_strata_has_the_weight_of_their_sums(found: tuple[Fleet, Hogs, Hogs]) -> None:
    fleet, hogs, alike = found
    (_, weighted), (_, plain) = (next(strata_by_app(fleet, one, np.array([0]), {})) for one in (hogs, alike))
    weight = hogs.alone.weights.weight[plain.cluster]
    assert weight.min() < 0.05
    assert weighted.s == pytest.approx(weight * plain.s) and weighted.noise == pytest.approx(weight**2 * plain.noise)


def test_clients_without_brightness_do_not_count_for_an_app_of_the_lit_screen(found: tuple[Fleet, Hogs, Hogs]) -> None:
    _, hogs, _ = found
    some = replace(hogs.alone, weights=replace(hogs.alone.weights, is_bright=np.arange(CLIENTS) % 2 == 0))
    lit = replace(hogs, alone=some, evidence=replace(hogs.evidence, needs_brightness=hogs.app == 1))
    clients, weight = np.array([5, 2, 2, BAD]), hogs.alone.weights.weight
    assert lit.weights_of(clients, 0).tolist() == weight[clients].tolist()
    assert lit.weights_of(clients, 1).tolist() == [0.0, *weight[clients[1:]].tolist()]
