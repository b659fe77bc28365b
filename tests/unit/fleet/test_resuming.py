"""Stages that are killed, get new samples, or lack memory give the same results as an undisturbed run."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.open_fleet import fleet_of

from navitas.base.folder_lock import FolderLock
from navitas.fleet.diagnoses import strata
from navitas.fleet.diagnoses.diagnosis import diagnoses_of
from navitas.fleet.diagnoses.strata import request_for
from navitas.fleet.engine.base import OutOfMemory, Tables, Work
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.engine.processes import process_folder
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.findings.bugs import find_bugs
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.scores import score_clients
from navitas.fleet.findings.wanted_apps import StrataRequest
from navitas.fleet.paper import paper_sums
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=4, salt="s")
    simulate(store, FleetModel(clients=40, samples=50_000, apps=100), seed=3)
    return store.path


def _request(fleet: Fleet) -> StrataRequest:
    return request_for(fleet, find_hogs(fleet), np.array([0, 1]), {})


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


def test_new_samples_change_only_their_units(samples: Path, tmp_path: Path) -> None:
    whole = copied(samples, tmp_path / "whole")
    expected = results(fleet_of(whole))
    grown = copied(samples, tmp_path / "grown")
    engine = DuckDbEngine(grown.work / "spill", threads=1)
    unit, (part, *_) = next((unit, parts) for unit, parts in grown.parts().items() if unit.bucket == 2)
    rows = read_table(part)
    later = rows.num_rows // 2
    grown.write_part(unit, part.stem.removeprefix("part-"), rows.slice(0, later))
    results(bring_up_to_date(grown, engine))
    before = {file: file.stat().st_ino for file in grown.work.rglob("*.parquet")}
    grown.write_part(unit, "second", rows.slice(later))
    known = grown.packages()
    new = pa.table({"id": [known.num_rows], "app": ["org.example.new"], "version": ["1"]}).cast(known.schema)
    grown.write_packages(pa.concat_tables([known, new]))
    fleet = bring_up_to_date(grown, engine)
    found = results(fleet)
    made = {str(file.relative_to(grown.work)) for file in grown.work.rglob("*.parquet") if before.get(file) != file.stat().st_ino}
    following = str(np.datetime64(unit.month) + 1)
    months = {unit.month, following} & {job.unit.month for job in fleet.jobs}
    assert len(months) == 2
    units = {
        f"{table}/bucket=002/month={month}.parquet" for table in ("usage", "clients", "evidence", "presence") for month in months
    }
    assert {file for file in made if file.partition("/")[0] not in ("joint", strata.SUSPECTS, strata.OTHERS)} == units | {
        "contrast/bucket=002.parquet",
        "packages.parquet",
    }
    same(found, expected)


class _Narrow:
    """An engine with memory for the contrasts of few buckets only."""

    buckets_at_once = 16

    def __init__(self, inner: DuckDbEngine, buckets: int) -> None:
        self._inner = inner
        self._buckets = buckets
        self.queried: list[int] = []

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        self._inner.run(tasks, done)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        self.queried.append(len(tables.get("contrast", [])))
        if self.queried[-1] > self._buckets:
            raise OutOfMemory("too narrow")
        return self._inner.query(sql, tables)

    def close(self) -> None:
        self._inner.close()


def test_with_little_memory_statements_cover_fewer_clients(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    inner = DuckDbEngine(store.work / "spill", threads=1)
    fleet = bring_up_to_date(store, inner)
    narrow = _Narrow(inner, 1)
    split = Fleet(store, narrow, fleet.jobs, fleet.packages)
    same(results(split), results(fleet))
    assert narrow.queried[:7] == [4, 2, 1, 1, 2, 1, 1]
    assert split.narrowed["4 buckets"] * 2 == split.narrowed["2 buckets"] > 2
    with pytest.raises(FleetError, match="bucket 0 needs more memory"):
        find_hogs(Fleet(store, _Narrow(inner, 0), fleet.jobs, fleet.packages))
    tiny = DuckDbEngine(store.work / "spill", memory_mib=1, threads=1)
    with pytest.raises(FleetError, match="bucket 0 needs more memory"):
        find_hogs(Fleet(store, tiny, fleet.jobs, fleet.packages))


class _Greedy:
    name, size_bytes = "bucket 7", 0

    def run(self) -> None:
        raise MemoryError("Unable to allocate 9 GiB")


def test_files_of_killed_processes_are_removed_but_not_those_of_other_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "node", lambda: "phone[1]")
    ended = (1 << 22) + 1  # Linux has no such number.
    names = (f"phone[1]-{ended}", f"phone[1]-{os.getppid()}", f"phone1-{ended}", f"other-{ended}", "phone[1]-notes")
    for name in names:
        (tmp_path / name).mkdir()
    assert process_folder(tmp_path) == tmp_path / f"phone[1]-{os.getpid()}"
    assert {folder.name for folder in tmp_path.iterdir()} == {*names[1:]}


def test_results_beyond_the_memory_limit_are_spilled(tmp_path: Path) -> None:
    spill = tmp_path / "work" / "spill"
    engine = DuckDbEngine(spill, memory_mib=96, threads=2)
    sql = "SELECT COUNT(*) AS n FROM (SELECT i * 7919 % 3000017 AS k FROM range(5000000) t(i) GROUP BY 1)"
    assert engine.query(sql, {})["n"].to_pylist() == [3000017]
    engine.close()
    assert not spill.exists()


def test_a_unit_that_does_not_fit_into_memory_is_named(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="bucket 7: not enough memory for its samples"):
        DuckDbEngine(tmp_path, threads=1).run([_Greedy()], lambda _: None)


def test_another_writer_is_awaited_if_there_is_a_callback(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    lock, printed = FolderLock(store.path / "lock"), list[str]()
    assert lock.acquire()

    def waiting(process: str) -> None:
        printed.append(process)
        lock.release()

    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        fleet = bring_up_to_date(store, engine, waiting=waiting)
        assert printed == [str(os.getpid())]
        assert len(find_hogs(fleet).app)
        assert lock.acquire()
        strata.bring_up_to_date(fleet, strata.SUSPECTS, _request(fleet))
        assert printed == [str(os.getpid())] * 2


def test_samples_that_arrive_during_a_computation_are_reported(samples: Path, tmp_path: Path) -> None:
    store = copied(samples, tmp_path / "store")
    with closing(DuckDbEngine(store.work / "spill", threads=1)) as engine:
        fleet = bring_up_to_date(store, engine)
        unit, (part, *_) = next(iter(store.parts().items()))
        store.write_part(unit, "more", read_table(part).slice(0, 1))
        for stage in (
            lambda: strata.bring_up_to_date(fleet, strata.SUSPECTS, _request(fleet)),
            lambda: paper_sums.bring_up_to_date(fleet),
        ):
            with pytest.raises(FleetError, match="samples changed during"):
                stage()
        renewed = bring_up_to_date(store, engine)
        strata.bring_up_to_date(renewed, strata.SUSPECTS, _request(renewed))
