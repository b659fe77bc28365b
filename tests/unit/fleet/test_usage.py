"""Sums of a unit, also when its samples come in pieces or out of order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from navitas.fleet.schema import SAMPLES, State
from navitas.fleet.usage import COLUMNS, usage_of


def row(client: int, time_s: int, percent: int, apps: list[int], *, screen: bool | None = None) -> dict[str, object]:
    known = {"client": client, "time_s": time_s, "level_ppm": percent * 10_000, "state": int(State.DISCHARGING), "apps": apps}
    return dict.fromkeys(SAMPLES.names) | known | {"screen": screen, "model": "M", "os": f"{time_s}"}


ROWS = [
    row(1, 0, 90, [1, 2]),
    row(1, 600, 88, [1], screen=True),
    row(1, 1200, 85, [1, 3], screen=False),
    row(1, 1800, 84, [1, 3]),
    row(2, 0, 50, []),
    row(2, 100, 50, [1]),
]


def table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(rows, SAMPLES).select(COLUMNS)


def test_sums_of_packages_by_ends_and_screen() -> None:
    usage = usage_of(table(ROWS)).usage.to_pylist()
    found = {(one["client"], one["package"]): one for one in usage}
    assert set(found) == {(1, 1), (1, 2), (1, 3), (2, 1)}
    first = found[1, 1]
    assert (first["both_on_pairs"], first["both_on_seconds"], first["both_on_drop_ppm"]) == (2, 1200, 50_000)
    assert (first["both_off_pairs"], first["both_off_seconds"], first["both_off_drop_ppm"]) == (1, 600, 10_000)
    assert first["one_on_pairs"] == first["one_off_pairs"] == 0
    assert (found[1, 2]["one_on_pairs"], found[1, 2]["one_on_drop_ppm"]) == (1, 20_000)
    assert (found[1, 3]["both_off_pairs"], found[1, 3]["one_on_pairs"]) == (1, 1)
    assert (found[2, 1]["one_off_pairs"], found[2, 1]["one_off_seconds"], found[2, 1]["one_off_drop_ppm"]) == (1, 100, 0)


def test_sums_of_clients() -> None:
    first, second = usage_of(table(ROWS)).clients.to_pylist()
    assert (first["samples"], first["on_pairs"], first["off_pairs"]) == (4, 2, 1)
    assert first["on_square"] == pytest.approx((20_000**2 + 30_000**2) / 600)
    assert first["step_ppm"] == 10_000
    assert (first["first_s"], first["last_s"], first["os"], first["model"]) == (0, 1800, "1800", "M")
    assert (second["off_seconds"], second["off_drop_ppm"], second["step_ppm"]) == (100, 0, 0)


def test_units_add_up_to_the_whole() -> None:
    whole, early = usage_of(table(ROWS)).usage, usage_of(table([one for one in ROWS if one["time_s"] < 700])).usage  # type: ignore[operator]
    late = usage_of(table([one for one in ROWS if one["time_s"] >= 600]), begins_s=700).usage  # type: ignore[operator]
    summed = (
        pa.concat_tables([early, late])
        .group_by(["client", "package"])
        .aggregate([("both_on_drop_ppm", "sum"), ("one_on_pairs", "sum")])
    )
    expected = whole.group_by(["client", "package"]).aggregate([("both_on_drop_ppm", "sum"), ("one_on_pairs", "sum")])
    assert sorted(map(str, summed.to_pylist())) == sorted(map(str, expected.to_pylist()))


def test_order_does_not_matter() -> None:
    shuffled = table([ROWS[i] for i in np.random.default_rng(3).permutation(len(ROWS))])
    assert usage_of(shuffled).usage.equals(usage_of(table(ROWS)).usage)


def test_nothing() -> None:
    empty = usage_of(table([]))
    assert empty.usage.num_rows == empty.clients.num_rows == 0
