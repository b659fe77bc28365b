"""Sums of a unit, also for samples in pieces or out of order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from navitas.fleet.regression import designs
from navitas.fleet.regression.usage import COLUMNS, usage_of
from navitas.fleet.schema import SAMPLES, State


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


OF_APP = np.array([0, 1, 2, 1], np.int32)


def table(rows: list[dict[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(rows, SAMPLES).select(COLUMNS)


def test_sums_by_client_and_app() -> None:
    """An app runs for the share of ends at which it is seen, in any version."""
    usage = usage_of(table(ROWS), OF_APP).usage.to_pylist()
    sums = {(one["client"], one["app"]): (one["pairs"], one["ran_s"], one["drop_ppm"]) for one in usage}
    assert sums == {(1, 1): (3, 1800, 60_000), (1, 2): (1, 300, 10_000), (2, 1): (1, 50, 0)}


def test_sums_of_clients() -> None:
    off, on, other = usage_of(table(ROWS), OF_APP).clients.to_pylist()
    assert (off["screen"], off["pairs"], off["seconds"], off["drop_ppm"]) == (0, 1, 600, 10_000)
    assert (on["screen"], on["pairs"]) == (1, 2)
    for row in (off, on):
        assert (row["client"], row["samples"], row["step_ppm"]) == (1, 4, 10_000)
        assert (row["first_s"], row["last_s"], row["os"], row["model"]) == (0, 1800, "1800", "M")
    assert (other["client"], other["seconds"], other["drop_ppm"], other["step_ppm"]) == (2, 100, 0, 0)


def test_samples_of_the_month_before_only_begin_pairs() -> None:
    late = usage_of(table(ROWS), OF_APP, begins_s=700)
    assert [(one["client"], one["app"], one["ran_s"]) for one in late.usage.to_pylist()] == [(1, 1, 1200)]
    assert {one["client"] for one in late.clients.to_pylist()} == {1}


def test_order_does_not_matter() -> None:
    shuffled = table([ROWS[i] for i in np.random.default_rng(3).permutation(len(ROWS))])
    assert usage_of(shuffled, OF_APP).usage.equals(usage_of(table(ROWS), OF_APP).usage)


def test_nothing() -> None:
    empty = usage_of(table([]), OF_APP)
    assert empty.usage.num_rows == empty.clients.num_rows == 0


def counted(percent: int, time_s: int, **more: object) -> dict[str, object]:
    return {**row(1, time_s, percent, [1]), **more}


def test_running_and_foreground_counters_replace_the_ends() -> None:
    """App 1 ran for a quarter of the first pair by its counter. App 2 was in the foreground for half of the second one."""
    known = {"running_apps": [1], "foreground_apps": [2]}
    rows = [
        counted(90, 0, **known, running_ms=[1_000], foreground_ms=[0]),
        counted(89, 400, **known, running_ms=[101_000], foreground_ms=[0]),
        counted(88, 800, foreground_apps=[2], foreground_ms=[200_000]),
    ]
    usage = usage_of(table(rows), OF_APP).usage.to_pylist()
    assert {one["app"]: one["ran_s"] for one in usage} == {1: 100 + 400, 2: 200}


def test_an_app_that_runs_only_with_the_screen_on_ran_for_a_part_of_that_time() -> None:
    """The screen is on for 600 of 1,000 s, from a sample without it to one with it, and back. App 1 runs at each one with it."""
    rows = [
        row(1, 1_000 * i, 90 - i, ([0, 1] if i % 2 else [0]), screen=bool(i % 2)) | {"screen_on_ms": 600_000 * i}
        for i in range(21)
    ]
    usage = usage_of(table(rows), OF_APP).usage.to_pylist()
    assert {one["app"]: one["ran_s"] for one in usage} == {0: 20_000, 1: pytest.approx(20 * 600)}
    once_dark = [*rows, row(1, 21_000, 60, [1], screen=False)]
    assert usage_of(table(once_dark), OF_APP).usage.filter(pc.field("app") == 1)["ran_s"].to_pylist() == [20 * 500 + 500]


@pytest.mark.parametrize("counters", [[5_000, 1_000], [0, 10_000_000]])
def test_a_counter_that_goes_back_or_jumps_is_not_used(counters: list[int]) -> None:
    rows = [counted(90 - i, 600 * i, running_apps=[1], running_ms=[ms], screen_on_ms=ms) for i, ms in enumerate(counters)]
    made = usage_of(table(rows), OF_APP)
    assert made.usage["ran_s"].to_pylist() == [600]
    assert sum(made.evidence[name].to_pylist()[0] for name in ("w0", "w1", "w2", "w3", "w4")) == pytest.approx(0)


def test_very_many_samples_of_a_client_are_regressed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pair between two parts is lost for the regression, and for nothing else."""
    rows = [row(1, 600 * i, 90 - i // 2, [1] if i % 3 else []) for i in range(40)]
    whole = usage_of(table(rows), OF_APP)
    monkeypatch.setattr(designs, "_LONGEST", 20)
    parts = usage_of(table(rows), OF_APP)
    assert parts.clients.equals(whole.clients)
    assert sum(parts.usage["pairs"].to_pylist()) == sum(whole.usage["pairs"].to_pylist()) - 1


@pytest.mark.parametrize(("counted_apps", "ran_s"), [([1, 2], (100, 0)), ([1], (400, 400)), ([], (400, 400))])
def test_counters_that_lack_an_app_of_the_list_are_no_evidence(counted_apps: list[int], ran_s: tuple[int, int]) -> None:
    rows = [
        row(1, time_s, 90, [1, 2])
        | {"running_apps": counted_apps, "running_ms": [time_s * 250 * (one == 1) for one in counted_apps]}
        for time_s in (0, 400)
    ]
    usage = usage_of(table(rows), OF_APP).usage.to_pylist()
    assert {one["app"]: one["ran_s"] for one in usage} == {app: ran for app, ran in zip((1, 2), ran_s, strict=True) if ran}
