"""Wake locks joined with a recording: methods, lines and energy; and recordings as the source of vitals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hardware_maker import OTHER_UID
from support.added_history import wall_ms
from support.golden import GOLDEN
from support.recording_maker import PACKAGE
from support.run_tables import changed
from vitals_dumps import CHECKIN_16
from vitals_recording import history, hooked_run, loaded, recording_with_histories
from vitals_reports import app_of

from navitas.base.errors import NavitasError
from navitas.insight.vitals import report as report_module
from navitas.insight.vitals.device_use import Bounds
from navitas.insight.vitals.recorded_methods import Acquirer, acquirers_of
from navitas.insight.vitals.report import RecordedRuns, vitals_of_dump, vitals_of_recording
from navitas.recording.parse.clock_triples import ClockTriples

EACH = ("9,h,216,+Ewl=1", "9,h,98,-Ewl=1", "9,h,103,+Ewl=2", "9,h,300,-Ewl=2")


def found(folder: Path, *lines: str, uid: int | None = None) -> tuple[Acquirer, ...]:
    made, profile = loaded(hooked_run())
    more = {} if uid is None else {"uid": uid}
    return acquirers_of(made, profile, [history(folder, *lines, **more)])


def test_a_wake_lock_is_joined_with_the_method_that_acquired_it(tmp_path: Path) -> None:
    upload, sync = found(tmp_path, *EACH)
    assert (upload.name, upload.place, upload.calls, upload.held_ns, upload.tags) == (
        "a.C.m3",
        "C.java:3",
        1,
        300_000_000,
        ("upload",),
    )
    assert (sync.name, sync.place, sync.calls, sync.held_ns, sync.tags) == ("a.C.m1", "C.java:1", 1, 100_000_000, ("sync",))
    # cpu.idle is 5 mA at 1 V.
    assert upload.energy_j == pytest.approx(0.005 * 0.3) and sync.energy_j == pytest.approx(0.005 * 0.1)


def test_the_first_holder_of_a_history_is_joined_too(tmp_path: Path) -> None:
    names = {one.name: one.tags for one in found(tmp_path, "9,h,214,+w=1", "9,h,100,-w", "9,h,103,+w=3", "9,h,300,-w")}
    assert names == {"a.C.m1": ("sync",), "a.C.m3": ()}


def test_a_wake_lock_that_begins_at_another_time_is_not_joined(tmp_path: Path) -> None:
    assert [one.tags for one in found(tmp_path, "9,h,1,+Ewl=1", "9,h,600,+Ewl=2")] == [(), ()]


def test_two_wake_locks_at_the_same_time_are_not_joined(tmp_path: Path) -> None:
    assert [one.tags for one in found(tmp_path, "9,h,214,+Ewl=1", "9,h,5,+Ewl=2")] == [(), ()]


def test_wake_locks_of_other_apps_and_unknown_apps_are_not_joined(tmp_path: Path) -> None:
    assert [one.tags for one in found(tmp_path, *EACH, uid=-1)] == [(), ()]
    made, profile = loaded(hooked_run())
    foreign = replace(history(tmp_path, *EACH), uid=OTHER_UID)
    assert [one.tags for one in acquirers_of(made, profile, [foreign])] == [(), ()]
    assert [one.tags for one in acquirers_of(made, profile, [])] == [(), ()]


def test_a_recording_without_hooks_has_no_methods(tmp_path: Path) -> None:
    made, profile = loaded(changed(hooked_run(), hooks=None))
    assert acquirers_of(made, profile, [history(tmp_path, *EACH)]) == ()


def test_the_wake_locks_of_a_bug_report_have_the_methods_of_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    acquirer = Acquirer("a.C", "m1", "C.java", 1, 1, 10**8, 0.5, ("org.example:sync",))
    recorded = RecordedRuns((), (acquirer,), frozenset({"org.example.app"}), frozenset({77}))
    monkeypatch.setattr(report_module, "_recorded", lambda path: recorded)
    dump = tmp_path / "dump"
    dump.write_text(CHECKIN_16)
    report = vitals_of_dump(dump, tmp_path)
    app = app_of(report)
    assert app.is_recorded and [one.uid for one in report.apps if one.is_recorded] == [app.uid]
    assert report.acquirers_of(app, "org.example:sync") == (acquirer,)
    assert report.acquirers_of(app, "quiet") == () == report.acquirers_of(app_of(report, 10_124), "org.example:sync")


def test_a_recording_without_histories_is_an_error() -> None:
    with pytest.raises(NavitasError, match="no history of batterystats") as error:
        vitals_of_recording(GOLDEN)
    assert "--recording" in error.value.remedy


def test_the_runs_of_a_recording_are_added_up(tmp_path: Path) -> None:
    def text(number: int) -> str:
        begin = wall_ms(0, number)
        return (
            f'# uid 10057\n# start screen_brightness=9\n9,hsp,1,10057,"sync"\n9,hsp,2,1000,"system"\n'
            f"9,h,0:RESET:TIME:{begin - 5000}\n9,h,0,Bl=90,+Ewl=2\n9,h,5200,+Ewl=1\n9,h,300,-Ewl=1\n9,h,100,+S\nNEXT: 77\n"
        )

    report = vitals_of_recording(recording_with_histories(tmp_path / "rec", text(0), None, text(2)))
    use = report.use
    # From 600 ms on, the screen is on until the end of each run.
    assert use.on_battery_ms == pytest.approx(2000, abs=5) and use.screen_off_ms == pytest.approx(1200, abs=1)
    app, system = app_of(report, 10_057), app_of(report, 1000)
    assert app.is_recorded and app.packages == (PACKAGE,) and not system.is_recorded
    (lock,) = app.use.locks
    assert (lock.tag, lock.held_ms, lock.count) == ("sync", 600, 2) and app.use.held_ms == Bounds.exactly(600)
    # What began before the run counts from its begin.
    assert system.use.locks[0].held_ms == pytest.approx(1200, abs=1)
    assert {figure.reason for figure in app.figures} == {"too_short", "not_in_dump"}
    assert [one.code for one in report.warnings] == ["no_statistics"] and report.acquirers == ()


def test_a_history_without_a_wall_clock_counts_as_a_whole(tmp_path: Path) -> None:
    text = '9,hsp,1,10057,"sync"\n9,h,0,Bl=90\n9,h,5000,+Ewl=1\n9,h,3000,-Ewl=1\n9,h,2000,+BP\n'
    report = vitals_of_recording(recording_with_histories(tmp_path / "rec", text))
    assert (report.use.on_battery_ms, report.apps[0].use.locks[0].held_ms) == (10_000, 3000)
    assert not report.apps[0].is_recorded


@pytest.mark.parametrize("set_by_s", [-3600, 3600])
def test_a_clock_that_is_set_in_a_run_changes_no_sums(tmp_path: Path, set_by_s: int) -> None:
    """The clock is set at 500 ms. The wake lock is held from 300 ms to 800 ms."""
    begin = wall_ms(0)
    text = (
        f'# uid 10057\n9,hsp,1,10057,"sync"\n9,h,0:RESET:TIME:{begin - 5000}\n9,h,0,Bl=90\n9,h,5300,+Ewl=1\n'
        f"9,h,200:TIME:{begin + 500 + 1000 * set_by_s}\n9,h,300,-Ewl=1\n9,h,100,+S\n"
    )
    report = vitals_of_recording(recording_with_histories(tmp_path / "rec", text, clock_set=((500.0, set_by_s),)))
    assert report.use.on_battery_ms == pytest.approx(1000, abs=5) and report.use.screen_off_ms == pytest.approx(900, abs=1)
    assert app_of(report, 10_057).use.locks[0].held_ms == 500


def test_the_time_that_a_phone_sleeps_counts(tmp_path: Path) -> None:
    """m3 acquires its wake lock at 415 ms of the run, after 60 s of sleep from 300 ms on."""
    made, profile = loaded(hooked_run())
    run_ns = made.parsed.runs[0].start_ns
    at_ns = run_ns + np.array([0, 300, 301, 1000], np.int64) * 1_000_000
    slept_ns = np.array([0, 0, 60, 60], np.int64) * 1_000_000_000
    clocks = ClockTriples(at_ns, at_ns + slept_ns, at_ns + slept_ns)
    tables = (replace(made.parsed.runs[0], clocks=clocks),)
    made = replace(made, parsed=replace(made.parsed, runs=tables))
    lines = ("9,h,216,+Ewl=1", "9,h,98,-Ewl=1", "9,h,60103,+Ewl=2", "9,h,300,-Ewl=2")
    assert {one.name: one.tags for one in acquirers_of(made, profile, [history(tmp_path, *lines)])} == {
        "a.C.m1": ("sync",),
        "a.C.m3": ("upload",),
    }
