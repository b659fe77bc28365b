"""The first version of a hog that drains: compared with the simulator's truth, and on synthetic rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.open_fleet import fleet_of

from navitas.fleet.diagnoses.conditions import AppVersions, version_key
from navitas.fleet.diagnoses.versions import AppVersionRows, find_versions, first_version
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store


def test_versions_are_ordered_by_their_numbers() -> None:
    long = "1" * 5000  # More digits than Python converts to int.
    order = ["", "1.0", "4.2-beta", "4.2", "4.2.1", "4.9", "4.010", "10.0", long]
    shuffled = ["4.010", "", long, "10.0", "4.2", "1.0", "4.9", "4.2-beta", "4.2.1"]
    assert sorted(shuffled, key=version_key) == order
    assert version_key("4.010") == version_key("4.10")


def test_versions_of_an_app_are_those_of_its_packages() -> None:
    versions = AppVersions(np.array([0, 1, 1, 1], np.int32), np.array([2, 0, 3, 5], np.int32), ["9", "2", "1", ""])
    found = versions.feature(1, np.array([5, 3, -1, 0, 3], np.int32))
    assert found.values == ("1", "2")
    assert found.place.tolist() == [-1, 0, -1, 1, 0]


def test_first_versions_are_mostly_true(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=2, salt="s")
    simulate(store, FleetModel(clients=400, samples=160_000, apps=100, hog_share=0.3), seed=4)
    fleet = fleet_of(store)
    hogs = find_hogs(fleet)
    found = find_versions(fleet, hogs, find_bugs(fleet, hogs))
    names = fleet.app_names
    rows = pq.read_table(store.path / "truth" / "apps.parquet").to_pylist()
    truth = {row["app"]: row["since_version"] for row in rows if row["is_hog"]}
    claimed = {names[app]: version for app, version in found.since.items()}
    right = sum(truth[app] == version for app, version in claimed.items())
    assert right >= 4
    assert len(claimed) - right <= 1
    for app in {one.app for one in found.rows}:
        versions = [one.version for one in found.rows if one.app == app]
        assert versions == sorted(versions, key=version_key)


def test_a_version_that_clients_hardly_ran_does_not_count() -> None:
    client, package = np.tile([1, 2, 3], 3), np.repeat([0, 1, 2], 3)
    w = np.where(package == 1, 60.0, MIN_WEIGHT_S)
    w[0] = 60.0
    table = pa.table(
        {"client": [*client, 4], "package": [*package, 0], "pairs": [9] * 10, "s": [1.0] * 10, "w": [*w, MIN_WEIGHT_S]}
    )
    rows = AppVersionRows.from_table(table, {0: "1", 1: "2", 2: "3"}, np.ones(table.num_rows))
    assert rows is not None and rows.versions == ["1", "3"] and rows.after_unknown == {"3"}
    assert [rows.clients(number) for number in range(2)] == [3, 3] and np.count_nonzero(rows.version == 0) == 4


def test_a_phone_with_a_bad_gauge_does_not_hide_that_a_version_drains_more() -> None:
    chance = np.random.default_rng(3)
    client, package = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    rate = np.where(package == 1, 3.0, 0.0) + chance.normal(0, 0.2, 40)
    rate[:2] = 90.0, -60.0
    table = pa.table({"client": client, "package": package, "pairs": [9] * 40, "s": 1e6 * rate, "w": [1e6] * 40})
    low = []
    for weight in (1.0, 0.001):
        rows = AppVersionRows.from_table(table, {0: "1", 1: "2"}, np.where(client == 0, weight, 1.0))
        assert rows is not None
        low.append(rows.more(rows.version == 1, rows.version == 0).ends[0])
    assert low[0] < 0 and low[1] > 2.5


@pytest.mark.parametrize(("before", "named"), [(0.0, True), (2.0, True), (2.8, False)])
def test_the_first_version_that_drains_drains_a_third_more(before: float, named: bool) -> None:
    chance = np.random.default_rng(2)
    client, version = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
    s = np.where(version == 1, 4.0, before) + chance.normal(0, 0.1, 80)
    rows = AppVersionRows(["1.0", "1.1"], frozenset(), client, version, np.full(80, 9), s, np.ones(80))
    found = first_version(1, rows)
    assert (found is not None) == named
    assert found is None or found.version == "1.1"
