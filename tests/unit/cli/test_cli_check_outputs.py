"""The files that `navitas check` writes for a CI, by its options and by the variables of GitHub."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture
from test_cli_check import CHANGE, budgets, project, sides  # noqa: F401  # A fixture.

from navitas.base.errors import ExitCode
from navitas.cli.main import run


@pytest.fixture
def words(project: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:  # noqa: F811
    """A check that fails, outside of any CI."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_SERVER_URL", "CI_PROJECT_URL"):
        monkeypatch.delenv(name, raising=False)
    budgets(project, CHANGE)
    return ("check", *sides(project, 12.0))


def test_nothing_is_written_without_an_option(words: tuple[str, ...], capsys: Capture) -> None:
    before = {path.name for path in Path().iterdir()}
    assert run([*words]) == ExitCode.CHECK_FAILED
    assert "::error" not in capsys.readouterr().err and {path.name for path in Path().iterdir()} == before


def test_options_name_the_files(words: tuple[str, ...], capsys: Capture) -> None:
    assert run([*words, "--summary", "a.md", "--sarif", "a.sarif", "--junit", "a.xml", "--json", "-"]) == ExitCode.CHECK_FAILED
    assert json.loads(capsys.readouterr().out)["verdict"] == "above"
    assert Path("a.md").read_text("utf-8").startswith("## Energy check failed")
    results = json.loads(Path("a.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results] == ["navitas.toml"]
    assert "<failure " in Path("a.xml").read_text("utf-8")
    assert run([*words, "--summary", "-"]) == ExitCode.CHECK_FAILED
    assert capsys.readouterr().out == Path("a.md").read_text("utf-8"), "the summary alone"


def test_a_budget_that_matches_nothing_is_written_before_the_error(words: tuple[str, ...], capsys: Capture) -> None:
    budgets(Path().absolute(), f"{CHANGE}[[check]]\ntest = 'a.NoTest#*'\nat-most = '1 J'\n")
    for fail_on in ("above", "unknown"):
        outputs = ("--summary", "a.md", "--sarif", "a.sarif", "--junit", "a.xml", "--json", "a.json", "--fail-on", fail_on)
        assert run([*words, *outputs]) == ExitCode.USAGE
        said = capsys.readouterr().err
        assert f"error: {Path('navitas.toml').absolute()}:4: nothing matches test" in said and "The tests are: " in said
        rows = {one["name"]: one["verdict"] for one in json.loads(Path("a.json").read_text("utf-8"))["judgements"]}
        assert rows["a.NoTest#*"] == "matches nothing" and rows[":app:a.SortTest#sorts"] == "above"
        for file in ("a.md", "a.sarif", "a.xml"):
            assert "NoTest" in Path(file).read_text("utf-8")
            Path(file).unlink()


def test_a_summary_says_why_nothing_was_judged(words: tuple[str, ...]) -> None:
    for file in Path("after").iterdir():
        file.write_text(file.read_text().replace('"Made"', '"Other"'))
    assert run([*words, "--summary", "a.md"]) == ExitCode.USAGE
    summary = Path("a.md").read_text("utf-8")
    assert summary.startswith("## Energy check: nothing was judged\n") and "have different devices" in summary


def test_warnings_of_a_recording_are_in_the_summary_once(words: tuple[str, ...], capsys: Capture) -> None:
    file = Path("after/0.json")
    warning = {"code": "events_missing", "message": "runs/0: some events are missing", "remedy": "Record again."}
    file.write_text(json.dumps(json.loads(file.read_text()) | {"warnings": [warning]}))
    assert run([*words, "--summary", "a.md", "--json", "a.json"]) == ExitCode.CHECK_FAILED
    said = f"{file.absolute()}: runs/0: some events are missing"
    assert capsys.readouterr().err.count(f"warning: {said}") == 1
    assert json.loads(Path("a.json").read_text("utf-8"))["warnings"] == [said]
    assert Path("a.md").read_text("utf-8").count("runs/0: some events are missing") == 1


def test_a_page_has_all_changes_and_needs_a_version_before(words: tuple[str, ...], capsys: Capture) -> None:
    assert (
        run(["compare", *(str(Path(side).absolute()) for side in ("before", "after")), "--html", "compared.html"]) == ExitCode.OK
    )
    assert run([*words, "--html", "a.html"]) == ExitCode.CHECK_FAILED
    assert Path("a.html").read_text("utf-8") == Path("compared.html").read_text("utf-8")
    capsys.readouterr()
    budgets(Path().absolute(), "[[check]]\nat-most = '1 J'\n")
    assert run(["check", "after", "--html", "b.html"]) == ExitCode.CHECK_FAILED
    assert "warning: no page: there is no session of the version before" in capsys.readouterr().err
    assert not Path("b.html").exists()


def test_two_outputs_in_one_file_are_wrong_usage(words: tuple[str, ...], capsys: Capture) -> None:
    for option in ("--junit", "--html"):
        assert run([*words, "--summary", "a", option, "a"]) == ExitCode.USAGE
        assert "same file" in capsys.readouterr().err


def test_github_gets_summary_and_annotations(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    summary = Path("summary.md")
    summary.write_text("Of a step before.\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for given in ([], ["--summary", str(summary)]):
        assert run([*words, *given]) == ExitCode.CHECK_FAILED
        assert "\n::error file=navitas.toml,line=1,title=" in f"\n{capsys.readouterr().err}"
    assert summary.read_text("utf-8").startswith("Of a step before.\n## Energy check failed")
    assert summary.read_text("utf-8").count("## Energy check failed") == 2


@pytest.mark.parametrize(("file", "reason"), [("missing/summary.md", "No such file"), ("/dev/full", "No space left")])
def test_a_summary_that_cannot_be_written_does_not_change_the_verdict(
    file: str, reason: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", file)
    assert run([*words]) == ExitCode.CHECK_FAILED
    assert f"no summary: cannot write {file}: {reason}" in capsys.readouterr().err


def test_the_folder_of_an_output_is_checked_before_the_work(words: tuple[str, ...], capsys: Capture) -> None:
    assert run([*words, "--summary", "missing/summary.md"]) == ExitCode.USAGE
    assert "no such folder: missing" in capsys.readouterr().err
