"""`navitas vitals`: output, exit codes and options."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN
from vitals_dumps import CHECKIN_16, DAY, HOUR, TEXT_13, bugreport, checkin_section, text_section, zipped

from navitas.base.errors import ExitCode
from navitas.cli.main import run

HOSTILE = "\u202egnp\x1b[31m[bold]" + "x" * 500


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "stats.txt"
    path.write_text(CHECKIN_16)
    return path


def test_the_tables_and_the_next_step(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump)]) == ExitCode.OK
    said = capsys.readouterr()
    assert max(map(len, said.out.splitlines())) <= 80
    for text in ("24.0 h on battery, 20.0 h", "1 of 2 apps is bad", "3.25 h", "11.2", "61.0 MB", "org.example:sync", "250"):
        assert text in said.out
    assert "Not shown at this width" not in said.out.partition("Longest")[0]
    assert said.err.splitlines()[-1].startswith("next: navitas record org.example.app --record hooks")


def test_exit_codes_for_builds(dump: Path, capsys: Capture) -> None:
    line = ["vitals", str(dump)]
    assert run([*line, "--fail-on", "bad"]) == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert "check failed: the behaviour of org.example.app is bad\n" in said and "navitas record" in said
    assert run([*line, "--fail-on", "bad", "--package", "org.other"]) == ExitCode.OK
    assert run([*line, "--fail-on", "unknown", "--package", "org.other"]) == ExitCode.OK
    dump.write_text(TEXT_13[: TEXT_13.index("Statistics since")] + '   +2m00s000ms (2) 090 +wake_lock=u0a123:"sync"\n')
    assert run([*line, "--fail-on", "bad"]) == ExitCode.OK
    assert run([*line, "--fail-on", "unknown"]) == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert "u0a123 is not known" in said and "warning: no_statistics: " in said
    remedy, last = said.splitlines()[-2:]
    assert (remedy.strip(), last) == ("adb shell dumpsys batterystats -c > stats.txt", "check failed: unknown")


def test_a_dump_without_apps_does_not_pass_a_strict_check(dump: Path, capsys: Capture) -> None:
    dump.write_text(CHECKIN_16[: CHECKIN_16.index("9,10123,l,nt")])
    assert run(["vitals", str(dump), "--fail-on", "unknown"]) == ExitCode.CHECK_FAILED
    assert "no app" in capsys.readouterr().err


def test_an_unknown_package_is_a_usage_error(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump), "--package", "org.nosuch"]) == ExitCode.USAGE
    assert "org.nosuch" in capsys.readouterr().err
    assert run(["vitals", str(GOLDEN), "--recording", str(GOLDEN)]) == ExitCode.USAGE


def test_an_app_that_did_nothing_is_ok_if_the_dump_names_it_and_is_whole(dump: Path, capsys: Capture) -> None:
    line = ["vitals", str(dump), "--package", "org.idle", "--fail-on", "unknown", "--json", "-"]
    named = "9,0,i,uid,10125,org.idle\n"
    dump.write_text(CHECKIN_16 + named)
    assert run(line) == ExitCode.OK
    (app,) = json.loads(capsys.readouterr().out)["apps"]
    assert (app["uid"], app["packages"], app["verdict"]) == (10_125, ["org.idle"], "ok")
    assert run(["vitals", str(dump), "--package", "org.idle"]) == ExitCode.OK
    assert "org.idle" in capsys.readouterr().out
    dump.write_text(named + CHECKIN_16[:-20])
    assert run(line) == ExitCode.CHECK_FAILED
    (app,) = json.loads(capsys.readouterr().out)["apps"]
    assert app["verdict"] == "not_known" and {one["reason"] for one in app["vitals"]} == {"not_in_dump"}


def test_a_verdict_of_less_than_a_day_is_marked(dump: Path, capsys: Capture) -> None:
    dump.write_text(CHECKIN_16.replace(f",{DAY},", f",{DAY // 2},").replace(f",{20 * HOUR},", f",{10 * HOUR},"))
    assert run(["vitals", str(dump), "--fail-on", "bad", "--package", "org.other"]) == ExitCode.OK
    said = " ".join(capsys.readouterr().out.split())
    assert "ok (extrapolated)" in said and "Extrapolated: the time on battery is less than a day" in said


def test_a_recording_without_histories_says_so(capsys: Capture) -> None:
    assert run(["vitals", str(GOLDEN)]) == ExitCode.TROUBLE
    assert "no history of batterystats" in capsys.readouterr().err


def test_a_recording_without_hooks_adds_no_methods(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump), "--recording", str(GOLDEN), "--json", "-"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document["recording"] == str(GOLDEN) and document["acquirers"] == []


def test_a_recording_of_an_app_that_the_dump_does_not_have(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump), "--recording", str(GOLDEN)]) == ExitCode.OK
    said = " ".join("".join(capsys.readouterr()).split())
    assert "other_app: the recording is of " in said and "next: navitas record " in said and "methods above" not in said


def test_the_document(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump), "--json", "-"]) == ExitCode.OK
    said = capsys.readouterr().out
    document = json.loads(said)
    assert list(document) == [
        "schema_version", "file", "recording", "source", "on_battery_ms", "screen_off_ms", "limits", "warnings", "apps",
        "acquirers", "recorded_alarms", "radio_users",
    ]  # fmt: skip
    assert document["acquirers"] is None and document["source"] == "statistics"
    app = document["apps"][0]
    assert (app["uid"], app["packages"], app["verdict"]) == (10123, ["org.example.app"], "bad")
    assert [one["verdict"] for one in app["vitals"]] == ["bad"] * 4
    assert app["vitals"][0]["rate"] == {"low": 11_700_000, "high": 11_700_000, "why": None}
    assert app["wake_locks"][0] == {
        "uid": 10123, "tag": "org.example:sync", "held_ms": 10_800_000, "count": 12, "background_ms": 9_000_000, "all_ms": None,
        "is_first_only": False, "is_exempt": False, "acquired_in": None,
    }  # fmt: skip
    assert app["alarms"][0]["set_in"] is None and app["alarms"][0]["count"] == 250
    out = dump.with_name("vitals.json")
    assert run(["vitals", str(dump), "--json", str(out)]) == ExitCode.OK
    assert json.loads(out.read_text()) == document


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_bug_report_from_standard_input(is_zip: bool, dump: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    text = bugreport(text_section(), checkin_section())

    class Stdin:
        buffer = io.BytesIO(zipped(text) if is_zip else text.encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert run(["vitals", "-"]) == ExitCode.OK
    assert "61.0 MB" in capsys.readouterr().out


def test_standard_input_is_named(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    class Stdin:
        buffer = io.BytesIO()

    monkeypatch.setattr("sys.stdin", Stdin)
    assert run(["vitals", "-"]) == ExitCode.TROUBLE
    assert capsys.readouterr().err.startswith("error: standard input: contains nothing of batterystats\n")
    Stdin.buffer = io.BytesIO(CHECKIN_16.encode())
    assert run(["vitals", "-", "--json", "-"]) == ExitCode.OK
    said = capsys.readouterr()
    assert json.loads(said.out)["file"] == "-" and "then navitas vitals - --recording DIR" in said.err


@pytest.mark.parametrize("line", [["vitals", ""], ["graph", ""], ["report", str(GOLDEN), "--json", ""]])
def test_an_empty_name_is_shown_as_it_is(line: list[str], capsys: Capture) -> None:
    assert run(line) == ExitCode.USAGE
    assert "'' is not the name of a file or folder" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "name"), [("graph", "manifest.json"), ("report", "manifest.json"), ("graph", "stats.txt")])
def test_a_file_instead_of_a_recording(command: str, name: str, dump: Path, capsys: Capture) -> None:
    path = GOLDEN / name if name == "manifest.json" else dump
    assert run([command, str(path)]) == ExitCode.TROUBLE
    said = capsys.readouterr().err
    assert f"{path}: a recording is a folder, and this is a file" in said
    assert (f"Give {GOLDEN}." if name == "manifest.json" else "navitas vitals FILE") in said


def test_hostile_names_are_shown_safely(dump: Path, capsys: Capture) -> None:
    text = CHECKIN_16.replace("org.example:sync", HOSTILE).replace("org.example.app", HOSTILE)
    dump.write_text(text + f"9,10123,l,wua,{HOSTILE},9000\n9,10123,l,wua,{HOSTILE}\n")
    assert run(["vitals", str(dump), "--fail-on", "bad"]) == ExitCode.CHECK_FAILED
    said = capsys.readouterr()
    assert not {"\x1b", "\u202e"} & set(said.out + said.err) and "[bold]" in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_only_the_first_rows_are_shown(dump: Path, capsys: Capture) -> None:
    assert run(["vitals", str(dump), "--top", "1"]) == ExitCode.OK
    said = capsys.readouterr().out
    assert "org.other" not in said and said.count("more (--top)") == 3
