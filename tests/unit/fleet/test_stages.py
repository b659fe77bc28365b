"""The pipeline on a small simulated fleet: it finds the truth, and updates only what has changed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.open_fleet import fleet_of

from navitas.fleet.diagnoses.conditions import strata_by_app
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.schema import SAMPLES
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store, Unit


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    store = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=4, salt="s")
    simulate(store, FleetModel(clients=300, samples=90_000, apps=120, hog_share=0.1), seed=5)
    return fleet_of(store)


def test_hogs_are_found(fleet: Fleet) -> None:
    hogs = find_hogs(fleet)
    names = dict(zip(fleet.packages["app_id"].to_pylist(), fleet.packages["app"].to_pylist(), strict=True))
    truth = {row["app"] for row in pq.read_table(fleet.store.path / "truth" / "apps.parquet").to_pylist() if row["is_hog"]}
    found = {names[number] for number in hogs.app[hogs.is_hog].tolist()}
    assert found <= truth
    assert len(found) >= 0.6 * len(truth)


def test_bugs_are_mostly_true(fleet: Fleet) -> None:
    bugs = find_bugs(fleet, find_hogs(fleet))
    assert np.all(bugs.low <= bugs.extra) and np.all(bugs.extra <= bugs.high)
    assert np.all(np.diff(bugs.low) <= 0)


def test_only_changed_results_are_computed_again(fleet: Fleet) -> None:
    updates: list[tuple[int, int]] = []
    again = bring_up_to_date(fleet.store, fleet.engine, lambda done, total: updates.append((done, total)))
    assert updates == []
    fleet.jobs[0].file("usage").unlink()
    bring_up_to_date(fleet.store, fleet.engine, lambda done, total: updates.append((done, total)))
    assert updates == [(1, 1)]
    assert find_hogs(again).effect.value.tolist() == find_hogs(fleet).effect.value.tolist()


def test_an_update_between_two_samples_loses_no_time(tmp_path: Path) -> None:
    """An app that is updated while it runs is at both ends of the pair. All other time is without it."""
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": [0, 1, 2], "app": ["a", "b", "a"], "version": ["1", "1", "2"]}))
    running = [[0], [0], [0, 1], [1, 2], [2], [2], [], [1], [1], [1], []]
    rows = [
        {"client": 7, "time_s": 1800 * i, "level_ppm": 10_000 * (90 - i), "state": 1, "apps": apps}
        for i, apps in enumerate(running)
    ]
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(rows, SAMPLES))
    fleet = fleet_of(store)
    contrasts = fleet.query_clients("SELECT * FROM contrast")
    a, b = contrasts.sort_by("app").to_pylist()
    assert (a["pairs"], a["ran_s"]) == (6, 9900)
    assert (b["pairs"], b["ran_s"]) == (7, 9000)


@pytest.mark.parametrize("size", [50_000, pytest.param(1_000_000, marks=pytest.mark.extended)])
def test_a_client_with_many_samples(size: int, tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": [0, 1], "app": ["a", "b"], "version": ["1", "1"]}))
    at = np.arange(size)
    runs = at // 1000 % 2
    offset = np.append(0, np.cumsum(1 + runs)).astype(np.int32)
    package = np.zeros(offset[-1], np.int32)
    package[offset[1:][runs == 1] - 1] = 1
    lists = pa.ListArray.from_arrays(offset, package)
    same = {"client": np.ones(size), "time_s": 2 * at, "level_ppm": size - at // 2, "state": np.ones(size)}
    table = pa.table(
        {**same, "screen": at // 500 % 2 == 0, "network": np.array(["wifi", "mobile"])[at // 250 % 2], "apps": lists}
    )
    rest = {field.name: pa.nulls(size, field.type) for field in SAMPLES if field.name not in table.column_names}
    whole = pa.table({name: table[name] if name in table.column_names else rest[name] for name in SAMPLES.names})
    store.write_part(Unit(0, "1970-01"), "a", whole)
    fleet = bring_up_to_date(store, DuckDbEngine(store.work / "spill", memory_mib=64, threads=1))
    assert fleet.totals()[0] == size - 1
    a, b = fleet.query_clients("SELECT * FROM contrast").sort_by("app").to_pylist()
    assert a["ran_s"] == pytest.approx(2 * size, rel=2e-4) and a["drop_ppm"] == pytest.approx(size // 2, rel=2e-4)
    assert b["ran_s"] == pytest.approx(size, rel=2e-4)
    ((_, strata),) = strata_by_app(fleet, find_hogs(fleet), np.array([1]), {})
    assert strata.seconds.sum() == pytest.approx(b["ran_s"], rel=1e-6)
    assert len(strata.s) == 7


def test_an_empty_store_is_reported(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    with pytest.raises(FleetError, match="no samples"):
        bring_up_to_date(store, DuckDbEngine(store.work))
