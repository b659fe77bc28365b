"""A simulated fleet matches its model, in each row and in total."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from navitas.base.errors import UsageError
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.ingest.commit import listed_parts
from navitas.fleet.regression.pairs import ClientSamples, pairs_of
from navitas.fleet.schema import SAMPLES, State, bucket_of, month_of
from navitas.fleet.simulate.acting import act
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store, exclusive_writer

MODEL = FleetModel(
    clients=60, samples=24_000, apps=400, bug_share=0.02, steps=((10_000, 0.5), (50_000, 0.5)), start_s=1_769_600_000
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=3, salt="x")
    simulate(made, MODEL, 7)
    return made


@pytest.fixture(scope="module")
def samples(store: Store) -> pa.Table:
    return pa.concat_tables(read_table(file) for files in store.parts().values() for file in files)


def truth(store: Store, name: str) -> pa.Table:
    return read_table(store.path / "truth" / f"{name}.parquet")


def numbers(table: pa.Table, column: str) -> Any:
    return table[column].to_numpy()


def contents(store: Store) -> dict[str, str]:
    files = [file for file in store.path.rglob("*") if file.is_file()]
    return {file.relative_to(store.path).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_parts_hold_their_clients_and_months_in_order(store: Store) -> None:
    total = 0
    assert {unit.bucket for unit in store.parts()} == {0, 1, 2}
    assert len({unit.month for unit in store.parts()}) > 1
    assert listed_parts(store) == {file.relative_to(store.path / "samples").as_posix() for file in store.path.rglob("part-*")}
    for unit, files in store.parts().items():
        assert len(files) == 1
        table = read_table(files[0])
        assert table.schema.equals(SAMPLES)
        client, time_s = numbers(table, "client"), numbers(table, "time_s")
        assert set(bucket_of(client, store.buckets)) == {unit.bucket}
        assert set(month_of(time_s).astype(str)) == {unit.month}
        same = client[1:] == client[:-1]
        assert (client[1:] >= client[:-1]).all()
        assert (np.diff(time_s)[same] > 0).all()
        total += len(table)
    assert total == MODEL.samples


def test_app_lists_are_ascending_packages(store: Store, samples: pa.Table) -> None:
    lists = samples["apps"].combine_chunks()
    packages = lists.flatten().to_numpy()
    starts = np.zeros(len(packages), bool)
    starts[lists.offsets.to_numpy()[:-1]] = True
    assert (np.diff(packages) > 0)[~starts[1:]].all()
    known = store.packages()
    assert numbers(known, "id").tolist() == list(range(len(known)))
    assert 0 <= packages.min() <= packages.max() < len(known)
    # Each app once, in one version.
    app = np.array(known["app"].to_pylist())[packages]
    assert (app[1:] != app[:-1])[~starts[1:]].all()
    assert len(packages) / len(samples) == pytest.approx(MODEL.running, rel=0.12)


def test_the_foreground_is_one_of_the_apps_and_needs_the_screen(samples: pa.Table) -> None:
    rows = samples.select(["screen", "apps", "foreground"]).to_pylist()
    assert all((row["foreground"] is not None) == row["screen"] for row in rows)
    assert all(row["foreground"] in row["apps"] for row in rows if row["screen"])


def test_values_are_possible(samples: pa.Table) -> None:
    assert 0 <= numbers(samples, "level_ppm").min() <= numbers(samples, "level_ppm").max() == 1_000_000
    assert set(numbers(samples, "state").tolist()) == {State.DISCHARGING, State.CHARGING, State.FULL}
    assert 0 <= numbers(samples, "cpu").min() <= numbers(samples, "cpu").max() <= 1
    assert 3000 <= numbers(samples, "voltage_mv").min() <= numbers(samples, "voltage_mv").max() < 4500
    assert 100 < numbers(samples, "temperature_dc").min() <= numbers(samples, "temperature_dc").max() < 600
    assert numbers(samples, "uptime_s").min() >= 0
    assert set(samples["network"].to_pylist()) == {"none", "wifi", "mobile"}
    gaps = np.diff(numbers(samples, "time_s"))
    assert 25 * 60 < np.median(gaps[gaps > 0]) < 40 * 60


def test_levels_fall_by_what_the_rates_say(store: Store, samples: pa.Table) -> None:
    samples = samples.sort_by([("client", "ascending"), ("time_s", "ascending")])
    client = numbers(samples, "client")
    pairs = pairs_of(
        ClientSamples(
            client,
            numbers(samples, "time_s"),
            numbers(samples, "level_ppm").astype(np.int64),
            numbers(samples, "state"),
            np.array(samples["screen"].to_pylist()),
            numbers(samples, "uptime_s").astype(np.int64),
        )
    )
    refused = pairs.refused(np.ones(len(client), bool))
    assert refused.keys() == {"the battery was not discharging", "the phone was restarted", "more than six hours apart"}
    assert pairs.counts.mean() > 0.5
    clients = truth(store, "clients")
    step = dict(zip(numbers(clients, "client").tolist(), numbers(clients, "step_ppm").tolist(), strict=True))
    assert not (numbers(samples, "level_ppm") % np.array([step[one] for one in client.tolist()])).any()
    for size in (10_000, 50_000):
        chosen = numbers(clients, "step_ppm") == size
        weight = numbers(clients, "seconds")[chosen]
        true = np.average(numbers(clients, "rate_ppm_s")[chosen], weights=weight)
        mine = np.isin(client, numbers(clients, "client")[chosen])
        measured = pairs.drop_ppm[mine].sum() / pairs.seconds[mine].sum()
        # Rounding up hides half a step of each discharge from full.
        assert measured == pytest.approx(true, rel=0.02 + size / 1e6)


def test_the_truth_has_the_requested_shares(store: Store) -> None:
    apps, effects, bugs = truth(store, "apps"), truth(store, "effects"), truth(store, "bugs")
    name = np.array(apps["app"].to_pylist())
    hogs = {one for one, is_hog in zip(name, apps["is_hog"].to_pylist(), strict=True) if is_hog}
    assert len(hogs) == round(MODEL.hog_share * MODEL.apps)
    extra = numbers(apps, "extra_ppm_s")
    assert set(name[extra > 0]) == hogs
    assert 0.1 <= extra[extra > 0].min() / MODEL.typical_ppm_s <= extra.max() / MODEL.typical_ppm_s <= 0.6
    plain = [one for one in apps.to_pylist() if one["is_hog"] and not one["since_version"] and one["mean_ppm_s"]]
    assert np.mean([one["mean_ppm_s"] / one["extra_ppm_s"] for one in plain]) == pytest.approx(1, abs=0.1)
    assert all((one["mean_ppm_s"] is None) == one["has_bugs"] for one in apps.to_pylist())
    assert not any(one["mean_ppm_s"] for one in apps.to_pylist() if not one["is_hog"])
    since = [one for one in apps.to_pylist() if one["since_version"]]
    assert since
    assert all((one["extra_ppm_s"] > 0) == (float(one["version"]) >= float(one["since_version"])) for one in since)
    assert {one["resource"] for one in apps.to_pylist() if one["is_hog"]} == {"cpu", "gps", "radio"}
    assert set(bugs["app"].to_pylist()).isdisjoint(hogs)
    buggy = {one for one, has in zip(name, apps["has_bugs"].to_pylist(), strict=True) if has}
    assert set(bugs["app"].to_pylist()) <= buggy
    assert len(bugs) / (MODEL.clients * MODEL.mean_installed) == pytest.approx(MODEL.bug_share, rel=0.6)
    phones = {one["client"]: one for one in truth(store, "clients").to_pylist()}
    for bug in bugs.to_pylist():
        kind, _, value = bug["condition"].partition("=")
        assert kind in ("", "network") or phones[bug["client"]][kind] == value
    assert set(effects.filter(effects["is_bug"])["app"].to_pylist()) == set(bugs["app"].to_pylist())


def test_an_interrupted_simulation_continues(store: Store, tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, total: int) -> None:
        assert 0 < done <= total == MODEL.samples
        raise Stopped

    again = Store.create(tmp_path / "again", buckets=3, salt="x")
    with pytest.raises(Stopped):
        simulate(again, MODEL, 7, progress=stop)
    assert len({unit.bucket for unit in again.parts()}) == 1
    simulate(again, MODEL, 7)
    assert contents(again) == contents(store)
    with pytest.raises(FleetError, match="another simulation"):
        simulate(again, MODEL, 8)


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    made = Store.create(tmp_path / "store")
    with exclusive_writer(made.path), pytest.raises(FleetError, match="is writing to it"):
        simulate(made, MODEL, 1)


def test_a_store_with_other_samples_is_unchanged(tmp_path: Path) -> None:
    other = Store.create(tmp_path / "other")
    other.write_packages(
        pa.table({name: pa.array([0]) if name.endswith("id") else ["a"] for name in other.packages().column_names})
    )
    with pytest.raises(FleetError, match="holds samples already"):
        simulate(other, MODEL, 1)


def test_advice_that_is_followed_saves_what_the_apps_drained(store: Store, tmp_path: Path) -> None:
    acted = Store.create(tmp_path / "acted", buckets=3, salt="x")
    simulate(acted, MODEL, 7)
    effects = truth(acted, "effects")
    first = contents(acted)
    begin, end = act(acted, effects.select(["client", "app"]), compliance=0.7)
    assert begin > max(truth(acted, "clients")["last_s"].to_pylist())
    del first["ledger.jsonl"]  # Lists the parts of both periods.
    assert first.items() <= contents(acted).items()
    assert listed_parts(acted) == {file.relative_to(acted.path / "samples").as_posix() for file in acted.path.rglob("part-*")}
    rows = truth(acted, "acted").to_pylist()
    advice = truth(acted, "advice").to_pylist()
    group = {row["client"]: row["group"] for row in rows}
    assert set(group.values()) <= {"advised", "control", "not advised"}
    assert not any(one["followed"] for one in advice if group[one["client"]] == "control")
    followed = [one["followed"] for one in advice if group[one["client"]] == "advised"]
    assert np.mean(followed) == pytest.approx(0.7, abs=0.15)
    gain = {
        kind: [row["unfollowed_ppm_s"] - row["after_ppm_s"] for row in rows if row["group"] == kind]
        for kind in set(group.values())
    }
    assert np.mean(gain["advised"]) > 1
    assert set(gain["control"]) == {0.0}
    control = [row["after_ppm_s"] / row["before_ppm_s"] for row in rows if row["group"] == "control"]
    assert np.median(control) == pytest.approx(1, abs=0.1)
    followed = {(one["client"], one["app"]) for one in advice if one["followed"]}
    names = dict(zip(acted.packages()["id"].to_pylist(), acted.packages()["app"].to_pylist(), strict=True))
    last = [
        file for unit, files in acted.parts().items() for file in files if file.name not in {Path(name).name for name in first}
    ]
    late = pa.concat_tables(map(read_table, last))
    assert begin <= numbers(late, "time_s").min() <= numbers(late, "time_s").max() == end
    with pytest.raises(FleetError, match="other advice"):
        act(acted, effects.select(["client", "app"]).slice(1))
    (acted.path / "truth" / "acting.json").write_bytes(b"\0")
    with pytest.raises(FleetError, match=r"acting\.json: cannot be read"):
        act(acted, effects.select(["client", "app"]))
    ran = {(row["client"], names[package]) for row in late.select(["client", "apps"]).to_pylist() for package in row["apps"]}
    assert ran.isdisjoint(followed)


def test_dirt_keeps_order_and_drops_values(tmp_path: Path) -> None:
    dirty = Store.create(tmp_path / "dirty", buckets=2, salt="x")
    simulate(dirty, FleetModel(clients=20, samples=8000, apps=100, dirt=True), 1)
    table = pa.concat_tables(read_table(file) for files in dirty.parts().values() for file in files)
    assert 0 < table["screen"].null_count < 200
    assert State.UNKNOWN in numbers(table, "state")
    for files in dirty.parts().values():
        part = read_table(files[0])
        same = np.diff(numbers(part, "client")) == 0
        assert (np.diff(numbers(part, "time_s"))[same] > 0).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"clients": 0},
        {"samples": 1},
        {"apps": 10},
        {"running": 500.0},
        {"hog_share": 1.5},
        {"steps": ((0, 1.0),)},
        {"installed": (5, 2)},
        {"gap_s": 1.0},
    ],
)
def test_contradictory_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="cannot simulate"):
        FleetModel(**wrong)
