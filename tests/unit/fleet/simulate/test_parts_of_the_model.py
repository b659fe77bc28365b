"""Each part of the simulator's model matches docs/dev/fleet-simulator.md."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.fleet.schema import PPM
from navitas.fleet.simulate.catalog import FleetModel, catalog_of, generator
from navitas.fleet.simulate.clients import Clients, clients_of
from navitas.fleet.simulate.course import Course, battery_of, between, course_of, reported_level
from navitas.fleet.simulate.running import effects_of, running_of

MODEL = FleetModel(clients=400, samples=80_000, apps=300)
CATALOG = catalog_of(MODEL, 1)


@pytest.fixture(scope="module")
def clients() -> Clients:
    return clients_of(MODEL, CATALOG, np.arange(400), np.arange(400) % 100 + 150, generator(1, 0))


@pytest.fixture(scope="module")
def course(clients: Clients) -> Course:
    return course_of(MODEL, clients, generator(1, 1), 0)


def test_clients_come_in_order_of_their_samples(clients: Clients, course: Course) -> None:
    assert (np.diff(clients.samples) <= 0).all()
    assert course.active.tolist() == [(clients.samples > row).sum() for row in range(int(clients.samples.max()))]
    assert (course.seconds.sum(axis=0) == course.time_s[clients.samples - 1, np.arange(400)] - course.time_s[0]).all()


def test_popular_apps_are_installed_as_their_weights_say(clients: Clients) -> None:
    count = np.bincount(clients.apps.app[clients.apps.app >= 0], minlength=MODEL.apps)
    assert (np.diff(clients.apps.app, axis=1) > 0)[clients.apps.app[:, 1:] >= 0].all()
    # Far down the list, where hardly any client has it already, an app's chance goes with its weight.
    low, high = count[60:100].mean(), count[240:280].mean()
    assert low / high == pytest.approx(260 / 80, rel=0.25)
    assert count[0] > 0.9 * len(clients.number)
    assert 30 <= (clients.apps.app >= 0).sum(axis=1).min() <= (clients.apps.app >= 0).sum(axis=1).max() <= 80


def test_heavy_users_run_more_and_drain_more(clients: Clients, course: Course) -> None:
    heavy, light = clients.use > 0.7, clients.use < -0.7
    assert clients.idle_ppm_s[heavy].mean() > 1.1 * clients.idle_ppm_s[light].mean()
    assert course.screen[:150, heavy].mean() > 1.3 * course.screen[:150, light].mean()
    on = running_of(clients.apps, course, generator(1, 2)).on[:150].sum(axis=2)
    assert on[:, heavy].mean() > 1.2 * on[:, light].mean()


def test_runs_last_and_the_screen_brings_more(clients: Clients, course: Course) -> None:
    running = running_of(clients.apps, course, generator(1, 2))
    on, lit = running.on[:150], course.screen[:150]
    resting, staying = on[:-1] & ~lit[:-1, :, None], on[1:]
    assert staying[resting].mean() > 0.85
    assert on[lit].sum(axis=1).mean() > 1.1 * on[~lit].sum(axis=1).mean()
    usual = clients.apps.duty[clients.apps.app >= 0]
    dark = (on & ~lit[:, :, None]).sum(axis=0) / np.maximum((~lit).sum(axis=0), 1)[:, None]
    assert dark[clients.apps.app >= 0].mean() == pytest.approx(usual.mean(), rel=0.03)


def test_rates_keep_for_hours_and_follow_the_day(clients: Clients, course: Course) -> None:
    untouched = ~(course.screen[:149] | course.screen[1:150])
    idle = np.log(course.rate_ppm_s[:149] / clients.idle_ppm_s)
    next_to = untouched[:-1] & untouched[1:]
    assert np.corrcoef(idle[:-1][next_to], idle[1:][next_to])[0, 1] > 0.6
    night = (course.hour[:149] < 6) & untouched
    day = (course.hour[:149] >= 8) & (course.hour[:149] < 22) & untouched
    assert idle[night].mean() < idle[day].mean() - 0.15
    assert course.screen[:149][course.hour[:149] < 6].mean() < 0.1 < course.screen[:149][course.hour[:149] > 8].mean()


def test_without_a_charger_the_level_falls_by_the_rate_exactly(clients: Clients, course: Course) -> None:
    battery = battery_of(clients, course, course.rate_ppm_s, generator(1, 3), False)
    chosen = battery.discharging() & (course.seconds > 0)
    fall = -np.diff(battery.level_ppm, axis=0)[chosen[:-1]]
    assert fall == pytest.approx((course.rate_ppm_s * course.seconds)[chosen], rel=1e-9, abs=1e-6)
    # With a low level or not, whether a pair has a rate does not depend on the rate.
    plugged, drop = battery.plugged, course.rate_ppm_s * course.seconds
    low = ~plugged[:-1] & (battery.level_ppm[:-1] < clients.low_ppm) & (battery.level_ppm[:-1] - drop[:-1] > 5000)
    low &= (course.hour[1:] < 22) & (course.seconds[:-1] > 0)
    assert plugged[1:][low].mean() == pytest.approx(0.5, abs=0.03)
    rate = course.rate_ppm_s[:-1]
    assert rate[low & plugged[1:]].mean() == pytest.approx(rate[low & ~plugged[1:]].mean(), rel=0.06)
    assert 0.1 < plugged[:150].mean() < 0.45


def test_levels_are_rounded_up_to_the_step() -> None:
    level = np.array([PPM, PPM - 1.0, 500_000.0, 500_000.5, 949_999.0])
    assert reported_level(level, np.array([50_000])).tolist() == [PPM, PPM, 500_000, 550_000, 950_000]
    assert reported_level(level, np.array([10_000])).tolist() == [PPM, PPM, 500_000, 510_000, 950_000]
    assert reported_level(np.array([999_999.0]), np.array([300_000])).tolist() == [PPM]


def test_a_state_lasts_until_the_switch() -> None:
    switch, state = np.array([0.25, 0.5, 0.9]), np.array([8.0, 0.0, 4.0])
    assert between(switch, state).tolist() == [2.0, 2.0, 0.0]


def test_apps_that_are_neither_hog_nor_bug_drain_nothing(clients: Clients, course: Course) -> None:
    running = running_of(clients.apps, course, generator(1, 2))
    effects = effects_of(CATALOG, clients.apps, course, running, generator(1, 3))
    app = clients.apps.app[effects.client, effects.slot]
    assert (CATALOG.hog[app] | CATALOG.buggy[app]).all()
    assert (effects.drain_ppm_s[:, ~CATALOG.hog[app]].max(axis=0) <= 2.0 * MODEL.typical_ppm_s * 1.001).all()
    steady = CATALOG.hog[app] & (CATALOG.since[app] == 0)
    ran = effects.run[:, steady].sum(axis=0)
    assert effects.drain_ppm_s[:, steady].sum(axis=0) == pytest.approx(
        ran * clients.apps.extra_ppm_s[effects.client, effects.slot][steady], rel=1e-4
    )
    total = effects.by_client(effects.drain_ppm_s, np.ones(len(app), bool), len(clients.number))
    assert total.sum() == pytest.approx(effects.drain_ppm_s.sum(dtype=float), rel=1e-5)
    own = clients.apps.extra_ppm_s[effects.client, effects.slot][steady] / CATALOG.extra_ppm_s[app[steady]]
    assert own.mean() == pytest.approx(1, abs=0.05)
