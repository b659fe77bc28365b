"""Numbers of packages and apps, and a list that does not match the results."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.schema import PACKAGES
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet, bring_up_to_date, numbered
from navitas.fleet.store import Store

LIST = pa.table({"id": [0, 3, 1], "app": ["a", "b", "a"], "version": ["1", "", "2"]}, schema=PACKAGES)


def test_versions_of_an_app_have_its_number() -> None:
    for packages, apps in ((LIST, [0, 0, -1, 1]), (PACKAGES.empty_table(), [])):
        assert Fleet(None, None, (), numbered(packages)).app_of.tolist() == apps  # type: ignore[arg-type]


def test_a_list_that_does_not_match_the_results_is_refused(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    simulate(store, FleetModel(clients=20, samples=2_000, apps=100), seed=1)
    whole = store.packages()
    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        apps = find_hogs(bring_up_to_date(store, engine)).app.tolist()
        places = range(whole.num_rows)
        for left in (places[:0], places[1:], places[:-1], [1, 0, *places[2:]]):
            store.write_packages(whole.take(pa.array(left, pa.int64())))
            with pytest.raises(FleetError, match=r"packages\.parquet: not the list"):
                bring_up_to_date(store, engine)
        (store.path / "packages.parquet").unlink()
        with pytest.raises(FleetError, match=r"packages\.parquet: not the list"):
            bring_up_to_date(store, engine)
        later = pa.table([[9_001, 9_002, 9_003], LIST["app"], LIST["version"]], schema=PACKAGES)
        store.write_packages(pa.concat_tables([whole, later]))
        assert find_hogs(bring_up_to_date(store, engine)).app.tolist() == apps
        (store.work / "packages.parquet").write_bytes(b"damaged")
        with pytest.raises(FleetError, match=r"work/packages\.parquet: cannot be read") as damaged:
            bring_up_to_date(store, engine)
        assert damaged.value.remedy == f"Delete {store.work}. All results are computed again."
        shutil.rmtree(store.work)
        assert find_hogs(bring_up_to_date(store, engine)).app.tolist() == apps
