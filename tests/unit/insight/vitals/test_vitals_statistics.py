"""Vitals of statistics: amounts, bounds, rates and verdicts, in all forms of dumps."""

from __future__ import annotations

from pathlib import Path

import pytest
from vitals_dumps import APP, CHECKIN_16, DAY, HOUR, OTHER, SYSTEM, TEXT_13, UNPLUGGED, bugreport, checkin_section, text_section
from vitals_reports import app_of, report_of, statistics

from navitas.insight.vitals.device_use import Bounds, UidUse
from navitas.insight.vitals.statistics_use import OVERLAP, SHARED, TOTAL_ONLY
from navitas.insight.vitals.thresholds import DAY_MS, MOBILE_BYTES, VITALS, WAKE_LOCKS, WAKEUPS, WIFI_SCANS, Vital
from navitas.insight.vitals.verdicts import SEVERAL_DAYS, figures_of, is_extrapolated, judge, verdict_of


@pytest.mark.parametrize(
    "text",
    [TEXT_13, TEXT_13 + UNPLUGGED, CHECKIN_16, bugreport(text_section()), bugreport(text_section(), checkin_section())],
    ids=["text", "text-9", "checkin", "report-text", "report-both"],
)
def test_all_forms_give_the_same_vitals(text: str, tmp_path: Path) -> None:
    report = report_of(tmp_path, text)
    assert (report.use.source, report.use.on_battery_ms, report.use.screen_off_ms) == ("statistics", DAY, 20 * HOUR)
    app = app_of(report)
    assert report.apps[0] is app and app.packages == ("org.example.app",) and app.verdict == "bad"
    locks, wakeups, scans, mobile = app.figures
    assert locks.rate == Bounds.exactly(3.25 * HOUR) and locks.verdict == "bad"
    assert wakeups.rate == Bounds.exactly(270 / 24) and wakeups.verdict == "bad"
    assert scans.rate == Bounds.exactly(4.5) and scans.verdict == "bad"
    is_text = (text_section() in text and checkin_section() not in text) or text.startswith("Battery")
    if is_text:
        assert mobile.amount == Bounds(0.0, (61 + 2.5) * 1024**2, TOTAL_ONLY)
        assert (mobile.verdict, mobile.reason) == ("not_known", "between_bounds")
    else:
        assert mobile.amount == Bounds.exactly(61_000_000) and mobile.verdict == "bad"
        assert app.use.wifi_bytes == Bounds.exactly(990_000)
    assert {lock.tag: (lock.held_ms, lock.count, lock.background_ms) for lock in app.use.locks} == {
        "*alarm*:org.example/.Receiver": (2_400_000, 240, 1_200_000), "org.example:sync": (3 * HOUR, 12, 2.5 * HOUR),
    }  # fmt: skip
    assert {alarm.tag: alarm.count for alarm in app.use.alarms} == {
        "*walarm*:org.example.ACTION: with: colons": 250, "*walarm*:org.example.OTHER": 20,
    }  # fmt: skip
    other, system = app_of(report, OTHER), app_of(report, SYSTEM)
    assert other.verdict == "ok" and other.use.held_ms == Bounds.exactly(600_000)
    assert system.verdict == "not_known" and {figure.reason for figure in system.figures} == {"not_an_app"}
    assert [one.code for one in report.warnings] == (["rounded"] if is_text else [])


def test_limits_are_those_of_the_documentation() -> None:
    assert [(vital.name, vital.limit, vital.is_exclusive, vital.window_ms) for vital in VITALS] == [
        ("wake_locks", 2 * HOUR, False, DAY_MS), ("wakeups", 10, True, HOUR),
        ("wifi_scans", 4, True, HOUR), ("mobile_bytes", 50_000_000, False, DAY_MS),
    ]  # fmt: skip
    assert all(vital.source.startswith("https://developer.android.com/") for vital in VITALS)
    for vital in VITALS:
        at, below = (
            judge(vital, Bounds.exactly(amount), vital.window_ms, APP).verdict for amount in (vital.limit, vital.limit - 1)
        )
        assert (at, below) == ("ok" if vital.is_exclusive else "bad", "ok")
        assert judge(vital, Bounds.exactly(vital.limit + 1), vital.window_ms, APP).verdict == "bad"


def test_a_verdict_that_is_not_known_has_a_reason() -> None:
    def found(amount: Bounds | None, time_ms: float | None, uid: int = APP) -> tuple[str, str | None]:
        figure = judge(WAKE_LOCKS, amount, time_ms, uid)
        return figure.verdict, figure.reason

    held = Bounds.exactly(HOUR)
    assert found(None, DAY) == ("not_known", "not_in_dump")
    assert found(held, None) == found(held, 0) == ("not_known", "no_time")
    assert found(held, 6 * HOUR - 1) == ("not_known", "too_short")
    assert found(held, DAY, SYSTEM) == found(held, DAY, 1_001_000) == found(held, DAY, -1) == ("not_known", "not_an_app")
    assert found(Bounds(0, 3 * HOUR), DAY) == found(Bounds(0, None), DAY) == ("not_known", "between_bounds")
    assert found(Bounds(2 * HOUR, None), DAY) == ("bad", None) and found(Bounds(0, HOUR), DAY) == ("ok", None)


def test_a_short_time_is_extrapolated_unless_the_limit_is_reached() -> None:
    six_hours = judge(WAKE_LOCKS, Bounds.exactly(0.6 * HOUR), 6 * HOUR, APP)
    assert (six_hours.verdict, six_hours.is_extrapolated) == ("bad", True)
    assert six_hours.rate is not None and six_hours.rate.low == pytest.approx(2.4 * HOUR)
    reached = judge(WAKE_LOCKS, Bounds.exactly(2 * HOUR), 3 * HOUR, APP)
    assert (reached.verdict, reached.is_extrapolated) == ("bad", False)
    assert judge(WAKEUPS, Bounds.exactly(11), HOUR / 2, APP).verdict == "bad"
    assert judge(WAKEUPS, Bounds.exactly(9), HOUR / 2, APP).reason == "too_short"


def test_of_several_days_only_the_sum_is_known() -> None:
    """The worst day has at least the mean, at least what the other days cannot hold, and at most everything."""

    def judged(vital: Vital, amount: float, time_ms: float) -> tuple[str, str | None, Bounds | None]:
        figure = judge(vital, Bounds.exactly(amount), time_ms, APP)
        assert not figure.is_extrapolated
        return figure.verdict, figure.reason, figure.rate

    between = "not_known", "between_bounds"
    assert judged(WAKE_LOCKS, 3.89 * HOUR, 2 * DAY) == (*between, Bounds(3.89 * HOUR / 2, 3.89 * HOUR, SEVERAL_DAYS))
    assert judged(WAKE_LOCKS, 7 * HOUR, 7 * DAY) == (*between, Bounds(HOUR, 7 * HOUR, SEVERAL_DAYS))
    assert judged(WAKE_LOCKS, 30 * HOUR, 2 * DAY) == ("bad", None, Bounds(15 * HOUR, DAY, SEVERAL_DAYS))
    assert judged(WAKE_LOCKS, 3.9 * HOUR, 25 * HOUR) == ("bad", None, Bounds(3.9 * 24 / 25 * HOUR, 3.9 * HOUR, SEVERAL_DAYS))
    assert judged(WAKE_LOCKS, 6 * HOUR, 28 * HOUR)[0] == "bad" and judged(WAKE_LOCKS, HOUR, 9 * DAY)[0] == "ok"
    assert judged(WAKEUPS, 480, 2 * DAY) == (*between, Bounds(10, 20, SEVERAL_DAYS))
    assert judged(WAKEUPS, 240, 2 * DAY)[0] == "ok" and judged(WAKEUPS, 481, 2 * DAY)[0] == "bad"
    assert judged(WAKE_LOCKS, 0, 2 * DAY) == ("ok", None, Bounds.exactly(0))
    shared = judge(WAKE_LOCKS, Bounds(HOUR, None, SHARED), 2 * DAY, APP)
    assert shared.rate == Bounds(HOUR / 2, None, f"{SHARED}; {SEVERAL_DAYS}")


def test_a_verdict_on_an_app_is_extrapolated_if_it_depends_on_a_metric_that_is() -> None:
    def found(held_h: float, wakeups: float, time_ms: float) -> bool:
        none = Bounds.exactly(0)
        use = UidUse(APP, Bounds.exactly(held_h * HOUR), Bounds.exactly(wakeups), none, none, none)
        return is_extrapolated(figures_of(use, time_ms))

    assert found(0.1, 0, 6 * HOUR) and found(0.6, 0, 6 * HOUR)
    assert not found(2, 0, 6 * HOUR) and not found(0.6, 61, 6 * HOUR) and not found(0.1, 0, DAY) and not found(0, 0, HOUR)


def test_an_app_is_as_bad_as_its_worst_metric() -> None:
    def figures(*verdicts: str) -> str:
        amounts = {"bad": 60e6, "ok": 0.0, "not_known": None}
        found = [amounts[verdict] for verdict in verdicts]
        return verdict_of([judge(MOBILE_BYTES, None if one is None else Bounds.exactly(one), DAY, APP) for one in found])

    assert (figures("ok", "ok"), figures("ok", "not_known"), figures("not_known", "bad")) == ("ok", "not_known", "bad")


def test_exempt_wake_locks_do_not_count(tmp_path: Path) -> None:
    def held(*lines: str) -> Bounds | None:
        return app_of(report_of(tmp_path, statistics(*lines))).use.held_ms

    def lock(tag: str, ms: int) -> str:
        return f"wl,{tag},0,f,0,0,0,0,{ms},p,1,0,{ms},{ms},0,bp,0,0,0,0,0,w,0,0,0,0"

    assert held(lock("AudioMix", 3 * HOUR), f"awl,{3 * HOUR},0") == Bounds.exactly(0)
    both = held(lock("AudioMix", 3 * HOUR), lock("mine", 2 * HOUR), lock("two", HOUR), f"awl,{4 * HOUR},0")
    assert both == Bounds(2 * HOUR, 3 * HOUR, OVERLAP)
    assert held(lock("mine", 2 * HOUR), lock("two", HOUR), f"awl,{2 * HOUR},0") == Bounds.exactly(2 * HOUR)
    assert held(lock("mine", 2 * HOUR), lock("two", HOUR)) == Bounds(2 * HOUR, 3 * HOUR, OVERLAP)


def test_old_releases_share_the_time_of_wake_locks_among_apps(tmp_path: Path) -> None:
    """Android 7 has no total durations, and no scans in the background."""
    report = report_of(tmp_path, statistics("wl,mine,0,f,0,3600000,p,4,0,w,0", "wfl,0,1000,0,96", "nt,1,2,3,4,5,6,7,8"))
    app = app_of(report)
    assert app.use.held_ms == Bounds(HOUR, None, SHARED)
    assert [figure.verdict for figure in app.figures] == ["not_known", "ok", "ok", "ok"]
    assert app.use.scans is not None and (app.use.scans.low, app.use.scans.high) == (0, 96)
    assert app.use.mobile_bytes == Bounds(0.0, 3.0, TOTAL_ONLY) and app.use.wifi_bytes == Bounds(0.0, 7.0, TOTAL_ONLY)
    assert app.figures[2].vital is WIFI_SCANS


def test_packages_of_other_users_and_shared_uids(tmp_path: Path) -> None:
    text = statistics("wua,a,1") + f"9,1010123,l,wua,b,2\n9,0,i,uid,{APP},org.b\n9,0,i,uid,{APP},org.a\n9,99001,l,wua,c,1\n"
    report = report_of(tmp_path, text)
    assert {app.uid: (app.name, app.packages) for app in report.apps} == {
        APP: ("org.a +1", ("org.a", "org.b")), 1_010_123: ("org.a +1", ("org.a", "org.b")), 99_001: ("99001", ()),
    }  # fmt: skip


def test_the_worst_apps_are_first(tmp_path: Path) -> None:
    lines = [f"9,{10_001 + i},l,wua,alarm,{count}" for i, count in enumerate((100, 300, 200))]
    report = report_of(tmp_path, statistics() + "\n".join(["9,1000,l,wua,alarm,9000", *lines]) + "\n")
    assert [app.uid for app in report.apps] == [10_002, 10_003, 10_001, 1000]
