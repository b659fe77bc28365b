"""Use of components that only rails show, of recordings without data of who used them."""

from __future__ import annotations

import pytest
from attribution_maker import run, thread
from hardware_maker import hooks, profile_of, rails
from support.run_tables import changed

from navitas.energy.analyze.top import unrecorded
from navitas.recording.parse.rail_readings import RailReadings

BUSY = run([thread(1, samples=[(0, 0), (1000, 500)])])
NAMES = ("VSYS_PWR_WLAN_BT", "L9S_GNSS_CORE", "VSYS_PWR_DISPLAY")


def measured(*watts: tuple[float, float, float]) -> RailReadings:
    """Rails of Wi-Fi, GNSS and the screen, read every 100 ms, with these powers in between."""
    joules, rows = [0.0, 0.0, 0.0], [(0.0, (0.0, 0.0, 0.0))]
    for number, powers in enumerate(watts, 1):
        joules = [before + 0.1 * power for before, power in zip(joules, powers, strict=True)]
        rows.append((100.0 * number, (joules[0], joules[1], joules[2])))
    return rails(rows, NAMES)


def test_energy_above_a_rails_lowest_power_shows_use() -> None:
    read = measured((0.1, 0.0, 3.0), (5.1, 2.0, 1.0), (0.1, 0.0, 3.0))
    assert dict(unrecorded(profile_of(changed(BUSY, rails=read)).ledger)) == {
        "wifi": pytest.approx(0.5),
        "gnss": pytest.approx(0.2),
    }
    assert [name for name, _ in unrecorded(profile_of(changed(BUSY, rails=read)).ledger)] == ["wifi", "gnss"]


def test_constant_power_and_little_energy_show_no_use() -> None:
    made = profile_of(changed(BUSY, rails=measured((2.0, 0.001, 3.0), (2.0, 0.0, 1.0))))
    assert made.ledger.run_energy_j.sum() > 0.0
    assert unrecorded(made.ledger) == ()


def test_nothing_is_unrecorded_with_hooks_or_without_rails() -> None:
    read = measured((0.1, 0.0, 3.0), (5.1, 2.0, 1.0))
    assert unrecorded(profile_of(changed(BUSY, rails=read, hooks=hooks([]))).ledger) == ()
    assert unrecorded(profile_of(BUSY).ledger) == ()
