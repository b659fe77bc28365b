"""Strata of a unit, compared with least squares over its pairs, and which units are computed again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.open_fleet import fleet_of

from navitas.fleet.diagnoses import strata
from navitas.fleet.diagnoses.conditions import strata_by_app
from navitas.fleet.diagnoses.stratum_sums import CHANGING
from navitas.fleet.files import read_table
from navitas.fleet.findings.hogs import find_hogs
from navitas.fleet.findings.wanted_apps import JointRequest, StrataRequest, WantedApps, steady
from navitas.fleet.regression.controls import ControlColumns
from navitas.fleet.regression.exposure import CLASSES
from navitas.fleet.regression.pairs import samples_in
from navitas.fleet.regression.usage import COLUMNS, usage_of
from navitas.fleet.schema import NETWORKS, SAMPLES, State, bucket_of
from navitas.fleet.store import Store, Unit

OF_APP = np.array([0, 0, 1, 1, 2], np.int32)
HAS_VERSION = np.ones(5, bool)


def requested(everywhere: list[int], on: dict[int, list[int]], effects: tuple[float, ...] = (0.0, 0.0, 0.0)) -> StrataRequest:
    """Apps on all clients, and apps on some clients."""
    client, app = (np.array([pair[end] for pair in ((c, a) for a, them in on.items() for c in them)], np.int64) for end in (0, 1))
    return StrataRequest(WantedApps(np.array(everywhere), client, app), np.arange(3), np.ones((3, CLASSES)), np.array(effects))


REQUEST = requested([0], {2: [1], 1: [9]})


def table_of(
    samples: pa.Table, request: StrataRequest, app_of: np.ndarray = OF_APP, has_version: np.ndarray = HAS_VERSION
) -> pa.Table:
    presence = usage_of(samples, app_of).presence
    return strata.StrataTask((), "", "", request, app_of, has_version).table(samples, presence, 0)


def made(clients: int, each: int, gap_s: int = 600) -> list[dict[str, object]]:
    random = np.random.default_rng(8)
    rows = []
    for client in range(clients):
        for i in range(each):
            row = dict.fromkeys(SAMPLES.names) | {"client": client, "time_s": gap_s * i, "level_ppm": 10_000 * (90 - i)}
            row |= {"state": int(State.DISCHARGING), "screen": bool(random.random() < 0.5)}
            row["network"] = [*NETWORKS, None][random.integers(4)]
            row["apps"] = np.flatnonzero(random.random(5) < 0.5).tolist()
            rows.append(row)
    return rows


def test_strata_are_those_of_least_squares() -> None:
    """Each stratum is contrasted with the time in which its app does not run, without the known drains of other hogs.

    The rest of its version has an effect of its own, and other versions have one.
    """
    rows, effects = made(2, 150, gap_s=9000), (2.0, 0.0, 1.0)
    table = pa.Table.from_pylist(rows, SAMPLES).select(COLUMNS)
    request = requested([0], {2: [1]}, effects)
    found = {
        (row["client"], row["package"], row["screen"], row["network"]): row
        for row in table_of(table, request, OF_APP, HAS_VERSION).to_pylist()
    }
    assert {key[:2] for key in found} == {(0, 0), (0, 1), (1, 0), (1, 1), (1, 4)}
    parsed = samples_in(table)
    for client in range(2):
        end = np.flatnonzero(parsed.client == client)[1:]
        design = ControlColumns.of(table, parsed.screen, parsed.time_s, with_trend=True).of_pairs(end)[0]
        share = (
            np.array([[(package in rows[i]["apps"]) + (package in rows[i - 1]["apps"]) for package in range(5)] for i in end]) / 2
        )
        screen = np.array([int(rows[i]["screen"]) + int(rows[i - 1]["screen"]) for i in end])
        ends = [(rows[i]["network"], rows[i - 1]["network"]) for i in end]
        network = np.array([NETWORKS.index(one) if one == two and one else CHANGING for one, two in ends])
        whole = {app: np.minimum(share[:, app == OF_APP].sum(axis=1), 1) for app in (0, 2)}
        for (_, package, on, by), row in ((key, row) for key, row in found.items() if key[0] == client):
            app = int(OF_APP[package])
            own = share[:, package] * ((screen == on) & (network == by))
            rest = np.column_stack([share[:, package] - own, share[:, app == OF_APP].sum(axis=1) - share[:, package]])
            other = 2 - app
            left = np.full(len(end), 10_000.0 / 9000) - effects[other] * whole[other] * (other == 0 or client == 1 or app == 0)
            fit = np.linalg.lstsq(np.column_stack([own, rest, design]), left, rcond=1e-12)[0]
            assert row["seconds"] == pytest.approx(9000 * own.sum()) and row["pairs"] == np.count_nonzero(own)
            assert row["s"] / row["w"] == pytest.approx(fit[0], rel=1e-4, abs=1e-4)


def test_slow_changes_do_not_count_for_versions() -> None:
    """The app drains 5 ppm/s in both versions. The rest doubles slowly, and grows by 1 ppm/s in the middle."""
    random = np.random.default_rng(4)
    samples, gap_s = 900, 2400
    runs = random.integers(2, size=samples)
    share = (runs[1:] + runs[:-1]) / 2
    place = np.arange(samples - 1) / samples
    drop_ppm = gap_s * (10 + 10 * place + (place > 0.5) + 5 * share + random.normal(0, 1, samples - 1))
    level = 10**8 - np.append(0, np.cumsum(np.round(drop_ppm).astype(int)))
    rows = [
        dict.fromkeys(SAMPLES.names)
        | {"client": 0, "time_s": gap_s * i, "level_ppm": int(level[i]), "state": int(State.DISCHARGING), "screen": False}
        | {"apps": [int(i > samples / 2)] if runs[i] else []}
        for i in range(samples)
    ]
    table = pa.Table.from_pylist(rows, SAMPLES.set(SAMPLES.get_field_index("level_ppm"), pa.field("level_ppm", pa.int64())))
    found = table_of(table.select(COLUMNS), requested([0], {}), OF_APP, HAS_VERSION).to_pylist()
    by_package = {package: [row for row in found if row["package"] == package] for package in (0, 1)}
    for rows_of_version in by_package.values():
        effect = sum(row["s"] for row in rows_of_version) / sum(row["w"] for row in rows_of_version)
        assert effect == pytest.approx(5, abs=0.4)


def test_counters_without_versions_say_how_long_a_version_ran() -> None:
    """The app is in the list at each sample, and ran for a quarter of each pair."""
    gap_s, pairs = 600, 40
    rows = [
        dict.fromkeys(SAMPLES.names)
        | {"client": 0, "time_s": gap_s * i, "level_ppm": 10**6 - 1000 * i, "state": int(State.DISCHARGING), "screen": False}
        | {"apps": [int(i > 20)], "running_apps": [2], "running_ms": [250 * gap_s * i]}
        for i in range(pairs + 1)
    ]
    table = pa.Table.from_pylist(rows, SAMPLES).select(COLUMNS)
    of_app, has_version = np.zeros(3, np.int32), np.array([True, True, False])
    request = StrataRequest(
        WantedApps(np.array([0]), np.zeros(0, np.int64), np.zeros(0, np.int64)), np.arange(1), np.ones((1, CLASSES)), np.zeros(1)
    )
    found = table_of(table, request, of_app, has_version).to_pylist()
    seconds = {package: sum(row["seconds"] for row in found if row["package"] == package) for package in (0, 1)}
    assert seconds[0] == pytest.approx(20 * gap_s / 4, rel=0.15) and seconds[1] == pytest.approx(20 * gap_s / 4, rel=0.15)


def test_no_samples_give_no_strata() -> None:
    empty = table_of(SAMPLES.empty_table().select(COLUMNS), REQUEST, OF_APP, HAS_VERSION)
    assert empty.schema == strata.STRATA and not empty.num_rows


def test_samples_are_read_again_only_for_another_request(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": range(5), "app": ["a", "a", "b", "b", "c"], "version": ["1", "2"] * 2 + [""]}))
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(made(3, 60), SAMPLES))
    fleet = fleet_of(store)
    updates: list[tuple[int, int]] = []

    def packages_after(request: StrataRequest) -> list[int]:
        strata.bring_up_to_date(
            replace(fleet, progress=lambda done, total: updates.append((done, total))), strata.OTHERS, request
        )
        return sorted(set(read_table(fleet.jobs[0].file(strata.OTHERS))["package"].to_pylist()))

    assert packages_after(requested([0, 2], {})) == packages_after(requested([0, 2], {})) == [0, 1, 4]
    assert updates == [(1, 1)]
    assert packages_after(requested([0], {1: [2]})) == [0, 1, 2, 3]
    table = read_table(fleet.jobs[0].file(strata.OTHERS))
    assert {row["client"] for row in table.to_pylist() if row["package"] in (2, 3)} == {2}
    fleet.jobs[0].file(strata.OTHERS).write_bytes(b"damaged")
    assert packages_after(requested([0], {1: [2]})) == [0, 1, 2, 3]
    assert updates == [(1, 1)] * 3


def test_an_app_with_bugs_has_strata_on_affected_clients_and_a_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strata, "CONTROL_SIZE", 1)
    store = Store.create(tmp_path / "store", buckets=2, salt="s")
    store.write_packages(pa.table({"id": range(6), "app": ["a", "a", "b", "b", "c", "a"], "version": ["1", "2"] * 2 + ["", "3"]}))
    rows = [row | {"level_ppm": 900_000 - row["time_s"]} for row in made(6, 400)]  # type: ignore[operator]
    for row in rows:  # one version at a time
        row["apps"] = sorted({package - package % 2 + (row["time_s"] > 100_000) for package in row["apps"] if package < 4})  # type: ignore
    for bucket in range(2):
        own = [row for row in rows if row["client"] % 2 == bucket]  # type: ignore[operator]
        store.write_part(Unit(bucket, "1970-01"), "a", pa.Table.from_pylist(own, SAMPLES))
    fleet = fleet_of(store)
    (zero, on_some), (one, everywhere) = strata_by_app(fleet, find_hogs(fleet), np.array([0, 1]), {0: np.array([3, 4])})
    assert (zero, one) == (0, 1)
    for found, by_condition in ((on_some, (0, 3, 4)), (everywhere, range(6))):
        assert found.clients.tolist() == [0, 1, 2, 3, 4, 5] and found.contrasted.all()
        for client in range(6):
            own = found.cluster == client
            assert (found.w[own].sum() > 0) == (client in by_condition)
            if client not in by_condition:
                assert own.sum() == 1 and {feature.place[own][0] for feature in found.features.values()} == {-1}
    values = on_some.values()
    assert (values["version"], values["network"]) == (["1", "2"], ["mobile", "none", "wifi"])
    assert "screen" not in values, "the time with the screen on is unknown"


@pytest.mark.parametrize("apps", [[], [0]])
def test_an_app_without_clients_has_no_strata(apps: list[int], tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", buckets=1, salt="s")
    store.write_packages(pa.table({"id": [0], "app": ["a"], "version": [""]}))
    rows = [row | {"apps": []} for row in made(2, 5)]
    store.write_part(Unit(0, "1970-01"), "a", pa.Table.from_pylist(rows, SAMPLES))
    fleet = fleet_of(store)
    found = dict(strata_by_app(fleet, find_hogs(fleet), np.array(apps, np.int64), {}))
    assert [len(one.s) for one in found.values()] == [0] * len(apps)


def test_runs_that_differ_by_how_sums_round_make_the_same_request() -> None:
    chance, app = np.random.default_rng(1), np.arange(1000)
    nothing, by_class = np.zeros(0, np.int64), chance.uniform(0, 1, (1000, CLASSES))
    noise = (np.zeros(()), *chance.normal(0, 1e-14, (5, 1000, CLASSES)))
    apps = WantedApps(app, nothing, nothing)
    assert len({JointRequest(apps, app, steady(by_class + one)).digest() for one in noise}) == 1


def test_the_parts_of_buckets_are_the_whole() -> None:
    clients, buckets = np.arange(-4, 5), 3
    whole = WantedApps(np.array([1]), np.array([-4, -1, -1, 2, 3]), np.array([0, 0, 2, 2, 0]))
    wanted = whole.table(clients, np.arange(3))
    assert [tuple(one) for one in np.argwhere(wanted[:, [0, 2]])] == [(0, 0), (3, 0), (3, 1), (6, 1), (7, 0)]
    parts = [whole.for_bucket(bucket, buckets) for bucket in range(buckets)]
    for bucket, part in enumerate(parts):
        own = bucket_of(clients, buckets) == bucket
        assert part.table(clients, np.arange(3))[own].tolist() == wanted[own].tolist()
    assert sum(len(part.single_client) for part in parts) == len(whole.single_client)
