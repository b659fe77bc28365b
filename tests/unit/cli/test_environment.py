"""Environment variables with values that no program expects: an error that names the variable, or no effect."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.capture import Capture
from support.golden import GOLDEN

from navitas.base.errors import ExitCode
from navitas.cli.main import run

HOSTILE = ["", " ", "-1", "x", "²", "1e9", "9" * 5000, "\x1b[2J", "\u202e", "$(id)", "%s%n", "../..", "\udcff"]


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(shutil.copytree(GOLDEN, tmp_path / "rec"))


@pytest.mark.parametrize("name", ["COLUMNS", "LINES"])
@pytest.mark.parametrize("value", ["0", "²", "9" * 5000, "100000", "-1", "x\x1b[2J"])
def test_an_impossible_size_of_the_terminal_is_ignored(
    name: str, value: str, recording: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Rich raised `ValueError` for digits that are no decimal number."""
    monkeypatch.delenv(name, raising=False)
    assert run(["report", recording]) == ExitCode.OK
    usual = capsys.readouterr().out
    monkeypatch.setenv(name, value)
    assert run(["report", recording]) == ExitCode.OK
    said = capsys.readouterr()
    assert said.out == usual and "\x1b" not in said.err
    named = said.err.startswith(f"warning: {name}=") and "is ignored: it is not a number from 1 to 9999" in said.err
    assert named or (value, said.err) == ("0", ""), "programs without a terminal export 0"
    assert os.environ[name] == value, "run() can be called in the process of another program"


@pytest.mark.parametrize("width", ["1", "7", "9999"])
def test_every_width_shows_a_report(width: str, recording: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)
    assert run(["report", recording]) == ExitCode.OK


@pytest.mark.parametrize(
    "name",
    [
        "NO_COLOR",
        "FORCE_COLOR",
        "TERM",
        "COLORTERM",
        "JAVA_HOME",
        "ANDROID_HOME",
        "HOME",
        "TMPDIR",
        "XDG_CACHE_HOME",
        "LANG",
        "TZ",
    ],
)
def test_no_value_of_a_common_variable_stops_a_report(
    name: str, recording: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for value in HOSTILE:
        monkeypatch.setenv(name, value)
        assert run(["report", recording, "--top", "1"]) == ExitCode.OK
        said = capsys.readouterr()
        assert "Traceback" not in said.err and "\x1b[2J" not in said.out + said.err


@pytest.mark.parametrize("option", ["QUIET", "VERBOSE", "COLOR", "REPORT_TOP", "REPORT_EVIDENCE", "REPORT_POWER_MODEL"])
def test_an_option_s_variable_is_checked_as_the_option(
    option: str, recording: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for value in [one for one in HOSTILE if one]:
        monkeypatch.setenv(f"NAVITAS_{option}", value)
        code = run(["report", recording])
        said = capsys.readouterr().err
        assert "Traceback" not in said and "\x1b[2J" not in said
        assert code in (ExitCode.OK, ExitCode.USAGE) or (value == "../.." and "a folder, not a regular file" in said)
        if code == ExitCode.USAGE:
            assert f"NAVITAS_{option}" in said or "--power-model" in said
