"""The hard cases of the simulated world are what they say, and figures are judged by their targets."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from case_table import case_row, failed_figures
from hard_cases import verdict_counts
from world.catalog import make_catalog
from world.defects import bad_phones
from world.phone import Phone, live_phone
from world.readings import reading_times
from world.regimes import HARD_CASES, OS_ROLES, Regime, Role
from world.roster import make_roster
from world.rows import START_S
from world.simulation import simulate
from world.spans import covered_s, difference, total_s
from world.streams import stream
from world_counts import WorldCounts

SEED = 3


def small(case: str) -> Regime:
    return replace(HARD_CASES[case], phones=5, days=4, apps=40, hogs=6, bugs=0)


def phones(regime: Regime) -> list[Phone]:
    catalog = make_catalog(regime, SEED)
    return [live_phone(regime, catalog, handset, (), SEED) for handset in make_roster(regime, catalog, SEED)]


def index_of(phone: Phone, role: Role) -> int:
    return next(index for index, app in phone.apps.items() if app.role == role)


def test_an_upgrade_starts_ends_and_updates_apps_that_drain_nothing() -> None:
    upgraded = 0
    for phone in phones(replace(small("upgrade with several apps"), upgrade_share=0.7)):
        time_s = min(phone.handset.upgrade_s, phone.end_s)
        upgraded += time_s < phone.end_s
        before, after = np.array([[0.0, time_s]]), np.array([[time_s, phone.end_s]])
        added, timer, removed, updated = (index_of(phone, role) for role in OS_ROLES)
        assert total_s(difference(difference(before, phone.off), phone.runs[removed])) < 0.01
        assert total_s(difference(difference(after, phone.off), phone.runs[added])) < 0.01
        assert all(len(difference(phone.runs[app], after)) == 0 for app in (added, timer))
        assert phone.handset.adopted_s[updated].tolist() == [0.0, phone.handset.upgrade_s]
        assert not {added, timer, removed, updated} & {drain.app for drain in phone.drains}
        assert 1.5 <= phone.hardware.upgraded <= 2.2
    assert upgraded


def test_twins_always_run_together() -> None:
    pairs = 0
    for phone in phones(small("short stays")):
        for index, app in phone.apps.items():
            if app.role == "twin" and app.parent is not None:
                pairs += 1
                assert np.array_equal(phone.runs[index], phone.runs[app.parent])
    assert pairs


def test_navigation_lights_the_screen_outdoors_and_some_phones_report_no_brightness() -> None:
    seen = []
    for phone in phones(replace(small("screen app outdoors"), phones=8)):
        if not any(app.role == "navigation" for app in phone.apps.values()):
            continue
        runs = phone.runs[index_of(phone, "navigation")]
        for around in (phone.person.outdoors, phone.person.lit):
            inside_s = covered_s(around, runs[:, 1]) - covered_s(around, runs[:, 0])
            assert np.allclose(inside_s, runs[:, 1] - runs[:, 0])
        seen.append(phone.handset.has_brightness)
        assert 3.5 * 0.4 < next(drain.percent_h for drain in phone.drains if drain.app == index_of(phone, "navigation")) < 8.0
    assert set(seen) == {True, False}


def test_bad_phones_differ_in_times_or_levels_only_and_no_other_phone_does() -> None:
    regime = replace(small("plain"), phones=4)
    spoiled = replace(regime, bad_share=1.0)
    kinds = bad_phones(spoiled, SEED)
    assert sorted(kinds.values()) == ["clock", "garbage", "relearning", "worn"] and bad_phones(regime, SEED) == {}
    for index, (good, bad) in enumerate(zip(simulate(regime, SEED).samples(), simulate(spoiled, SEED).samples(), strict=True)):
        changed = {name for name in good.column_names if not good[name].equals(bad[name])}
        assert changed == ({"time"} if kinds[index] == "clock" else {"level"})
        assert min(bad["level"].to_pylist()) >= 0 and max(bad["level"].to_pylist()) <= 100


def test_a_phone_that_is_off_for_hours_hardly_drains() -> None:
    hours = []
    for phone in phones(replace(small("hours off"), reboots_per_day=1.5)):
        for start_s, end_s in difference(phone.off, phone.phases.spans(1)).tolist():
            used = [rate.used(np.array([start_s, end_s])) for rate in phone.rates]
            hours.append((end_s - start_s) / 3600)
            assert used[0][1] - used[0][0] < 0.3 * hours[-1]
    assert max(hours) > 2


def test_a_history_has_the_level_at_each_time() -> None:
    """Times after a restart come from its TIME line alone."""
    regime = replace(small("hours off, histories"), reboots_per_day=1.5)
    texts, restarts = dict(simulate(regime, SEED).histories()), 0
    for phone in phones(regime):
        levels, on, now_ms = {}, Counter[str](), 0
        for line in texts[phone.handset.client].splitlines():
            if not line.startswith("9,h,"):
                continue
            head, _, items = line.removeprefix("9,h,").partition(",")
            delta, *words = head.split(":")
            now_ms = int(words[-1]) if "TIME" in words else now_ms + int(delta)
            restarts += "START" in words
            on = Counter[str]() if "START" in words else on
            for item in filter(None, items.split(",")):
                on[item[1:]] += {"+": 1, "-": -1}.get(item[0], 0) * ("Epr" in item or item[1:] == "S")
                assert 0 <= on[item[1:]] <= 1, line
                if item.startswith("Bl="):
                    levels[now_ms] = float(item[3:])
        times_s, level = reading_times(regime, phone, stream(SEED, phone.handset.index, "readings"))
        for time_s, shown in zip(times_s.tolist(), level.tolist(), strict=True):
            assert levels[round(START_S * 1000) + round(time_s * 1000)] == shown
    assert restarts > 5


def test_verdicts_are_compared_with_the_truth() -> None:
    world = simulate(small("plain"), SEED)
    list(world.samples())
    true = world.true_extra_percent_h
    hog = max(true, key=lambda app: true[app])
    other = next(app for app, extra in true.items() if extra == 0)

    def row(app: str, verdict: str, low: float, extra: float, high: float) -> dict[str, object]:
        ends = {"extra_low_percent_h": low, "extra_percent_h": extra, "extra_high_percent_h": high}
        return {"app": app, "verdict": verdict, "clients": 20, **ends}

    rows = [row(hog, "hog", 0.0, 2 * true[hog], 9.0), row(other, "hog", 0.1, 0.2, 0.3)]
    counts = verdict_counts({"usual_drain_percent_h": 5.0, "verdicts": rows}, world)
    assert (counts.named, counts.false, counts.large, counts.large_named, counts.covered) == (2, 1, 1, 1, 1)
    assert np.isclose(counts.found_true / counts.true_true, 2.0) and (counts.all_covered, counts.all_intervals) == (1, 2)
    rows[0] |= {"verdict": "not judged: it runs too briefly", "extra_percent_h": None}
    counts = verdict_counts({"usual_drain_percent_h": 5.0, "verdicts": rows}, world)
    assert (counts.large, counts.large_unjudged, counts.found_true, counts.all_intervals) == (0, 1, 0, 1)


def test_the_truth_about_an_app_leaves_out_phones_on_which_it_has_a_bug() -> None:
    world = simulate(replace(small("plain"), hogs=0, since_hogs=0, bugs=8), SEED)
    list(world.samples())
    drains = {row["app"] for row in world.effects.to_pylist() if row["extra_percent_h"] > 0}
    assert drains == {row["app"] for row in world.bugs.to_pylist()} & drains != set()
    assert set(world.true_extra_percent_h.values()) == {0.0}


def test_a_miss_that_may_be_chance_is_unsure() -> None:
    good = WorldCounts(worlds=1, named=60, large=50, large_named=50, found_true=1, true_true=1, covered=48, intervals=50)
    assert failed_figures("plain", good, None) == []
    assert failed_figures("plain", replace(good, large_named=44), None) == ["recall (unsure)"]
    assert failed_figures("plain", replace(good, large_named=30, false=9), None) == ["false hogs (fail)", "recall (fail)"]
    assert failed_figures("short stays", replace(good, large_named=30, large_inseparable=20), None) == []
    wide = replace(good, width_percent_h=1.2)
    assert failed_figures("bad phones", wide, replace(good, width_percent_h=1.0)) == ["median width over that of plain (fail)"]
    named = replace(good, planted=Counter({"os-added: hog": 1, "os-timer: clean": 1}))
    assert failed_figures("upgrade", named, None) == ["the upgrade's apps: named (fail)"]
    assert "1 of 2 fail" in case_row("upgrade", named, None)
