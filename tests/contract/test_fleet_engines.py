"""All engines keep the contract: from the same samples the same rows, integers exactly, sums to rounding."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet import paper
from navitas.fleet.bugs import find_bugs
from navitas.fleet.conditions import cells_by_app
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.hogs import find_hogs
from navitas.fleet.scores import score_clients
from navitas.fleet.simulate import FleetModel, simulate
from navitas.fleet.stages import Fleet, brought_up_to_date
from navitas.fleet.store import FleetError, Store, Unit, read_table
from navitas.fleet.units import Job, UsageTask

pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'navitas[spark]'")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java", allow_module_level=True)

from navitas.fleet.engine.spark import SparkEngine


@pytest.fixture(scope="module")
def engine() -> Iterator[SparkEngine]:
    made = SparkEngine(memory_mib=1024, master="local[2]")
    yield made
    made.close()


@pytest.fixture(scope="module")
def fleets(engine: SparkEngine, tmp_path_factory: pytest.TempPathFactory) -> tuple[Fleet, Fleet]:
    folder = tmp_path_factory.mktemp("größe [1] {a}")
    store = Store.create(folder / "duckdb", buckets=2, salt="s")
    simulate(store, FleetModel(clients=25, samples=12_000, apps=100, hog_share=0.1), seed=4)
    other = Store.open(shutil.copytree(store.path, folder / "spark"))
    return brought_up_to_date(store, DuckDbEngine(store.work / "spill")), brought_up_to_date(other, engine)


def same(one: pa.Table, other: pa.Table) -> None:
    keys = [name for name in one.column_names if name in ("client", "app", "package", "screen")]
    left, right = (table.sort_by([(name, "ascending") for name in keys]) for table in (one, other))
    assert left.column_names == right.column_names
    for name in left.column_names:
        if pa.types.is_floating(left[name].type):
            assert np.allclose(left[name].to_numpy(), right[name].to_numpy(), rtol=1e-9, atol=1e-6, equal_nan=True), name
        else:
            assert left[name].to_pylist() == right[name].to_pylist(), name


def test_stages_make_the_same_rows(fleets: tuple[Fleet, Fleet]) -> None:
    one, other = fleets
    names = sorted(file.relative_to(one.store.work) for file in one.store.work.rglob("*.parquet"))
    assert names == sorted(file.relative_to(other.store.work) for file in other.store.work.rglob("*.parquet"))
    for name in names:
        same(read_table(one.store.work / name), read_table(other.store.work / name))


def test_findings_are_the_same(fleets: tuple[Fleet, Fleet]) -> None:
    found = [(hogs := find_hogs(fleet), find_bugs(fleet, hogs), score_clients(fleet)) for fleet in fleets]
    (hogs, bugs, scores), (other_hogs, other_bugs, other_scores) = found
    for name in ("app", "clients", "contrasted", "pairs", "is_hog"):
        assert getattr(hogs, name).tolist() == getattr(other_hogs, name).tolist()
    assert np.allclose(hogs.effect.value, other_hogs.effect.value, rtol=1e-9, equal_nan=True)
    assert np.allclose(hogs.effect.error, other_hogs.effect.error, rtol=1e-9, equal_nan=True)
    assert (bugs.client.tolist(), bugs.app.tolist()) == (other_bugs.client.tolist(), other_bugs.app.tolist())
    assert np.allclose(scores.score, other_scores.score, equal_nan=True)
    assert scores.model == other_scores.model


def test_conditions_are_the_same(fleets: tuple[Fleet, Fleet]) -> None:
    one, other = (dict(cells_by_app(fleet, np.arange(0, 100, 9))) for fleet in fleets)
    assert one.keys() == other.keys() and sum(len(cells.s) for cells in one.values())
    for cells, others in zip(one.values(), other.values(), strict=True):
        assert cells.clients.tolist() == others.clients.tolist()
        assert cells.cluster.tolist() == others.cluster.tolist()
        assert cells.features.keys() == others.features.keys()
        assert all(feature.place.tolist() == others.features[name].place.tolist() for name, feature in cells.features.items())
        for name in ("s", "w", "noise", "seconds", "drop_ppm"):
            assert np.allclose(getattr(cells, name), getattr(others, name), rtol=1e-9, atol=1e-6), name


def test_the_papers_method_is_the_same(fleets: tuple[Fleet, Fleet]) -> None:
    for fleet in fleets:
        paper.brought_up_to_date(fleet)
    one, other = (paper.find_hogs(fleet) for fleet in fleets)
    assert one.pairs.tolist() == other.pairs.tolist()
    assert np.allclose(one.least, other.least, rtol=1e-9, equal_nan=True)
    one, other = (paper.find_bugs(fleet, one) for fleet in fleets)
    assert one.client.tolist() == other.client.tolist()


def test_what_goes_wrong_on_a_worker_is_told(engine: SparkEngine, tmp_path: Path) -> None:
    gone = Job(Unit(0, "2026-01"), (tmp_path / "gone.parquet",), (), tmp_path / "usage", tmp_path / "clients", "x")
    for running in (engine, DuckDbEngine(tmp_path / "spill", threads=1)):
        with pytest.raises(FleetError, match=r"gone\.parquet: cannot be read") as told:
            running.run([UsageTask((gone,))], lambda _: None)
        assert told.value.remedy.startswith("Restore the file")
        with pytest.raises(FleetError, match="fail"):
            running.query("SELECT nothing FROM nowhere", {})
