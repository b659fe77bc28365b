"""Results restricted to a period are those of a fleet with only its samples."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.level_fleet import START_S, level_samples, stored_fleet
from support.open_fleet import fleet_of

from navitas.base.errors import UsageError
from navitas.fleet.files import FleetError
from navitas.fleet.findings.hogs import Hogs, find_hogs
from navitas.fleet.period import Period
from navitas.fleet.store import Store, first_and_last_s

_DAY_S = 86_400
_RUNS = [(30.0, 120.0, 0.0), (120.0, 360.0, 2.0)]


def hogs_of(store: Store) -> Hogs:
    return find_hogs(fleet_of(store))


def test_a_period_has_the_results_of_its_samples(tmp_path: Path) -> None:
    table = level_samples(3, 20, 10, _RUNS)
    store = stored_fleet(tmp_path / "whole", table, len(_RUNS))
    whole = hogs_of(store)
    until_s = START_S + 6 * _DAY_S
    early = hogs_of(replace(store, period=Period(0, until_s)))
    only = stored_fleet(tmp_path / "early", table.filter(pa.array(table["time_s"].to_numpy() < until_s)), len(_RUNS))
    assert early.effect.value == pytest.approx(hogs_of(only).effect.value, rel=1e-9)
    assert early.alone.seconds.sum() < 0.7 * whole.alone.seconds.sum()
    late = hogs_of(replace(store, period=Period(until_s, until_s + 99 * _DAY_S)))
    assert early.alone.seconds + late.alone.seconds == pytest.approx(whole.alone.seconds, rel=1e-6)
    assert np.array_equal(hogs_of(store).effect.value, whole.effect.value)
    for period in (Period(0, START_S - 40 * _DAY_S), Period(START_S + 20 * _DAY_S)):  # The second one is in the same month.
        with pytest.raises(FleetError, match="no samples in this period: the samples are from 2026-03-01 to 2026-03-10"):
            hogs_of(replace(store, period=period))
    time_s = table["time_s"].to_numpy()
    assert first_and_last_s(store, Period()) == (time_s.min(), time_s.max())
    assert first_and_last_s(store, Period(0, until_s)) == (time_s.min(), time_s[time_s < until_s].max())


@pytest.mark.parametrize(
    ("since", "until", "period"),
    [
        (None, None, Period()),
        ("2026-03-01", None, Period(1_772_323_200)),
        ("2026-03-01T00:00+01:00", "2026-03-02", Period(1_772_319_600, 1_772_409_600)),
    ],
)
def test_dates_are_read(since: str | None, until: str | None, period: Period) -> None:
    assert Period.parse(since, until) == period


@pytest.mark.parametrize(
    ("since", "until", "message"),
    [
        ("yesterday", None, "--since yesterday: not a date"),
        (None, "2026-13-01", "--until 2026-13-01: not a date"),
        ("2026-03-02", "2026-03-02", "--since 2026-03-02 is not before --until 2026-03-02"),
        (None, "0001-01-01T00:00:00+23:00", r"--until 0001-01-01T00:00:00\+23:00 is not after 1970-01-01"),
        ("0001-01-01", "1970-01-01", None),
    ],
)
def test_a_wrong_date_is_a_usage_error(since: str | None, until: str | None, message: str | None) -> None:
    with pytest.raises(UsageError, match=message) if message else nullcontext():
        Period.parse(since, until)
