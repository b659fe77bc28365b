"""Strata of a unit, compared with a plain loop over pairs, and which units are computed again."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet import strata, strata_rows
from navitas.fleet.conditions import strata_by_app
from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.files import read_table
from navitas.fleet.schema import NETWORKS, SAMPLES, State
from navitas.fleet.stages import bring_up_to_date
from navitas.fleet.store import Store, Unit
from navitas.fleet.strata_request import StrataRequest

OF_APP = np.array([0, 0, 1, 1, 2], np.int32)
REQUEST = StrataRequest.from_pairs(np.array([0]), np.array([1, 1, 9]), np.array([2, 0, 1]))
"""App 0 of all clients, app 2 of client 1."""


def made(clients: int, each: int) -> list[dict[str, object]]:
    random = np.random.default_rng(8)
    rows = []
    for client in range(clients):
        for i in range(each):
            row = dict.fromkeys(SAMPLES.names) | {"client": client, "time_s": 600 * i, "level_ppm": 10_000 * (90 - i)}
            row |= {"state": int(State.DISCHARGING), "screen": bool(random.random() < 0.5)}
            row["network"] = [*NETWORKS, None][random.integers(4)]
            row["apps"] = np.flatnonzero(random.random(5) < 0.5).tolist()
            rows.append(row)
    return rows


def test_strata_match_a_plain_loop() -> None:
    rows = made(3, 60)
    both: dict[tuple[object, ...], int] = defaultdict(int)
    one: dict[tuple[object, ...], int] = defaultdict(int)
    whole: dict[tuple[object, ...], int] = defaultdict(int)
    for before, row in pairwise(rows):
        if before["client"] != row["client"] or row["time_s"] < 3000:  # type: ignore[operator]
            continue
        ends = (before["network"], row["network"])
        network = NETWORKS.index(ends[0]) if ends[0] == ends[1] and ends[0] else strata.CHANGING  # type: ignore[arg-type]
        place = (row["client"], int(before["screen"]) + int(row["screen"]), network)  # type: ignore[call-overload]
        whole[place] += 600
        here, there = (set(end["apps"]) for end in (before, row))  # type: ignore[call-overload]
        for package in (here | there) & {0, 1, *([4] if row["client"] == 1 else [])}:
            (both if package in here & there else one)[(*place, package)] += 600
    table = pa.Table.from_pylist(rows, SAMPLES).select(strata.COLUMNS)
    found = strata.strata_of(table, 3000, REQUEST, OF_APP).to_pylist()
    keyed = {(row["client"], row["screen"], row["network"], row["package"]): row for row in found}
    assert len(keyed) == len(found)
    assert {key[:3]: row["both_seconds"] for key, row in keyed.items() if key[3] is None} == whole
    own = {key: row for key, row in keyed.items() if key[3] is not None}
    assert own.keys() == both.keys() | one.keys()
    for key, row in own.items():
        assert (row["both_seconds"], row["one_seconds"]) == (both[key], one[key])
        assert row["both_drop_ppm"] == 10_000 * both[key] // 600
        assert row["changed_seconds"] <= row["one_seconds"]
    assert 0 < sum(row["changed_seconds"] for row in found) < sum(row["one_seconds"] for row in found)


def test_no_samples_give_no_strata() -> None:
    empty = strata.strata_of(SAMPLES.empty_table().select(strata.COLUMNS), 0, REQUEST, OF_APP)
    assert empty.schema == strata.STRATA and not empty.num_rows


def test_samples_are_read_again_only_for_new_apps(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": range(5), "app": ["a", "a", "b", "b", "c"], "version": ["1", "2"] * 2 + [""]}))
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(made(3, 60), SAMPLES))
    fleet = bring_up_to_date(store, DuckDbEngine(store.work / "spill", threads=1))
    updates: list[tuple[int, int]] = []

    def packages_after(*apps: int, **on: list[int]) -> list[int]:
        clients = {int(app[1:]): np.array(them) for app, them in on.items()}
        strata.bring_up_to_date(
            fleet, StrataRequest.for_apps(np.array(apps), clients), lambda done, total: updates.append((done, total))
        )
        table = read_table(fleet.unit_file(strata.FOLDER, fleet.jobs[0]))
        return sorted({package for package in table["package"].to_pylist() if package is not None})

    assert packages_after(0, 2) == [0, 1, 4]
    assert packages_after(2) == packages_after(0) == [0, 1, 4]
    assert updates == [(1, 1)]
    assert packages_after(1, _1=[2]) == [0, 1, 2, 3, 4]
    assert updates == [(1, 1), (1, 1)]
    table = read_table(fleet.unit_file(strata.FOLDER, fleet.jobs[0]))
    assert {row["client"] for row in table.to_pylist() if row["package"] in (2, 3)} == {2}
    assert packages_after(0, 1, _1=[2]) == [0, 1, 2, 3, 4]
    assert updates == [(1, 1), (1, 1)]
    fleet.unit_file(strata.FOLDER, fleet.jobs[0]).write_bytes(b"damaged")
    assert packages_after(0) == [0, 1, 2, 3, 4]
    assert updates == [(1, 1)] * 3


@pytest.mark.parametrize("before", [False, True])
def test_an_app_with_bugs_has_strata_on_affected_clients_and_a_control_group(
    before: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strata_rows, "CONTROL_SIZE", 1)
    store = Store.create(tmp_path / "store", buckets=2, salt="s")
    store.write_packages(pa.table({"id": range(6), "app": ["a", "a", "b", "b", "c", "a"], "version": ["1", "2"] * 2 + ["", "3"]}))
    rows = [row | {"level_ppm": 900_000 - row["time_s"]} for row in made(6, 400)]  # type: ignore[operator]
    for row in rows:  # one version at a time
        row["apps"] = sorted({package - package % 2 + (row["time_s"] > 100_000) for package in row["apps"] if package < 4})  # type: ignore
    rows[-1]["apps"] = [5]  # at one end alone
    for bucket in range(2):
        own = [row for row in rows if row["client"] % 2 == bucket]  # type: ignore[operator]
        store.write_part(Unit(bucket, "1970-01"), "a", pa.Table.from_pylist(own, SAMPLES))
    fleet = bring_up_to_date(store, DuckDbEngine(store.work / "spill", threads=1))
    if before:  # The earlier request does not matter now.
        strata.bring_up_to_date(fleet, StrataRequest.for_apps(np.array([0, 1]), {}))
    (zero, on_some), (one, everywhere) = strata_by_app(fleet, np.array([0, 1]), {0: np.array([3, 4])})
    assert (zero, one) == (0, 1)
    for found, by_condition in ((on_some, (0, 3, 4)), (everywhere, range(6))):
        assert found.clients.tolist() == [0, 1, 2, 3, 4, 5] and found.contrasted.all()
        for client in range(6):
            own = found.cluster == client
            assert (found.w[own].sum() > 0) == (client in by_condition)
            if client not in by_condition:
                assert own.sum() == 1 and {feature.place[own][0] for feature in found.features.values()} == {-1}
    values = on_some.values()
    assert (values["version"], values["network"], values["screen"]) == (["1", "2"], ["mobile", "none", "wifi"], ["off", "on"])


@pytest.mark.parametrize("apps", [[], [0]])
def test_an_app_without_clients_has_no_strata(apps: list[int], tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": [0], "app": ["a"], "version": [""]}))
    rows = [row | {"apps": []} for row in made(2, 5)]
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(rows, SAMPLES))
    fleet = bring_up_to_date(store, DuckDbEngine(store.work / "spill", threads=1))
    found = dict(strata_by_app(fleet, np.array(apps, np.int64), {}))
    assert [len(one.s) for one in found.values()] == [0] * len(apps)
