"""`navitas baseline`, and `navitas check` with the sessions that it keeps."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.capture import Capture
from support.golden import GOLDEN
from support.made_reports import sort_report

from navitas.base.errors import ExitCode
from navitas.cli.main import run

FILES = ["navitas-baseline.json", "history.sqlite", "reports"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a repository with budgets."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "navitas.toml").write_text("[[check]]\nat-most-change = 50\n")
    return tmp_path


def reports(folder: Path, *energies_j: float, **changes: Any) -> list[str]:
    folder.mkdir()
    for number, energy_j in enumerate(energies_j):
        document = sort_report([energy_j, 1.01 * energy_j, 0.99 * energy_j]) | changes
        (folder / f"{number}.json").write_text(json.dumps(document))
    return [str(path) for path in sorted(folder.iterdir())]


def listed(file: str, capsys: Capture) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["baseline", "show", "--file", file, "--json", "-"]) == ExitCode.OK
    sessions: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["sessions"]
    return sessions


@pytest.mark.parametrize("name", FILES)
def test_sessions_are_added_judged_with_and_pruned(name: str, project: Path, capsys: Capture) -> None:
    if name == "reports":
        (project / name).mkdir()
    before = reports(project / "before", 10, 10.1, 9.9, 10, 10.2)
    assert run(["baseline", "add", *before[:2], "--file", name]) == ExitCode.OK
    assert run(["baseline", "add", *before, "--file", name]) == ExitCode.OK
    assert "3 added" in (said := capsys.readouterr().out) and "2 were already there" in said
    assert [one["group"] for one in listed(name, capsys)] == [1] * 5
    for energy_j, code in ((10.0, ExitCode.OK), (30.0, ExitCode.CHECK_FAILED)):
        after = reports(project / f"after-{energy_j}", energy_j, energy_j)
        assert run(["check", *after, "--baseline-file", name]) == code
    assert run(["baseline", "prune", "--keep", "2", "--file", name]) == ExitCode.OK
    assert len(listed(name, capsys)) == 2
    assert run(["baseline", "show", "--file", name]) == ExitCode.OK


def test_the_baseline_that_a_project_keeps_is_used_by_itself(project: Path, capsys: Capture) -> None:
    after = reports(project / "after", 10, 10)
    assert run(["check", *after]) == ExitCode.CHECK_FAILED
    assert "there is no session of the version before" in capsys.readouterr().err
    assert run(["baseline", "add", *reports(project / "before", 10, 10.1, 9.9)]) == ExitCode.OK
    assert (project / "navitas-baseline.json").is_file()
    assert run(["check", *after]) == ExitCode.OK


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"device": {"kind": "phone", "model": "Other"}}, "no session with the same device: "),
        ({"power_profile": {"sha256": "1"}}, "no session with the same power profile"),
        ({"evidence": {"components": {"cpu": {"level": "device"}}}}, "no session with the same evidence: "),
        ({"evidence": {"components": {"cpu": {"level": "device"}}}}, "has cpu 'device'\n"),
        ({"settings": {"mode": "tick", "seed": 7}}, "no session with the same settings: "),
        ({"settings": {"mode": "tick", "seed": 7}}, "has no mode, and "),
        ({"settings": {"tests": "a.SortTest#*"}}, "has 'all tests', and "),
        ({"settings": {"tests": "", "module": ":app"}}, "has '--module :app'"),
        ({"project": "other"}, "no session with the same project"),
    ],
)
def test_a_baseline_of_another_measurement_is_refused_with_the_reason(
    changes: dict[str, Any], part: str, project: Path, capsys: Capture
) -> None:
    assert run(["baseline", "add", *reports(project / "before", 10, 10.1, 9.9)]) == ExitCode.OK
    assert run(["check", *reports(project / "after", 10, 10, **changes)]) == ExitCode.USAGE
    assert part in capsys.readouterr().err


def test_a_session_with_uncommitted_changes_is_refused(project: Path, capsys: Capture) -> None:
    dirty = {"provenance": {"navitas_version": "0.1", "git": {"revision": "a" * 40, "dirty": True}}}
    assert run(["baseline", "add", *reports(project / "before", 10, **dirty)]) == ExitCode.USAGE
    assert "was measured with uncommitted changes" in capsys.readouterr().err
    assert not (project / "navitas-baseline.json").exists()


@pytest.mark.parametrize(
    ("status", "unfit", "part"), [("failed", [], "has failed tests"), ("passed", ["starved"], "busy or hot")]
)
def test_a_session_that_is_no_reference_is_refused(
    status: str, unfit: list[str], part: str, project: Path, capsys: Capture
) -> None:
    (file,) = reports(project / "before", 10)
    document = json.loads(Path(file).read_text())
    for test in document["tests"]:
        test.update(status=status if test["method"] == "waits" else "passed", unfit=unfit)
    Path(file).write_text(json.dumps(document))
    assert run(["baseline", "add", file]) == ExitCode.USAGE
    assert part in capsys.readouterr().err


def test_a_missing_empty_or_damaged_baseline_is_named(project: Path, capsys: Capture) -> None:
    assert run(["baseline", "show"]) == ExitCode.USAGE
    assert "navitas-baseline.json" in capsys.readouterr().err
    file = project / "navitas-baseline.json"
    for text, part in (("", "is no baseline"), ("[]", "is no baseline"), ('{"schema_version": 2}', "is no baseline")):
        file.write_text(text)
        assert run(["check", *reports(project / f"after{len(text)}", 10)]) == ExitCode.TROUBLE
        assert str(file) in (said := capsys.readouterr().err) and part in said
    file.write_text('{"navitas_baseline": 1, "sessions": [], "figures": []}')
    assert run(["baseline", "show"]) == ExitCode.USAGE
    assert "has no sessions" in capsys.readouterr().err


def test_a_recording_in_a_folder_is_never_removed(project: Path, capsys: Capture) -> None:
    shutil.copytree(GOLDEN, project / "recordings/b")
    shutil.copytree(GOLDEN, project / "recordings/a")
    manifest = project / "recordings/a/manifest.json"
    manifest.write_text(re.sub('"created_utc": *"2', '"created_utc":"1', manifest.read_text()))
    assert run(["baseline", "prune", "--keep", "1", "--file", "recordings"]) == ExitCode.USAGE
    assert "is a recording, which is never removed" in capsys.readouterr().err
    assert (project / "recordings/a").is_dir() and (project / "recordings/b").is_dir()


def test_copies_of_a_session_are_no_baseline(project: Path, capsys: Capture) -> None:
    for name in ("a", "b"):
        shutil.copytree(GOLDEN, project / "recordings" / name)
    assert run(["baseline", "show", "--file", "recordings"]) == ExitCode.USAGE
    assert "are the same session" in capsys.readouterr().err


def test_a_time_cannot_name_a_file_elsewhere(project: Path, capsys: Capture) -> None:
    (file,) = reports(project / "after", 10)
    document = json.loads(Path(file).read_text()) | {"created_utc": "../../elsewhere"}
    Path(file).write_text(json.dumps(document))
    (project / "kept").mkdir()
    assert run(["baseline", "add", file, "--file", "kept"]) == ExitCode.USAGE
    assert "no time of its recording" in capsys.readouterr().err
    assert not [*project.parent.glob("elsewhere*")] and not [*(project / "kept").iterdir()]


@pytest.mark.parametrize("file", FILES[:2])
@pytest.mark.parametrize(("key", "shown"), [("method", ":app:a.SortTest#"), ("thread", "")])
def test_a_name_that_cannot_be_read_again_is_refused(key: str, shown: str, file: str, project: Path, capsys: Capture) -> None:
    (report,) = reports(project / "before", 10)
    document = json.loads(Path(report).read_text())
    for test in document["tests"]:
        if key == "method":
            test["method"] = f"{test['method']}[{'x' * 10_000}]"
        for thread in test["threads"]:
            thread["name"] = "x" * 10_001 if key == "thread" else thread["name"]
    Path(report).write_text(json.dumps(document))
    assert run(["baseline", "add", report, "--file", file]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert re.search(r"has a name of 10,0\d\d characters, and 10,000 can be kept: ", said) and f": {shown}" in said
    assert len(said) < 1000 and "x…\n" in said and "Shorten it" in said
    shutil.rmtree(project / "before")
    assert run(["baseline", "add", *reports(project / "before", 10), "--file", file]) == ExitCode.OK
    assert run(["baseline", "show", "--file", file]) == ExitCode.OK


@pytest.mark.parametrize("words", [("check", "{report}", "--baseline-file"), ("baseline", "add", "{report}", "--file")])
def test_the_error_of_a_long_path_names_the_reason(words: tuple[str, ...], project: Path, capsys: Capture) -> None:
    (report,) = reports(project / "before", 10)
    assert run([*(word.format(report=report) for word in words), "n" * 10_001]) != ExitCode.OK
    said = capsys.readouterr().err
    assert "n…: File name too long\n" in said and len(said) < 500


def test_only_one_version_before_can_be_named(project: Path, capsys: Capture) -> None:
    (after,) = reports(project / "after", 10)
    words = ["check", after, "--before", after, "--baseline-file", after]
    assert run(words) == ExitCode.USAGE
    assert "both name the version before" in capsys.readouterr().err
