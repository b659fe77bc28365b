"""The simulated world of phones agrees with slow recomputations from its own events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from world.battery import CHARGING, DISCHARGING
from world.catalog import make_catalog
from world.defects import make_defects
from world.phone import Phone, live_phone
from world.readings import reading_times
from world.regimes import REGIMES, ROLES, Regime
from world.roster import make_roster
from world.rows import SAMPLES, START_S
from world.simulation import simulate
from world.spans import Spans, covers, total_s
from world.streams import stream

SMALL = Regime(phones=3, days=5, apps=60, hogs=10, since_hogs=3, bugs=6, reboots_per_day=1.0, planted=ROLES)


def phones(regime: Regime, seed: int = 1) -> list[Phone]:
    catalog = make_catalog(regime, seed)
    roster = make_roster(regime, catalog, seed)
    defects = make_defects(regime, catalog, roster, seed)
    return [live_phone(regime, catalog, one, defects.get(one.index, ()), seed) for one in roster]


def rows(regime: Regime, seed: int = 1) -> list[dict[str, Any]]:
    return [row for table in simulate(regime, seed).samples() for row in table.to_pylist()]


def overlap_s(spans: Spans, low: float, high: float) -> float:
    return sum(max(min(end, high) - max(start, low), 0.0) for start, end in spans.tolist())


def test_the_level_falls_by_what_is_drained() -> None:
    for phone in phones(SMALL):
        phases = phone.phases
        assert np.all(np.diff(phases.edges_s) >= 0) and {DISCHARGING, CHARGING} == set(phases.kind.tolist())
        for at in range(len(phases.kind) - 1):
            low, high = phases.edges_s[at], phases.edges_s[at + 1]
            rate = phone.rates[int(phases.saver[at])]
            drained = sum(
                percent_h * max(min(end, high) - max(start, low), 0.0) / 3600
                for start, end, percent_h in zip(rate.edges_s[:-1], rate.edges_s[1:], rate.percent_h, strict=True)
                if start < high and end > low
            )
            fell = phases.level[at] - phases.level[at + 1]
            if phases.kind[at] == DISCHARGING:
                assert fell == pytest.approx(drained, abs=1e-6)
            else:
                assert -fell == pytest.approx(min(phases.percent_h * (high - low) / 3600, 100 - phases.level[at]))
        assert phases.level.min() > 0.9 and phases.level.max() <= 100


def test_an_apps_true_drain_is_that_of_each_second() -> None:
    """To the second, against the spans of runs, versions and conditions."""
    regime = replace(SMALL, days=2, ageing_per_year=0.0)
    world = simulate(regime, 2)
    list(world.samples())
    true = {(row["client"], row["app"]): row for row in world.effects.to_pylist()}
    seconds = np.arange(0, 2 * 86_400, 1.0)
    checked = 0
    for phone in phones(regime, 2):
        unplugged = phone.phases.kind[phone.phases.phase(seconds)] == DISCHARGING
        for drain in phone.drains:
            if sum(one.app == drain.app for one in phone.drains) == 1:
                ran = unplugged & covers(phone.runs[drain.app], seconds)
                drained = drain.percent_h * np.count_nonzero(ran & covers(drain.when, seconds))
                row = true[phone.handset.client, phone.apps[drain.app].package]
                assert row["ran_s"] == pytest.approx(np.count_nonzero(ran), rel=0.01, abs=30)
                assert row["extra_percent_h"] * row["ran_s"] == pytest.approx(drained, rel=0.01, abs=30 * drain.percent_h)
                checked += bool(drained)
    assert checked > 5


def test_samples_come_when_the_level_changes() -> None:
    regime = replace(SMALL, steps=(5.0,), evidence="exact")
    for phone in phones(regime):
        times_s, shown = reading_times(regime, phone, stream(1, phone.handset.index, "readings"))
        level = phone.phases.levels(times_s, phone.rates)
        plugs = phone.phases.edges_s
        crossed = ~np.isin(times_s, plugs)
        assert np.allclose(level[crossed] / 5, np.round(level[crossed] / 5), atol=1e-6)
        assert np.all(np.isin(np.abs(np.diff(shown)), (0.0, 5.0)) | (np.diff(times_s) > 30))
        assert len(times_s) > 60 and not covers(phone.off, times_s).any()


def test_counters_are_totals_since_the_last_start() -> None:
    regime = replace(SMALL, evidence="exact", sampling="mixed")
    table = next(simulate(regime, 1).samples())
    assert table.schema == SAMPLES
    phone = phones(regime)[0]
    assert len(phone.off) > 1
    for row in table.to_pylist()[::37]:
        time_s = round(row["time"] - START_S, 6)
        boot_s = max((end for _, end in phone.off.tolist() if end <= time_s), default=0.0)
        assert row["uptime_s"] == pytest.approx(time_s - boot_s, abs=0.01)
        assert row["screen_on_s"] == pytest.approx(overlap_s(phone.person.lit, boot_s, time_s), abs=0.01)
        for app, seconds in row["running_s"]:
            index = next(index for index, one in phone.apps.items() if one.package == app)
            assert seconds == pytest.approx(overlap_s(phone.runs[index], boot_s, time_s), abs=0.01)
        running = {one.split("@")[0] for one in row["apps"]}
        assert running == {phone.apps[i].package for i, spans in phone.runs.items() if covers(spans, np.array([time_s]))[0]}


def test_timers_wait_in_doze() -> None:
    regime = replace(SMALL, sampling="timer", doze=True, timers_s=(300.0,))
    longest_s = 0.0
    for phone in phones(regime):
        times_s, _ = reading_times(regime, phone, stream(1, phone.handset.index, "readings"))
        longest_s = max(longest_s, np.diff(times_s).max())
        awake, _ = reading_times(replace(regime, doze=False), phone, stream(1, phone.handset.index, "readings"))
        assert len(times_s) < len(awake)
        for start, end in zip(phone.person.sessions[:-1, 1], phone.person.sessions[1:, 0], strict=True):
            idle = times_s[(times_s > start + 3700) & (times_s < end)]
            phase = phone.phases.phase(idle)
            unplugged = phone.phases.kind[phase] == DISCHARGING
            # Doze begins an hour after both the session and the charge.
            assert np.count_nonzero(unplugged & (idle > phone.phases.edges_s[phase] + 3700)) <= 8
    assert longest_s > 3600


def test_planted_apps_run_with_what_they_come_with() -> None:
    regime = replace(REGIMES["confounders"], phones=40, days=4, apps=60)
    world = simulate(regime, 4)
    found = [row for table in world.samples() for row in table.to_pylist()]
    role = {row["app"]: row["role"] for row in world.apps.to_pylist() if row["role"]}
    assert set(role.values()) == set(ROLES) and not any(row["is_hog"] for row in world.apps.to_pylist() if row["role"])
    of_role: dict[str, list[dict[str, Any]]] = {name: [] for name in role.values()}
    for row in found:
        for name in role.keys() & {app.split("@")[0] for app in row["apps"]}:
            of_role[role[name]].append(row)
    assert of_role["mobile"] and {row["network"] for row in of_role["mobile"]} == {"mobile"}
    assert np.mean([row["saver"] for row in of_role["saver-on"]]) > 2 * np.mean([row["saver"] for row in found])
    assert np.mean([row["screen"] for row in of_role["foreground"]]) > 0.6
    true = {row["app"]: row["extra_percent_h"] for row in world.effects.to_pylist() if row["app"] in role}
    assert set(true.values()) == {0.0}


def test_a_seed_gives_one_world() -> None:
    one, other = (rows(replace(SMALL, phones=2, days=2), 7) for _ in range(2))
    assert one == other != rows(replace(SMALL, phones=2, days=2), 8)
    assert total_s(phones(SMALL)[0].unplugged) > 0.3 * 5 * 86_400
