"""`navitas history`: adds sessions, shows trends, and names what is wrong."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from support.capture import Capture
from support.counted_files import CountedFiles
from test_cli_compare import report, runs

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.insight.history.store import open_history

FIRST_HISTORY = Path(__file__).parents[2] / "fixtures" / "history-v1.sqlite"


def write(folder: Path, count: int, change_at: int) -> Path:
    folder.mkdir()
    for index in range(count):
        document = report(runs(10 if index < change_at else 14))
        document["provenance"] = {"navitas_version": "0.1", "git": {"revision": f"{index:08x}" * 5, "dirty": False}}
        (folder / f"{index:02}.json").write_text(json.dumps(document))
    return folder


def shown(capsys: Capture, *words: str) -> dict[str, Any]:
    assert run(["history", *words, "--json", "-"]) == ExitCode.OK
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_change_is_shown_between_its_revisions(tmp_path: Path, capsys: Capture) -> None:
    reports, file = write(tmp_path / "reports", 8, 4), str(tmp_path / "h.sqlite")
    assert run(["history", "add", str(reports), "--file", file]) == ExitCode.OK
    assert "8 added to" in capsys.readouterr().out
    assert run(["history", "add", str(reports), "--file", file]) == ExitCode.OK
    assert "0 added to" in capsys.readouterr().out
    found = shown(capsys, file, "--figure", "method:a.Sorter.sort", "--source", str(tmp_path))
    (sort,) = found["figures"]
    (point,) = sort["change_points"]
    assert (point["before"], point["after"]) == (3, 4)
    assert point["low_percent"] < 40 < point["high_percent"]
    assert found["sessions"][4]["revision"] == "00000004" * 5
    assert run(["history", file]) == ExitCode.OK
    assert "00000003 → 00000004" in capsys.readouterr().out


def test_a_page_shows_the_trend(tmp_path: Path, capsys: Capture) -> None:
    reports, file, page = write(tmp_path / "reports", 8, 4), str(tmp_path / "h.sqlite"), tmp_path / "h.html"
    assert run(["history", "add", str(reports), "--file", file]) == ExitCode.OK
    assert run(["history", "show", file, "--source", str(tmp_path), "--html", str(page)]) == ExitCode.OK
    text = page.read_text("utf-8")
    assert "navitas bisect 000000030000 000000040000 PROJECT" in re.sub("<[^>]*>", "", text) and text.count('class="trend"') == 3
    capsys.readouterr()
    assert run(["history", "show", file, "--source", str(tmp_path), "--html", "-"]) == ExitCode.OK
    assert capsys.readouterr().out == text


def test_few_sessions_have_no_change_points(tmp_path: Path, capsys: Capture) -> None:
    reports, file = write(tmp_path / "reports", 2, 1), str(tmp_path / "h.sqlite")
    assert run(["history", "add", str(reports / "00.json"), str(reports / "01.json"), "--file", file]) == ExitCode.OK
    capsys.readouterr()
    found = shown(capsys, "show", "--file", file)
    assert found == shown(capsys, file)
    assert all(one["change_points"] == [] and one["slope"] is None for one in found["figures"])
    assert found["warnings"] == ["change points need at least 4 sessions; the history has 2"]

    assert run(["history", "show", file, "--file", file]) == ExitCode.USAGE
    assert "Name one of them." in capsys.readouterr().err


def test_sessions_of_the_first_version_are_read_again_from_their_recordings(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has a session whose recording is there, and four whose recordings are not."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIRST_HISTORY, tmp_path / "h")
    assert run(["history", "h"]) == ExitCode.USAGE
    said = " ".join(capsys.readouterr().err.split())
    assert "no session in h has app energy" in said and "add their recordings again, or show --figure total" in said
    recording = CountedFiles(tmp_path / "files", [(4, 200), (4, 200)]).recording
    found = shown(capsys, "h", "--figure", "test:*")
    assert [one["name"] for one in found["sessions"]] == ["files/rec"] and found["energy"] == "app"
    assert any("left out: 4 sessions without app energy: session 1, session 2" in one for one in found["warnings"])
    assert (tmp_path / "h").read_bytes() == FIRST_HISTORY.read_bytes()

    new = write(tmp_path / "reports", 1, 0)
    assert run(["history", "add", str(new), "--file", "h"]) == ExitCode.OK
    assert "1 added to h" in capsys.readouterr().out
    shutil.rmtree(recording)
    with open_history(tmp_path / "h") as history:
        assert [one.has("app") for one in history.sessions()].count(True) == 2, "the new one, and the one of the recording"


def test_mistakes_are_named(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["history"]) == ExitCode.USAGE
    assert "there is no history navitas-history.sqlite" in capsys.readouterr().err
    (tmp_path / "text").write_text("joules")
    assert run(["history", "text"]) == ExitCode.TROUBLE
    assert "text is not an SQLite file" in capsys.readouterr().err
    reports = write(tmp_path / "reports", 1, 0)
    assert run(["history", "add", str(reports)]) == ExitCode.OK
    assert run(["history", "--figure", "sort"]) == ExitCode.USAGE
    assert "'sort' is no figure" in capsys.readouterr().err
    assert run(["history", "show", "--figure", "method:b.*"]) == ExitCode.USAGE
    assert "no figure matches method:b.*" in capsys.readouterr().err
    document = json.loads((reports / "00.json").read_text())
    document["tests"][0]["app_components"]["cpu"] += 1
    (reports / "00.json").write_text(json.dumps(document))
    assert run(["history", "add", str(reports)]) == ExitCode.TROUBLE
    assert "a report was edited" in capsys.readouterr().err


def test_a_settings_file_cannot_name_a_history_to_write(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reports = write(tmp_path / "reports", 1, 0)
    (tmp_path / "navitas.toml").write_text('[history.add]\nfile = "h"\n')
    assert run(["history", "add", str(reports)]) == ExitCode.USAGE
    assert "cannot set programs, code to run, output files" in capsys.readouterr().err


def test_a_report_comes_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    file, document = str(tmp_path / "h.sqlite"), json.dumps(report(runs(10))).encode()
    for added in (1, 0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(document)))
        assert run(["history", "add", "-", "--file", file]) == ExitCode.OK
        assert f"{added} added to" in capsys.readouterr().out
    assert [one["name"] for one in shown(capsys, file)["sessions"]] == ["standard input"]
