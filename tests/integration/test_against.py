"""`profile --against`: both versions run in turns in one session, which `compare` knows; warm-ups and `--precision`.

`make accuracy` compares their energy (tests/accuracy/live_changes.py).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.changed_sample import TEST, changed_sample
from support.command_line import Run
from support.git_repository import git, needs_git

from navitas.recording.store import open_recording

pytestmark = needs_git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return changed_sample(tmp_path / "sample")


@pytest.mark.extended
def test_a_revision_is_measured_in_turns_and_compared(gradle: str, navitas: Run, project: Path, tmp_path: Path) -> None:
    options = ("--gradle", gradle, "--tests", TEST, "--repeat", "2", "--warmup", "1", "--order", "3")
    done = navitas("profile", "sample", "--against", "HEAD", *options, "-o", "both", "--json", "after.json")
    assert done.code == 0, done.err
    assert "App energy, 1 session before and 1 session after" in done.out
    assert "all tests" in done.out
    manifests = [open_recording(tmp_path / "both" / name).manifest for name in ("before", "after")]
    assert len({one.settings["session"] for one in manifests}) == 1
    assert [[(run.repeat, run.warmup) for run in one.runs] for one in manifests] == [[(0, True), (1, False), (2, False)]] * 2
    assert [one.provenance.git.dirty for one in manifests if one.provenance.git is not None] == [False, True]
    report = json.loads((tmp_path / "after.json").read_text("utf-8"))
    assert report["tests"][0]["unfit"][0] == "warmup"
    (repeats,) = report["repeats"]
    assert (repeats["interval_j"] is None) == (repeats["n"] < 2), "a busy host can leave one run that counts"
    compared = navitas("compare", "both/before", "both/after", "--json", "changes.json")
    assert compared.code == 0, compared.err
    changes = json.loads((tmp_path / "changes.json").read_text("utf-8"))
    assert changes["same_session"] is True, "since the recordings name the same session"
    written = json.loads((tmp_path / "both/comparison.json").read_text("utf-8"))
    assert written["changes"] == changes["changes"]
    assert "comparison: both/comparison.html" in done.err and (tmp_path / "both/comparison.html").is_file()
    total = changes["changes"][0]
    assert (total["effect"]["percent"] > 0) == (0 < total["before_j"] < total["after_j"])
    assert not git(project, "worktree", "list").count("\n"), "nothing is left in the repository"


@pytest.mark.extended
def test_repeats_end_at_the_limit_or_when_the_interval_is_narrow(
    gradle: str, navitas: Run, project: Path, tmp_path: Path
) -> None:
    options = ("--gradle", gradle, "--tests", TEST, "--max-repeat", "4")
    done = navitas("profile", "sample", *options, "--precision", "0.1%", "-o", "narrow", "--json", "narrow.json")
    assert done.code == 0, done.err
    report = json.loads((tmp_path / "narrow.json").read_text("utf-8"))
    (repeats,) = report["repeats"]
    low_j, high_j = repeats["interval_j"] or (0.0, float("inf"))
    assert len(report["tests"]) == 4 or high_j - low_j <= 0.002 * high_j, "three runs can be as equal as that"
    done = navitas("profile", "sample", *options, "--precision", "100%", "-o", "wide", "--json", "wide.json")
    assert done.code == 0, done.err
    assert len(json.loads((tmp_path / "wide.json").read_text("utf-8"))["tests"]) in (3, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("profile", "sample", "--against", "mian"), "'mian' is no commit"),
        (("profile", "--bundle", "b.zip", "--against", "HEAD"), "--bundle names none"),
        (("profile", "sample", "--precision", "0"), "--precision"),
        (("profile", "sample", "--max-repeat", "5"), "--max-repeat limits the repeats of --precision"),
        (("profile", "sample", "--precision", "3", "--repeat", "9", "--max-repeat", "5"), "--repeat 9 is the least number"),
        (("profile", "sample", "--against", "HEAD", "-o", "."), "before"),
    ],
)
def test_mistakes_are_named_before_the_build(
    in_process: Run, project: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "b.zip").write_bytes(b"")
    (tmp_path / "before").mkdir()
    (tmp_path / "before/other").touch()
    done = in_process(*arguments)
    assert done.code == (4 if "." in arguments else 2)
    assert message in done.err
    assert not (tmp_path / "navitas-recordings").exists()


@pytest.mark.extended
def test_failing_tests_are_named_and_reported(gradle: str, navitas: Run, project: Path, tmp_path: Path) -> None:
    test = project / "src/test/java/org/navitas/sample/DemoTest.java"
    text = test.read_text("utf-8")
    place = text.index("{", text.index("void searchByIndex()")) + 1
    test.write_text(f"{text[:place]} assertTrue(false); {text[place:]}", "utf-8")
    options = ("--gradle", gradle, "--tests", TEST, "-o", "both", "--json", "after.json")
    done = navitas("profile", "sample", "--against", "HEAD", *options)
    assert done.code == 3, done.err
    assert "nothing was compared" in done.err and "FAILED" in done.err and "both/before" in done.err
    assert json.loads((tmp_path / "after.json").read_text("utf-8"))["tests"][0]["status"] == "failed"
    again = navitas("profile", "sample", "--against", "HEAD", *options)
    assert again.code == 2 and "already contains a recording" in again.err
