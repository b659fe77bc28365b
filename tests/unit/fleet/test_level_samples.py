"""Samples at each change of the level, as Android broadcasts them: a pair is short exactly when the drain is fast."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from support.level_fleet import level_samples, stored_fleet
from support.open_fleet import fleet_of

from navitas.fleet.findings.hogs import Claim, Hogs, find_hogs
from navitas.fleet.findings.results import PERCENT_H, app_rows

_CLEAN = [(10.0, 60.0, 0.0), (30.0, 120.0, 0.0), (120.0, 360.0, 0.0)] * 3


def found(path: Path, runs: list[tuple[float, float, float]], clients: int, *, exact: bool = False) -> Hogs:
    store = stored_fleet(path, level_samples(7, clients, 14, runs, exact=exact), len(runs))
    return find_hogs(fleet_of(store))


def test_apps_that_drain_nothing_are_not_named(tmp_path: Path) -> None:
    """Apps that run for 10, 30 or 120 minutes at random."""
    hogs = found(tmp_path / "fleet", _CLEAN, 80)
    assert not hogs.is_hog.any()
    is_short = hogs.claim == Claim.SHORT
    assert is_short.tolist() == [True, False, False] * 3
    assert np.abs(hogs.effect.value * PERCENT_H).max() < 0.1, "also of short runs, since bugs are what clients drain more"
    rows = app_rows(SimpleNamespace(app_names=dict(enumerate("abcdefghi"))), hogs)  # type: ignore[arg-type]
    assert [row.extra_percent_h is None for row in rows] == is_short.tolist()
    assert hogs.evidence.screen_known == pytest.approx(1.0)


def test_a_hog_is_named_among_them(tmp_path: Path) -> None:
    hogs = found(tmp_path / "fleet", [*_CLEAN[:3], (120.0, 360.0, 1.5)], 60)
    assert hogs.is_hog.tolist() == [False, False, False, True]
    assert hogs.effect.value[3] * PERCENT_H == pytest.approx(1.5, abs=0.25)


def test_exact_running_times_show_the_whole_drain_of_short_runs(tmp_path: Path) -> None:
    """Without them, the drain of runs of ten minutes is estimated from how often they begin and end."""
    runs = [*_CLEAN[:3], (10.0, 60.0, 3.0)]
    exact, ends = (found(tmp_path / str(known), runs, 60, exact=known) for known in (True, False))
    assert exact.effect.value[3] * PERCENT_H == pytest.approx(3.0, abs=0.4)
    assert ends.effect.value[3] / exact.effect.value[3] == pytest.approx(1, abs=0.25)
    assert ends.effect.error[3] > 1.2 * exact.effect.error[3]
    assert exact.is_hog.tolist() == ends.is_hog.tolist() == [False, False, False, True]
