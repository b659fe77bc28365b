"""Wake-ups of a bug report, joined with the methods of a recording that set these alarms; and users of radios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hardware_maker import hooks
from support.capture import Capture
from support.recording_maker import PACKAGE, make_recording
from support.run_tables import changed
from support.scenario import Message, Scenario, TestSpec, ThreadSpec, call
from vitals_dumps import CHECKIN_16, bugreport, checkin_section
from vitals_recording import hooked_run, loaded

from navitas.base.errors import ExitCode
from navitas.cli.main import run as navitas
from navitas.insight.vitals.recorded_methods import radio_users_of
from navitas.recording.parse.hook_calls import HookKind

MAIN, SYNC, RECEIVER = "a.b.MainActivity", "a.b.SyncService", "a.b.Receiver"
BY_CLASS, BY_ACTION, NEVER = f"*walarm*:{PACKAGE}/{SYNC}", "*walarm*:a.b.TICK", "*walarm*:a.b.LATER"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """onCreate sets an alarm by class, which goes off twice, and plan one by action, which goes off once, and a later one."""
    wake = 8
    calls = (
        call(f"{MAIN}#onCreate", 0, 40, call(f"{MAIN}#plan", 20, 30)),
        call(f"{SYNC}#onStartCommand", 100, 150),
        call(f"{SYNC}#onStartCommand", 200, 250),
        call(f"{RECEIVER}#onReceive", 300, 320),
    )
    messages = (
        Message(10, 12, MAIN, 5, wake, 100, SYNC),
        Message(22, 12, MAIN, 6, wake, 0, RECEIVER, "a.b.TICK"),
        Message(24, 12, MAIN, 7, wake, 0, RECEIVER, "a.b.LATER"),
        Message(100, 34, SYNC, 5),
        Message(200, 34, SYNC, 5),
        Message(300, 36, RECEIVER, 6, action="a.b.TICK"),
    )
    busy = tuple((one.start_ms, one.end_ms or one.start_ms, 1.0) for one in calls)
    main = ThreadSpec("main", calls, busy, messages=messages)
    make_recording(tmp_path / "rec", Scenario(400, (main,), (TestSpec("a.b.MainTest#x", 0, 400),)))
    return tmp_path / "rec"


def test_wake_ups_have_the_methods_that_set_their_alarms(
    recording: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    text = CHECKIN_16.replace("org.example.app", PACKAGE)
    lines = [f"9,{uid},l,wua,{tag},{n}\n" for uid, tag, n in ((10123, BY_CLASS, 40), (10123, BY_ACTION, 30), (10123, NEVER, 2))]
    lines.append(f"9,10124,l,wua,{BY_ACTION},7\n")
    dump = recording.with_name("stats.txt")
    dump.write_text(text + "".join(lines))
    command = ["vitals", str(dump), "--recording", str(recording)]
    assert navitas([*command, "--json", str(recording / "v.json")]) == ExitCode.OK
    found = json.loads((recording / "v.json").read_text())
    app, other = (next(one for one in found["apps"] if one["uid"] == uid) for uid in (10123, 10124))
    alarms = {one["tag"]: one for one in app["alarms"]}
    assert [one["name"] for one in alarms[BY_CLASS]["set_in"]] == [f"{MAIN}.onCreate"]
    assert alarms[BY_ACTION]["set_in"] == [{"name": f"{MAIN}.plan", "file": "MainActivity.java", "line": 11}]
    assert alarms[NEVER]["set_in"] == alarms[BY_ACTION]["set_in"] and alarms[NEVER]["recorded_j"] is None
    assert alarms[BY_CLASS]["recorded_j"] == pytest.approx(5 * alarms[BY_ACTION]["recorded_j"], rel=0.05)
    assert all(one["set_in"] is None and one["recorded_j"] is None for one in other["alarms"])
    assert all(one["set_in"] is None for tag, one in alarms.items() if tag not in (BY_CLASS, BY_ACTION, NEVER))
    recorded = {one["tag"]: (one["kind"], one["set_count"], one["count"]) for one in found["recorded_alarms"]}
    assert recorded == {BY_CLASS: ("wake_up", 1, 2), BY_ACTION: ("wake_up", 1, 1), NEVER: ("wake_up", 1, 0)}
    assert "MainActivity.plan (MainActivity.java:11)" in capsys.readouterr().out


def test_the_table_of_alarms_fits_80_columns(recording: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    dump = recording.with_name("stats.txt")
    dump.write_text(CHECKIN_16.replace("org.example.app", PACKAGE) + f"9,10123,l,wua,{BY_CLASS},400\n")
    assert navitas(["vitals", str(dump), "--recording", str(recording)]) == ExitCode.OK
    out = capsys.readouterr().out
    assert "Set in" in out and max(map(len, out.splitlines())) <= 80


def test_methods_that_scan_or_use_the_network_are_listed() -> None:
    """m1 receives 1,000 bytes in m2, an API's call, and m3 starts a scan."""
    rows = [(0, 215, 216, 1000, HookKind.NET_READ, False, 0), (0, 415, 415, 0, HookKind.WIFI_SCAN, False, 7)]
    rows.append((0, 515, 515, 0, HookKind.WIFI_SCAN, True, 7))
    made, profile = loaded(changed(hooked_run(), hooks=hooks(rows)))
    found = {one.name: (one.scans, one.network_bytes, one.place) for one in radio_users_of(made, profile)}
    assert found == {"a.C.m1": (0, 1000, "C.java:1"), "a.C.m3": (1, 0, "C.java:3")}
    empty, profile = loaded(changed(hooked_run(), hooks=None))
    assert radio_users_of(empty, profile) == ()


def test_a_bug_report_that_is_cut_off_has_the_methods_of_the_alarms_before(recording: Path, capsys: Capture) -> None:
    alarm = f"9,10123,l,wua,{BY_ACTION},30\n"
    section = checkin_section(CHECKIN_16.replace("org.example.app", PACKAGE) + alarm + f"9,10123,l,wua,{BY_CLASS},40\n")
    text = bugreport(section)
    dump = recording.with_name("bugreport.txt")
    dump.write_text(text[: text.index(alarm) + len(alarm) + 12])
    assert navitas(["vitals", str(dump), "--recording", str(recording), "--json", str(recording / "v.json")]) == ExitCode.OK
    found = json.loads((recording / "v.json").read_text())
    alarms = {one["tag"]: one["set_in"] for one in next(one for one in found["apps"] if one["uid"] == 10123)["alarms"]}
    assert alarms[BY_ACTION][0]["name"] == f"{MAIN}.plan" and BY_CLASS not in alarms
    assert "cut_off" in {one["code"] for one in found["warnings"]} and "cut_off" in capsys.readouterr().err
