"""Sums of a unit, also for samples in pieces or out of order."""

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
    names = ["both_pairs", "both_seconds", "both_drop_ppm", "one_pairs", "one_seconds", "one_drop_ppm"]
    assert {(one["client"], one["package"], one["screen"]): [one[name] for name in names] for one in usage} == {
        (1, 1, 0): [1, 600, 10_000, 0, 0, 0],
        (1, 1, 1): [2, 1200, 50_000, 0, 0, 0],
        (1, 2, 1): [0, 0, 0, 1, 600, 20_000],
        (1, 3, 0): [1, 600, 10_000, 0, 0, 0],
        (1, 3, 1): [0, 0, 0, 1, 600, 30_000],
        (2, 1, 0): [0, 0, 0, 1, 100, 0],
    }


def test_a_version_that_replaces_another_is_counted() -> None:
    rows = [row(1, 600 * i, 90 - i, apps) for i, apps in enumerate([[1], [1], [3], [2, 3], [2]])]
    sums = [
        (
            one["package"],
            one["both_pairs"],
            one["one_pairs"],
            one["changed_pairs"],
            one["changed_seconds"],
            one["changed_drop_ppm"],
        )
        for one in usage_of(table(rows), app_of=np.array([0, 1, 2, 1], np.int32)).usage.to_pylist()
    ]
    assert sorted(sums) == [(1, 1, 1, 0, 0, 0), (2, 1, 1, 0, 0, 0), (3, 1, 2, 1, 600, 10_000)]


def test_sums_of_clients() -> None:
    off, on, other = usage_of(table(ROWS)).clients.to_pylist()
    assert (off["screen"], off["pairs"], off["seconds"], off["drop_ppm"]) == (0, 1, 600, 10_000)
    assert (on["screen"], on["pairs"], on["square"]) == (1, 2, pytest.approx((20_000**2 + 30_000**2) / 600))
    for row in (off, on):
        assert (row["client"], row["samples"], row["step_ppm"]) == (1, 4, 10_000)
        assert (row["first_s"], row["last_s"], row["os"], row["model"]) == (0, 1800, "1800", "M")
    assert (other["client"], other["seconds"], other["drop_ppm"], other["step_ppm"]) == (2, 100, 0, 0)


def test_units_add_up_to_the_whole() -> None:
    whole, early = usage_of(table(ROWS)).usage, usage_of(table([one for one in ROWS if one["time_s"] < 700])).usage  # type: ignore[operator]
    late = usage_of(table([one for one in ROWS if one["time_s"] >= 600]), begins_s=700).usage  # type: ignore[operator]
    sums = [("both_drop_ppm", "sum"), ("one_pairs", "sum")]
    summed, expected = (
        made.group_by(["client", "package", "screen"]).aggregate(sums).to_pylist()
        for made in (pa.concat_tables([early, late]), whole)
    )
    assert sorted(map(str, summed)) == sorted(map(str, expected))


def test_order_does_not_matter() -> None:
    shuffled = table([ROWS[i] for i in np.random.default_rng(3).permutation(len(ROWS))])
    assert usage_of(shuffled).usage.equals(usage_of(table(ROWS)).usage)


def test_nothing() -> None:
    empty = usage_of(table([]))
    assert empty.usage.num_rows == empty.clients.num_rows == 0
