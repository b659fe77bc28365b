"""`navitas check`: budgets of a project's settings file, verdicts, exit codes and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support.capture import Capture
from support.counted_files import CountedFiles
from support.made_reports import sort_report, write

from navitas.base.errors import ExitCode, UsageError
from navitas.cli.check import command
from navitas.cli.main import run
from navitas.insight.check.budget_changes import budget_changes
from navitas.insight.check.budgets import Budgets


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / ".git").mkdir()
    return tmp_path


def sides(folder: Path, after_j: float, count: int = 4) -> tuple[str, ...]:
    """Write sessions before, with 10 J for each run of a test, and after."""
    spread = [0.99, 1.0, 1.01, 1.0]
    before, after = ([sort_report([mean_j * one for one in spread]) for _ in range(count)] for mean_j in (10.0, after_j))
    return write(folder / "after", *after), "--before", write(folder / "before", *before)


def budgets(folder: Path, text: str) -> None:
    (folder / "navitas.toml").write_text(text)


TEST = ":app:a.SortTest#sorts"
CHANGE = "[[check]]\ntest = 'a.SortTest#*'\nat-most-change = 5\n"


@pytest.mark.parametrize(("after_j", "word", "code"), [(10.1, "within", ExitCode.OK), (12.0, "above", ExitCode.CHECK_FAILED)])
def test_a_version_is_judged_by_its_budgets(after_j: float, word: str, code: int, project: Path, capsys: Capture) -> None:
    budgets(project, CHANGE)
    words = sides(project, after_j)
    assert run(["check", *words]) == code
    said = capsys.readouterr()
    assert word in said.out and ("check failed: " in said.err) == (word == "above")
    if word == "above":
        assert f"{TEST} (test, app): +20.0 % (at least +" in said.err and f"{project / 'navitas.toml'}:1" in said.err
        assert "Methods whose energy rose with it: a.Sorter.sort +20.0 %" in said.err
    assert run(["check", *words, "--json", "-"]) == code
    found = json.loads(capsys.readouterr().out)
    judged = {one["name"]: one["verdict"] for one in found["judgements"]}
    assert judged == {TEST: word, ":app:a.SortTest#waits": "within"} and found["verdict"] == word


def test_what_is_not_known_fails_unless_only_above_does(project: Path, capsys: Capture) -> None:
    budgets(project, CHANGE)
    words = sides(project, 12.0, count=1)
    assert run(["check", *words]) == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert said.endswith("check failed: unknown\n") and "one session of each version shows no change" in said
    assert run(["check", *words, "--fail-on", "above"]) == ExitCode.OK
    assert "it is not known whether these are within their limit" in capsys.readouterr().err


def test_an_absolute_limit_needs_one_recording_only(project: Path) -> None:
    after, *_ = sides(project, 10.0, count=1)
    for limit, code in (("100 J", ExitCode.OK), ("1 J", ExitCode.CHECK_FAILED)):
        budgets(project, f"[[check]]\nat-most = '{limit}'\n")
        assert run(["check", after]) == code


def test_a_waiver_is_said_in_each_check_and_ends(project: Path, capsys: Capture) -> None:
    words = sides(project, 12.0)
    waiver = "[[waiver]]\ntest = 'a.SortTest#sorts'\nreason = 'new sort'\nuntil = "
    budgets(project, f"{CHANGE}{waiver}9999-12-31\n")
    assert run(["check", *words]) == ExitCode.OK
    said = capsys.readouterr()
    assert "accepted until 9999-12-31: new sort" in said.err and "above (accepted until 9999-12-31)" in said.out
    budgets(project, f"{CHANGE}{waiver}2020-01-01\n")
    assert run(["check", *words]) == ExitCode.CHECK_FAILED
    assert "this waiver ended on 2020-01-01" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "navitas.toml has no [[check]]"),
        ("[[check]]\n", "navitas.toml:1: it has no limit"),
        ("[[check]]\ntest = 'a.NoTest'\nat-most = '1 J'\n", "navitas.toml:1: nothing matches test"),
    ],
)
def test_errors_of_budgets_are_wrong_usage(text: str, part: str, project: Path, capsys: Capture) -> None:
    after, *_ = sides(project, 10.0)
    budgets(project, text)
    assert run(["check", after]) == ExitCode.USAGE
    assert part in capsys.readouterr().err


def test_without_a_settings_file_there_is_nothing_to_judge(project: Path, capsys: Capture) -> None:
    assert run(["check", *sides(project, 10.0)]) == ExitCode.USAGE
    assert "there is no navitas.toml here" in capsys.readouterr().err


def test_other_commands_accept_a_file_with_budgets(project: Path) -> None:
    budgets(project, f"{CHANGE}\n[compare]\nmargin = 4\n")
    after, _, before = sides(project, 10.0)
    assert run(["compare", before, after]) == ExitCode.OK


def test_failed_tests_have_their_own_exit_code(project: Path, capsys: Capture) -> None:
    words = sides(project, 10.0)
    file = project / "after/0.json"
    document = json.loads(file.read_text())
    for one in document["tests"]:
        if one["method"] == "waits":
            one["status"] = "failed"
    file.write_text(json.dumps(document))
    budgets(project, "[[check]]\ntest = 'a.SortTest#sorts'\nat-most-change = 5\n")
    assert run(["check", *words]) == ExitCode.TESTS_FAILED
    assert "these tests failed: :app:a.SortTest#waits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("runs", "word"), [([(4, 200)] * 2, "within"), ([(4, 260)] * 2, "above"), ([(4, 200), (4, 201)], "not enough data")]
)
def test_operations_are_compared_exactly(runs: list[tuple[int, int]], word: str, project: Path, capsys: Capture) -> None:
    before, after = CountedFiles(project / "before", [(4, 200)] * 2), CountedFiles(project / "after", runs)
    manifest = before.recording / "manifest.json"
    manifest.write_text(re.sub('"created_utc": *"2026-01-01', '"created_utc": "2025-01-01', manifest.read_text()))
    budgets(
        project,
        "[[check]]\nfigure = 'operations'\nat-most-change = 20\n[[check]]\ntest = 'a.*'\nfigure = 'operations'\nat-most = 1200\n",
    )
    words = ["check", str(after.recording), "--before", str(before.recording), "--json", "-"]
    assert run([*words, "--census", str(after.census), "--before-census", str(before.census)]) == (word != "within")
    judged = json.loads(capsys.readouterr().out)["judgements"]
    assert [one["verdict"] for one in judged] == [word, word] and {one["unit"] for one in judged} == {"%", ""}
    assert run(words) == ExitCode.CHECK_FAILED
    assert "by --census" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("after", "--repeat", "3"), "--repeat is for measuring a project, and after is none"),
        (("after", "--before-census", "after/0.json"), "--before-census is that of the recordings before"),
        (("after", "--census", "after/0.json"), "is a JSON report, which has no executed blocks"),
        ((".", "--census", "after/0.json"), "--census is for recordings, and . is a project"),
        ((".", "--max-minutes", "3"), "--max-minutes limits --measure"),
        ((".", "--against", "HEAD", "--before", "before"), "both name the version before"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: tuple[str, ...], part: str, project: Path, capsys: Capture) -> None:
    sides(project, 10.0)
    (project / "build.gradle").touch()
    budgets(project, CHANGE)
    assert run(["check", *words]) == ExitCode.USAGE
    assert part in capsys.readouterr().err


@pytest.mark.parametrize("given", [(), ("--tests", "a.SortTest#sorts")])
def test_settings_of_the_version_before_that_choose_what_is_measured_count_unless_overridden(
    given: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "build.gradle").write_text("")
    (project / "before").mkdir()
    (project / "before/navitas.toml").write_text("[profile]\ntests = ['a.*']\nmodule = ':app'\n" + CHANGE)
    budgets(project, "[profile]\ntests = ['a.SortTest#waits']\n" + CHANGE)
    named: list[tuple[str, ...]] = []

    def checked(folder: Path, now: Budgets, *others: object, budgets_of: Callable[[Path], Budgets], **options: object) -> None:
        named.append(budget_changes(budgets_of(project / "before"), now))
        raise UsageError("enough", "")

    monkeypatch.setattr(command, "profile_and_check", checked)
    assert run(["check", ".", "--against", "main", *given]) == ExitCode.USAGE
    assert [text.partition(" of [profile]")[0] for text in named[0]] == (["module"] if given else ["tests", "module"])


def test_settings_of_profile_apply_to_a_project_that_is_checked(project: Path, capsys: Capture) -> None:
    (project / "build.gradle").touch()
    budgets(project, f"{CHANGE}[profile]\nrepeat = 0\ntree = 'main'\n")
    assert run(["check"]) == ExitCode.USAGE
    assert f"{project / 'navitas.toml'}:5: repeat: 0 is not in the range" in capsys.readouterr().err
