"""Apps that drain nothing and come along with something that drains: the screen, or a hog."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.level_fleet import START_S, alternating, stored_fleet
from support.open_fleet import fleet_of

from navitas.fleet.findings.bugs import Bugs, find_bugs
from navitas.fleet.findings.hogs import Claim, Hogs, find_hogs, warnings_of
from navitas.fleet.findings.results import PERCENT_H
from navitas.fleet.schema import SAMPLES, State

_DAYS, _EVERY = 10, 15
_HOG, _COMPANION, _SHOWN, _STAYING, _OTHER = range(5)


def timer_samples(clients: int, *, counters: bool) -> pa.Table:
    """Samples every 15 minutes. The screen drains 10 %/h, the hog 2 %/h.

    The companion runs with the hog for nine of ten of its runs, and sometimes alone. One app is shown with the screen, another
    one is started by it and stays for half an hour.
    """
    rows = []
    for client in range(clients):
        chance = np.random.default_rng([1, client])
        size = _DAYS * 1440
        screen = alternating(chance, size, 8, 60)
        hog = alternating(chance, size, 60, 240)
        runs = np.cumsum(np.diff(hog.astype(int), prepend=0) > 0)
        with_hog = hog & (chance.random(runs[-1] + 1) < 0.9)[runs]
        sessions = np.cumsum(np.diff(screen.astype(int), prepend=0) > 0)
        shown = screen & (chance.random(sessions[-1] + 1) < 0.5)[sessions]
        staying = shown.copy()
        for minute in np.flatnonzero(shown[:-1] & ~shown[1:]).tolist():
            staying[minute : minute + int(chance.exponential(30))] = True
        apps = np.stack([hog, with_hog | alternating(chance, size, 60, 900), shown, staying, alternating(chance, size, 45, 90)])
        level = 100 - np.cumsum(1.0 + 10.0 * screen + 2.0 * hog) / 60 % 80
        lit = np.cumsum(screen)
        for minute in range(0, size, _EVERY):
            known = {"screen_on_ms": 60_000 * int(lit[minute])} if counters else {}
            rows.append({
                "client": client, "time_s": START_S + 60 * minute, "level_ppm": int(level[minute]) * 10_000,
                "state": int(State.DISCHARGING), "screen": bool(screen[minute]), "apps": np.flatnonzero(apps[:, minute]).tolist(),
                **known,
            })  # fmt: skip
    return pa.Table.from_pylist(rows, SAMPLES)


def found(path: Path, *, counters: bool) -> tuple[Hogs, Bugs]:
    store = stored_fleet(path, timer_samples(50, counters=counters), 5)
    fleet = fleet_of(store)
    hogs = find_hogs(fleet)
    return hogs, find_bugs(fleet, hogs)


def test_with_screen_time_only_the_hog_is_named(tmp_path: Path) -> None:
    hogs, bugs = found(tmp_path / "fleet", counters=True)
    assert np.flatnonzero(hogs.is_hog).tolist() == [_HOG]
    assert hogs.effect.value[_HOG] * PERCENT_H == pytest.approx(2.0, abs=0.2)
    assert hogs.alone.effect.value[_COMPANION] * PERCENT_H > 0.8, "the regression on it alone charges it for the hog"
    assert abs(hogs.effect.value[_COMPANION]) * PERCENT_H < 0.25
    assert hogs.given.partner[_COMPANION] == _HOG and hogs.given.overlap[_COMPANION] > 0.5
    assert warnings_of(hogs) == []
    assert bugs.app.tolist() == [], "the hog's drain is no bug of its companion on single clients"


def test_without_screen_time_apps_of_the_screen_are_not_named(tmp_path: Path) -> None:
    hogs, _ = found(tmp_path / "fleet", counters=False)
    assert hogs.claim[_HOG] == Claim.HOG
    assert not hogs.is_hog[[_COMPANION, _SHOWN, _STAYING, _OTHER]].any()
    assert hogs.evidence.link[_SHOWN] > 0.5 and hogs.evidence.link[_OTHER] == pytest.approx(0, abs=0.02)
    assert not (hogs.claim[[_SHOWN, _STAYING]] == Claim.CLEAN).any()
