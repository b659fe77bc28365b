"""Errors become messages and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN
from support.raising import raising

import navitas
from navitas.base.errors import ExitCode, UsageError
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.main import COMMANDS, run
from navitas.cli.profile.measuring import report_outcome
from navitas.cli.report.formats import ReportFile


def test_help_and_version(capsys: Capture) -> None:
    assert run(["--help"]) == ExitCode.OK
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)
    assert run(["--version"]) == ExitCode.OK
    assert "navitas" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["nope"], ["profile", "--repeat", "0"], ["report", "--top", "x"], ["instrument"], ["report"]]
)
def test_usage_errors_have_exit_code_2(arguments: list[str], capsys: Capture) -> None:
    assert run(arguments) == ExitCode.USAGE
    assert "Traceback" not in capsys.readouterr().err


def test_radios_off_contradicts_no_prepare(capsys: Capture) -> None:
    assert run(["profile", "--no-prepare", "--radios", "off"]) == ExitCode.USAGE
    assert "--no-prepare forbids changes" in capsys.readouterr().err


def test_a_precision_needs_no_limit_of_repeats(tmp_path: Path, capsys: Capture) -> None:
    assert run(["profile", str(tmp_path), "--precision", "5"]) == ExitCode.USAGE
    assert "is not a Gradle project" in capsys.readouterr().err, "the options are right, only the folder is not"


def test_a_navitas_error_shows_message_and_remedy(tmp_path: Path, capsys: Capture) -> None:
    assert run(["report", str(tmp_path / "nothing")]) == ExitCode.USAGE
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("error: ")
    assert str(tmp_path / "nothing") in lines[0]
    assert lines[1].strip()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    assert run(["report", str(GOLDEN), "--json", str(tmp_path / "file/out.json")]) == ExitCode.USAGE
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_a_full_disk_is_reported_with_the_file(capsys: Capture) -> None:
    assert run(["report", str(GOLDEN), "--json", "/dev/full"]) == ExitCode.TROUBLE
    assert "/dev/full: No space left on device" in capsys.readouterr().err


def test_error_messages_contain_no_control_sequences(capsys: Capture) -> None:
    assert run(["report", "a\x1b[31m\x07\nb"]) == ExitCode.USAGE
    assert "error: RECORDING: a\\u001b[31m\\u0007\nb: No such file" in capsys.readouterr().err


def test_a_report_replaces_a_link_in_a_loop(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert run(["report", str(GOLDEN), "--json", str(tmp_path / "loop")]) == ExitCode.OK
    assert "Traceback" not in capsys.readouterr().err and (tmp_path / "loop").is_file()
    (tmp_path / "on").symlink_to("on")
    assert run(["report", str(GOLDEN), "--json", str(tmp_path / "on/out.json")]) == ExitCode.USAGE
    assert f": {tmp_path / 'on'}\n" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--timeout=nan", "--timeout=inf", "--voltage=nan", "--voltage=1e400"])
def test_nan_and_infinity_are_refused(option: str, capsys: Capture) -> None:
    assert run(["profile", option]) == ExitCode.USAGE
    assert "Invalid value" in capsys.readouterr().err


def test_a_report_does_not_replace_the_recording(capsys: Capture) -> None:
    for path, word in ((GOLDEN, "is a folder"), (GOLDEN / "runs/0/logcat.txt", "is a file of the recording")):
        assert run(["report", str(GOLDEN), "--json", str(path)]) == ExitCode.USAGE
        assert word in capsys.readouterr().err
    with pytest.raises(UsageError, match="is the recording's folder"):
        ReportOptions((ReportFile("json", Path("new"), "--json"),)).check(Path("new"))


def test_too_little_memory_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("navitas.cli.main.cli.main", raising(MemoryError()))
    assert run(["report", "x"]) == ExitCode.TROUBLE
    assert "not enough memory" in capsys.readouterr().err


def test_an_unknown_thread_is_reported_before_anything_is_written(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "out.json"
    assert run(["report", str(GOLDEN), "--json", str(out), "--tree", "mian"]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert "'mian'" in error and "Threads with calls: main" in error
    assert not out.exists()


def test_the_outcome_is_printed_if_the_report_fails(recording: Path, capsys: Capture) -> None:
    outcome = ProfilingOutcome(recording, {"a.BTest#c": "why"}, crashed=False)
    with pytest.raises(UsageError, match="mian"):
        report_outcome(outcome, navitas.load(recording), ReportOptions(tree="mian"))
    error = capsys.readouterr().err
    assert "FAILED a.BTest#c: why" in error
    assert f"recording: {recording}\n" in error


def test_a_run_names_one_next_command_and_a_project_name(
    tmp_path: Path, recording: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    report_outcome(ProfilingOutcome(recording, {}, crashed=False), navitas.load(recording), ReportOptions())
    said = capsys.readouterr()
    assert said.out.count("\nNext: ") == 1 and "next: " not in said.err
    monkeypatch.chdir(tmp_path)
    for words in (["profile"], ["profile", "."]):
        assert run(words) == ExitCode.USAGE
        assert f"error: {tmp_path} is not a Gradle project" in capsys.readouterr().err


def test_the_size_of_a_large_recording_is_printed(recording: Path, capsys: Capture) -> None:
    with (recording / "big").open("wb") as file:
        file.truncate(203_000_000)
    report_outcome(ProfilingOutcome(recording, {}, crashed=False), navitas.load(recording), ReportOptions())
    error = capsys.readouterr().err
    assert f"recording: {recording} (203 MB; smaller with --mode tick or folded, " in error and "--exclude" in error
