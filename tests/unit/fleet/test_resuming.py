"""Stages that were killed, whose samples grew, or that lack memory come to the same results as an undisturbed pass."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from navitas.fleet import cells, paper_sums
from navitas.fleet.asked import Asked
from navitas.fleet.bugs import find_bugs
from navitas.fleet.diagnoses import diagnoses_of
from navitas.fleet.engine.base import OutOfMemory, Tables, Work
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.hogs import find_hogs
from navitas.fleet.scores import score_clients
from navitas.fleet.simulate import FleetModel, simulate
from navitas.fleet.stages import Fleet, brought_up_to_date
from navitas.fleet.store import Store
from navitas.folder_lock import FolderLock


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=4, salt="s")
    simulate(store, FleetModel(clients=40, samples=50_000, apps=100), seed=3)
    return store.path


def copied(samples: Path, path: Path) -> Store:
    shutil.copytree(samples, path)
    return Store.open(path)


def results(fleet: Fleet) -> list[np.ndarray]:
    hogs = find_hogs(fleet)
    bugs, scores = find_bugs(fleet, hogs), score_clients(fleet)
    diagnoses = diagnoses_of(fleet, hogs, bugs, np.arange(0, 100, 7)).found.values()
    effects = np.array([(leaf.effect.value, leaf.effect.error) for one in diagnoses for leaf in one.tree.leaves()])
    return [hogs.app, hogs.effect.value, hogs.effect.error, hogs.is_hog, bugs.client, bugs.app, bugs.extra, scores.score, effects]


def same(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> None:
    for left, right in zip(one, other, strict=True):
        assert np.allclose(left, right, rtol=1e-9, atol=1e-12, equal_nan=True)


def test_new_samples_change_their_units_alone(samples: Path, tmp_path: Path) -> None:
    whole = copied(samples, tmp_path / "whole")
    expected = results(brought_up_to_date(whole, DuckDbEngine(whole.work / "spill", threads=1)))
    grown = copied(samples, tmp_path / "grown")
    engine = DuckDbEngine(grown.work / "spill", threads=1)
    unit, (part, *_) = next((unit, parts) for unit, parts in grown.parts().items() if unit.bucket == 2)
    rows = read_table(part)
    later = rows.num_rows // 2
    grown.write_part(unit, "first", rows.slice(0, later))
    part.unlink()
    results(brought_up_to_date(grown, engine))
    before = {file: file.stat().st_ino for file in grown.work.rglob("*.parquet")}
    grown.write_part(unit, "second", rows.slice(later))
    known = grown.packages()
    new = pa.table({"id": [known.num_rows], "app": ["org.example.new"], "version": ["1"]}).cast(known.schema)
    grown.write_packages(pa.concat_tables([known, new]))
    fleet = brought_up_to_date(grown, engine)
    found = results(fleet)
    made = {str(file.relative_to(grown.work)) for file in grown.work.rglob("*.parquet") if before.get(file) != file.stat().st_ino}
    following = str(np.datetime64(unit.month) + 1)
    months = {unit.month, following} & {job.unit.month for job in fleet.jobs}
    assert len(months) == 2
    units = {f"{table}/bucket=002/month={month}.parquet" for table in ("usage", "clients", "cells") for month in months}
    assert made == units | {"contrast/bucket=002.parquet", "cells/asked.parquet", "packages.parquet"}
    same(found, expected)


class _Narrow:
    """An engine that has room for the contrasts of some buckets alone."""

    buckets_at_once = 16

    def __init__(self, inner: DuckDbEngine, buckets: int) -> None:
        self._inner = inner
        self._buckets = buckets
        self.asked: list[int] = []

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        self._inner.run(tasks, done)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        self.asked.append(len(tables.get("contrast", [])))
        if self.asked[-1] > self._buckets:
            raise OutOfMemory("too narrow")
        return self._inner.query(sql, tables)

    def close(self) -> None:
        self._inner.close()


def test_where_memory_is_short_fewer_clients_are_asked_about_at_once(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    inner = DuckDbEngine(store.work / "spill", threads=1)
    fleet = brought_up_to_date(store, inner)
    narrow = _Narrow(inner, 1)
    parted = Fleet(store, narrow, fleet.jobs, fleet.packages)
    same(results(parted), results(fleet))
    assert narrow.asked[:7] == [4, 2, 1, 1, 2, 1, 1]
    assert parted.narrowed["4 buckets"] * 2 == parted.narrowed["2 buckets"] > 2
    with pytest.raises(FleetError, match="bucket 0 needs more memory"):
        find_hogs(Fleet(store, _Narrow(inner, 0), fleet.jobs, fleet.packages))
    tiny = DuckDbEngine(store.work / "spill", memory_mib=1, threads=1)
    with pytest.raises(FleetError, match="bucket 0 needs more memory"):
        find_hogs(Fleet(store, tiny, fleet.jobs, fleet.packages))


class _Greedy:
    name = "bucket 7"

    def run(self) -> None:
        raise MemoryError("Unable to allocate 9 GiB")


def test_what_outgrows_memory_is_spilled(tmp_path: Path) -> None:
    spill = tmp_path / "work" / "spill"
    engine = DuckDbEngine(spill, memory_mib=64, threads=1)
    sql = "SELECT COUNT(*) AS n FROM (SELECT i * 7919 % 3000017 AS k FROM range(5000000) t(i) GROUP BY 1)"
    assert engine.query(sql, {})["n"].to_pylist() == [3000017]
    engine.close()
    assert not spill.exists()


class _Modest:
    """Has too little room when it runs beside another one, as it does first."""

    def __init__(self, number: int, beside: threading.Barrier) -> None:
        self.name = f"bucket {number}"
        self._beside = beside
        self.tries = 0

    def run(self) -> None:
        self.tries += 1
        if self.tries == 1:
            self._beside.wait(timeout=60)
            raise MemoryError("Unable to allocate 9 GiB")


def test_units_that_do_not_fit_into_memory_together_are_made_one_by_one(tmp_path: Path) -> None:
    beside = threading.Barrier(2)
    tasks, done = [_Modest(0, beside), _Modest(1, beside)], []
    DuckDbEngine(tmp_path, threads=2).run(tasks, done.append)
    assert sorted(task.name for task in done) == ["bucket 0", "bucket 1"]
    assert [task.tries for task in tasks] == [2, 2]


def test_what_does_not_fit_into_memory_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="bucket 7: its samples need more memory"):
        DuckDbEngine(tmp_path, threads=1).run([_Greedy()], lambda _: None)


def test_another_process_that_writes_is_waited_for_where_somebody_hears_of_it(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    lock, told = FolderLock(store.path / "lock"), list[str]()
    assert lock.acquire()

    def waiting(process: str) -> None:
        told.append(process)
        lock.release()

    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        fleet = brought_up_to_date(store, engine, waiting=waiting)
        assert told == [str(os.getpid())]
        assert len(find_hogs(fleet).app)
        assert lock.acquire()
        cells.brought_up_to_date(fleet, Asked.of_apps(np.array([0, 1]), {}))
        assert told == [str(os.getpid())] * 2


def test_samples_that_came_after_a_fleet_was_looked_at_are_not_left_out_unsaid(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        fleet = brought_up_to_date(store, engine)
        unit, (part, *_) = next(iter(store.parts().items()))
        store.write_part(unit, "more", read_table(part).slice(0, 1))
        for stage in (
            lambda: cells.brought_up_to_date(fleet, Asked.of_apps(np.array([0]), {})),
            lambda: paper_sums.brought_up_to_date(fleet),
        ):
            with pytest.raises(FleetError, match="samples have come or gone"):
                stage()
        cells.brought_up_to_date(brought_up_to_date(store, engine), Asked.of_apps(np.array([0]), {}))


@pytest.mark.parametrize(
    "forged",
    [{"app": [1]}, {"client": ["a"], "app": [1]}, {"client": [1], "app": [None]}, {"client": [1.5], "app": [float("nan")]}],
)
def test_a_forged_list_of_what_was_asked_for_says_nothing(forged: dict[str, list[object]], samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        fleet = brought_up_to_date(store, engine)
        cells.brought_up_to_date(fleet, Asked.of_apps(np.array([0]), {}))
        file = store.work / cells.FOLDER / "asked.parquet"
        notes = pq.read_schema(file).metadata
        pq.write_table(pa.table(forged).replace_schema_metadata(notes), file)
        cells.brought_up_to_date(fleet, Asked.of_apps(np.array([0, 1]), {}))
        assert read_table(file)["app"].to_pylist() == [0, 1]
