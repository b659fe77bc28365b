"""Vitals of histories: spans, wake locks with the screen off, alarms, and a slow reading of the same intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from vitals_dumps import APP, HOUR
from vitals_reports import app_of, report_of

from navitas.cli.vitals.tables import locks_table
from navitas.insight.vitals.device_use import Bounds
from navitas.insight.vitals.history_use import FIRST_ONLY, HistoryCollector, Spans, unions

POOL = (
    f'9,0,i,vers,36,214,A,A\n9,hsp,1,{APP},"sync"\n9,hsp,2,{APP},"AudioMix"\n9,hsp,3,{APP},"*walarm*:tick"\n'
    f'9,hsp,4,{APP},"*alarm*:quiet"\n9,hsp,5,1000,"other"\n9,hsp,6,{APP},"second"\n9,h,0:RESET:TIME:1700000000000\n'
)


def hours(*lines: tuple[float, str]) -> str:
    """A history: hours since the line before, and items."""
    return POOL + "".join(f"9,h,{round(after * HOUR)},{items}\n" for after, items in lines)


def test_wake_locks_count_with_the_screen_off_and_on_battery(tmp_path: Path) -> None:
    text = hours(
        (0, "+S,Bl=90"), (1, "+Ewl=1"), (1, "-S"), (1, "+Ewl=6"), (1, "-Ewl=1"), (1, "+BP"), (1, "-Ewl=6"), (2, "-BP"), (2, "+r")
    )
    report = report_of(tmp_path, text)
    use = report.use
    assert (use.source, use.on_battery_ms, use.screen_off_ms) == ("history", 7 * HOUR, 5 * HOUR)
    app = app_of(report)
    assert {lock.tag: (lock.held_ms / HOUR, (lock.all_ms or 0) / HOUR, lock.count) for lock in app.use.locks} == {
        "sync": (2, 3, 1), "second": (2, 3, 1),
    }  # fmt: skip
    assert app.use.held_ms == Bounds.exactly(3 * HOUR)  # they overlap for an hour
    assert app.figures[0].verdict == "bad"
    assert (app.use.scans, app.use.mobile_bytes, app.figures[2].reason) == (None, None, "not_in_dump")
    assert "no_statistics" in {one.code for one in report.warnings}


def test_a_charger_is_no_battery_also_if_the_history_has_its_kind_only(tmp_path: Path) -> None:
    text = hours((0, "Bl=90,Bp=u"), (1, "+Ewl=1"), (1, "Bp=n"), (3, "-Ewl=1"), (1, "Bp=w"), (2, "+r"))
    use = report_of(tmp_path, text).use
    assert use.on_battery_ms == 4 * HOUR and use.uids[0].locks[0].held_ms == 3 * HOUR
    assert report_of(tmp_path, hours((0, "Bl=90,Bp=u"), (1, "+BP"), (1, "-BP"), (1, "+r"))).use.on_battery_ms == 2 * HOUR


def test_the_first_of_several_wake_locks_is_a_lower_bound(tmp_path: Path) -> None:
    app = app_of(report_of(tmp_path, hours((0, "Bl=90"), (1, "+w=1"), (1, "-w"), (11, "+r"))))
    assert app.use.held_ms == Bounds(HOUR, None, FIRST_ONLY) and app.figures[0].reason == "between_bounds"
    app = app_of(report_of(tmp_path, hours((0, "Bl=90"), (1, "+w=1"), (3, "-w"), (10, "+r"))))
    assert app.figures[0].verdict == "bad"


def test_exempt_wake_locks_of_a_history(tmp_path: Path) -> None:
    text = hours((0, "+Ewl=1"), (1, "+Ewl=2"), (1, "-Ewl=1"), (8, "-Ewl=2"))
    report = report_of(tmp_path, text)
    assert app_of(report).use.held_ms == Bounds.exactly(2 * HOUR)
    assert {str(row[0]) for row in locks_table(report, 9).rows} == {"AudioMix (exempt)", "sync"}


def test_alarms_that_wake_the_phone(tmp_path: Path) -> None:
    alarms = [(0.1, "+Eal=3"), (0, "-Eal=3"), (0.1, "+Eal=4"), (0, "-Eal=4")]
    report = report_of(tmp_path, hours((0, "Bl=90"), *(alarms * 10), (0, "+BP"), *alarms))
    app = app_of(report)
    assert [(alarm.tag, alarm.count, alarm.all_count) for alarm in app.use.alarms] == [("*walarm*:tick", 10, 11)]
    assert app.figures[1].rate is not None and app.figures[1].rate.low == pytest.approx(5)
    # A history without any alarm does not show that there was none.
    assert app_of(report_of(tmp_path, hours((0, "+w=1"), (8, "-w")))).use.wakeups is None


def test_too_many_intervals_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("navitas.insight.vitals.history_use.MOST_INTERVALS", 3)
    report = report_of(tmp_path, hours(*[(0.1, "+w=1"), (0.1, "-w")] * 5))
    assert app_of(report).use.locks[0].count == 3
    assert [one.message for one in report.warnings if one.code == "left_out"] == ["2 entries are left out: the dump has too many"]
    assert len(HistoryCollector().states()) == 0


def test_unions_by_group() -> None:
    group, start, end = (np.array(column, np.int64) for column in ([2, 1, 2, 1, 2, 1], [5, 0, 1, 9, 2, 3], [6, 4, 3, 9, 5, 8]))
    found = unions(group, start, end)
    assert [column.tolist() for column in found] == [[1, 2], [0, 1], [8, 6]]


_SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=6)


def _spans(pairs: list[tuple[int, int]]) -> tuple[Spans, set[int]]:
    ordered = [(min(pair), max(pair)) for pair in pairs]
    columns = np.array(ordered, np.int64).reshape(-1, 2)
    return Spans.of(columns[:, 0], columns[:, 1]), {t for low, high in ordered for t in range(low, high)}


@given(_SPANS, _SPANS, st.lists(st.integers(-5, 40), max_size=5))
def test_spans_are_sets_of_moments(one: list[tuple[int, int]], two: list[tuple[int, int]], times: list[int]) -> None:
    (first, first_set), (second, second_set) = _spans(one), _spans(two)

    def moments(spans: Spans) -> set[int]:
        assert (spans.end_ns > spans.start_ns).all() and (spans.start_ns[1:] > spans.end_ns[:-1]).all()
        return {t for low, high in zip(spans.start_ns.tolist(), spans.end_ns.tolist(), strict=True) for t in range(low, high)}

    assert moments(first) == first_set and first.length_ns == len(first_set)
    assert moments(first.without(second)) == first_set - second_set
    assert moments(first.others(-1, 31)) == set(range(-1, 31)) - first_set
    wanted = np.array(times, np.int64)
    assert first.before(wanted).tolist() == [sum(t < time for t in first_set) for time in times]
    assert first.contain(wanted).tolist() == [time in first_set or time - 1 in first_set for time in times]
