"""`navitas compare`: changes between recordings or reports, and what it refuses."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.capture import Capture
from support.counted_files import CountedFiles
from support.made_reports import sort_report as report
from support.made_reports import write
from support.repeatable_random import repeatable_rng

from navitas.base.errors import ExitCode
from navitas.cli.compare.tables import changes_table
from navitas.cli.main import run
from navitas.insight.compare.comparison import Comparison, FigureChange
from navitas.insight.compare.subject import Kind, Subject
from navitas.insight.compare.verdict import Verdict, Word

RNG = repeatable_rng(3)


def change(document: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Change fields of the tests that sort."""
    for test in document["tests"]:
        if test["method"] == "sorts":
            test.update(fields)
    return document


def runs(mean_j: float, shift: float = 0.0) -> list[float]:
    return list(mean_j * np.exp(shift + RNG.normal(0, 0.01, 4)))


def compared(capsys: Capture, *words: str, code: int = ExitCode.OK) -> dict[str, Any]:
    assert run(["compare", *words, "--json", "-"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def words_of(found: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["verdict"] and one["verdict"]["word"] for one in found["changes"]}


def test_a_dearer_test_is_different_and_others_are_the_same(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    before = write(tmp_path / "before", *(report(runs(10)) for _ in range(4)))
    after = write(tmp_path / "after", *(report(runs(12)) for _ in range(4)))
    found = compared(capsys, before, after)
    assert words_of(found) == {
        "all tests": "different", "cpu": "different", ":app:a.SortTest#sorts": "different", ":app:a.SortTest#waits": "same",
        "main": "different", "a.Sorter.sort()V": "different",
    }  # fmt: skip
    sort = next(one for one in found["changes"] if one["kind"] == "method")
    assert sort["effect"]["percent"] == pytest.approx(20, abs=3)
    assert sort["effect"]["low_percent"] < 20 < sort["effect"]["high_percent"]
    assert found["warnings"] == []
    assert run(["compare", before, after]) == ExitCode.OK
    assert "a.Sorter.sort " in capsys.readouterr().out
    assert run(["compare", before, after, "--fail-above", "5"]) == ExitCode.CHECK_FAILED
    assert ":app:a.SortTest#sorts: " in capsys.readouterr().err
    assert run(["compare", before, after, "--fail-above", "40"]) == ExitCode.OK


def test_the_table_has_the_first_thousand_rows(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    methods = [
        {"module": ":", "class": "a.Sorter", "name": f"m{i}", "descriptor": "()V", "exclusive_j": 1.0 + i} for i in range(1100)
    ]
    threads = [{"name": "main", "role": "app", "energy_j": 10.0, "methods": methods}]
    sides = [write(tmp_path / side, *(change(report([10, 10.1]), threads=threads) for _ in range(2))) for side in ("a", "b")]
    assert len(compared(capsys, *sides, "--min-share", "0")["changes"]) == 1105
    assert run(["compare", *sides, "--min-share", "0"]) == ExitCode.OK
    printed = capsys.readouterr().out
    assert "105 more rows in --json." in printed and "a.Sorter.m200 " in printed and "a.Sorter.m50 " not in printed


def test_a_table_without_room_for_all_rows_has_the_changed_ones_and_some_of_each_kind() -> None:
    def changes(kind: Kind, different: range) -> list[FigureChange]:
        words: list[Word] = ["different" if i in different else "same" for i in range(1100)]
        return [
            FigureChange(Subject(kind, f"{kind}{i}.", "app"), 1.0, 2.0, None, None, Verdict(word)) for i, word in enumerate(words)
        ]

    found = Comparison((*changes("test", range(1, 1)), *changes("method", range(1090, 1100))), (), (), (), ())
    rows = [row[0] for row in changes_table(found, "app", 2, 2).rows]
    tests, methods = ([row for row in rows if row.startswith(kind)] for kind in ("test", "method"))
    assert len(rows) == 1000 and rows == tests + methods and len(tests) == len(methods) - 10 == 495
    assert methods[-11:] == ["method494.", *(f"method{i}." for i in range(1090, 1100))]


def test_base_energy_does_not_hide_a_change(tmp_path: Path, capsys: Capture) -> None:
    """A test that waits for long and works for short, whose work doubles: 10 % of all energy."""
    before = write(tmp_path / "before", *(report([4.0, 4.01]) for _ in range(3)))
    after = write(tmp_path / "after", *(report([8.0, 8.02]) for _ in range(3)))
    sides = (before, after, "--figure", "test:*sorts")
    for energy, percent, code in (("app", 100, 1), ("total", 9, 0), ("base", 0, 0)):
        found = compared(capsys, *sides, "--figure", energy, "--fail-above", "20", code=code)
        (change,) = found["changes"]
        assert (found["energy"], change["energy"]) == (energy, energy)
        assert change["effect"]["percent"] == pytest.approx(percent, abs=0.1)
    assert run(["compare", *sides, "--fail-above", "20"]) == ExitCode.CHECK_FAILED, "app is the default"
    printed = capsys.readouterr()
    assert (
        "App energy, 3 sessions before" in " ".join(printed.out.split()) and "100.0 % more app energy (limit 20 %)" in printed.err
    )


def test_named_figures_are_judged(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", *(report([4.0, 4.01]) for _ in range(3)))
    after = write(tmp_path / "after", *(report([8.0, 8.01]) for _ in range(3)))
    limit = ("--fail-above", "20")
    for figure, code in (("method:*sort", 1), ("thread:main", 1), ("component:cpu", 1), ("test:*#waits", 0), ("all:*", 1)):
        assert run(["compare", before, after, "--figure", figure, *limit]) == code, figure
    capsys.readouterr()
    assert run(["compare", before, after, "--figure", "method:b.*", *limit]) == ExitCode.USAGE
    assert "no figure matches method:b.*" in capsys.readouterr().err


def test_reports_without_app_energy_are_named(tmp_path: Path, capsys: Capture) -> None:
    old = report(runs(10))
    for test in old["tests"]:
        del test["app_components"], test["base_components"]
    before, after = write(tmp_path / "before", old), write(tmp_path / "after", report(runs(20)))
    for energy in ("app", "base"):
        assert run(["compare", before, after, "--figure", energy]) == ExitCode.USAGE
        said = " ".join(capsys.readouterr().err.split())
        assert f"without {energy} energy: {before}/0.json" in said and "navitas report RECORDING -o FILE.json" in said
    assert compared(capsys, before, after, "--figure", "total")["energy"] == "total"


def test_one_session_of_a_version_is_not_enough(tmp_path: Path, capsys: Capture) -> None:
    before, after = write(tmp_path / "before", report(runs(10))), write(tmp_path / "after", report(runs(20)))
    found = compared(capsys, before, after)
    assert words_of(found)["all tests"] == "not enough data"
    assert "one session" in found["warnings"][0]
    assert found["changes"][0]["verdict"]["shows_percent"] is None
    assert run(["compare", before, after, "--fail-above", "5"]) == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert "all tests (this data shows no change)" in said and said.splitlines()[-1] == "check failed: unknown"
    assert run(["compare", before, after, "--fail-above", "5", "--fail-on", "above"]) == ExitCode.OK


def test_runs_of_both_versions_in_one_session_show_a_change(tmp_path: Path, capsys: Capture) -> None:
    before, after = write(tmp_path / "before", report(runs(10))), write(tmp_path / "after", report(runs(11)))
    assert words_of(compared(capsys, before, after, "--same-session"))["all tests"] == "different"
    several = write(tmp_path / "several", report(runs(11)), report(runs(11)))
    assert run(["compare", before, several, "--same-session"]) == ExitCode.USAGE
    assert "both recordings of each session" in capsys.readouterr().err
    shifts = (0.3, -0.2, 0.1)
    old = write(tmp_path / "old", *(report(runs(10, shift)) for shift in shifts))
    new = write(tmp_path / "new", *(report(runs(11, shift)) for shift in shifts))
    assert words_of(compared(capsys, old, new, "--same-session"))[":app:a.SortTest#sorts"] == "different"
    (tmp_path / "new" / "2.json").rename(tmp_path / "new" / "9.json")
    assert run(["compare", old, new, "--same-session"]) == ExitCode.USAGE


def test_only_tests_that_passed_in_all_runs_count(tmp_path: Path, capsys: Capture) -> None:
    """A test that is new, or failed early, changes no total."""
    before = write(tmp_path / "before", *(report(runs(10)) for _ in range(3)))
    for name, fields in (("failed", {"status": "failed", "app_components": {"cpu": 1.0}}), ("new", {"method": "others"})):
        after = write(tmp_path / name, *(change(report(runs(30)), **fields) for _ in range(3)))
        found = compared(capsys, before, after)
        assert words_of(found)["all tests"] == "same"
        assert ":app:a.SortTest#sorts" in found["left_out"]
        assert "did not pass in every run" in found["warnings"][0]
    none = write(tmp_path / "none", change(report(runs(10)), status="ignored"))
    for test in (document := json.loads((tmp_path / "none/0.json").read_text()))["tests"]:
        test["status"] = "ignored"
    (tmp_path / "none/0.json").write_text(json.dumps(document))
    assert run(["compare", before, none]) == ExitCode.USAGE
    assert "no test passed" in capsys.readouterr().err


def test_a_session_counts_once(tmp_path: Path, capsys: Capture) -> None:
    one = report(runs(10))
    twice = write(tmp_path / "twice", one, one)
    assert run(["compare", twice, twice]) == ExitCode.USAGE
    assert "are the same session" in capsys.readouterr().err


def test_a_recording_is_not_compared_with_itself(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "one", report(runs(10)))
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    for other, message in (
        (folder, f"{folder}/0.json is both before and after"),
        ("one/0.json", f"{folder}/0.json and one/0.json: the same recording is both before and after"),
        ("link", f"{folder}/0.json and link/0.json: the same recording is both before and after"),
    ):
        assert run(["compare", folder, other]) == ExitCode.USAGE
        assert message in " ".join(capsys.readouterr().err.split())


def test_copies_of_a_session_show_no_change(tmp_path: Path, capsys: Capture) -> None:
    document = report(runs(10))
    sides = [write(tmp_path / name, document) for name in ("a", "b")]
    comparison = compared(capsys, *sides)
    assert comparison["warnings"][0].startswith("these are copies of the same session, which shows no change: ")
    assert all(name in comparison["warnings"][0] for name in sides)


def test_the_heading_says_that_threads_include_probes(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    sides = [write(tmp_path / name, report(runs(10))) for name in ("a", "b")]
    for figures, heading in ((["--figure", "test:*"], "after\n"), ([], "after; threads with probes\n")):
        assert run(["compare", *sides, *figures]) == ExitCode.OK
        lines = capsys.readouterr().out.splitlines()
        title = next(line.rstrip() for line in lines if line.strip())
        assert f"{title}\n" == f"App energy, 1 session before and 1 session {heading}"


def test_a_limit_that_is_not_ruled_out_is_unknown(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", *(report(runs(10, shift)) for shift in (0.0, 0.1, -0.1)))
    after = write(tmp_path / "after", *(report(runs(10.5, shift)) for shift in (0.02, 0.1, -0.1)))
    call = ["compare", before, after, "--margin", "60", "--fail-above", "5"]
    assert run([*call, "--fail-on", "above"]) == ExitCode.OK
    said = capsys.readouterr().err
    assert "it is not known whether these need over 5 % more energy: all tests (this data shows changes from about" in said
    assert "repeats" not in said and "unknown" not in said
    for words in ([], ["--fail-on", "unknown"]):
        assert run([*call, *words]) == ExitCode.CHECK_FAILED
        assert capsys.readouterr().err.splitlines()[-1] == "check failed: unknown"


def test_a_kind_of_failure_needs_a_limit(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", report(runs(10)))
    assert run(["compare", before, before, "--fail-on", "unknown"]) == ExitCode.USAGE
    assert "--fail-on needs a limit" in capsys.readouterr().err


def test_the_result_is_not_written_among_the_recordings(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", report(runs(10)))
    for name in ("0.json", "new.json"):
        assert run(["compare", before, before, "--json", f"{before}/{name}"]) == ExitCode.USAGE
        assert "is among the recordings" in capsys.readouterr().err


def test_repeats_that_were_cut_do_not_count(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", report([10, 10, 10]))
    after = write(tmp_path / "after", report([10, 10, 1], cut=2))
    found = compared(capsys, before, after)
    assert found["changes"][0]["before_j"] == pytest.approx(15)
    assert found["changes"][0]["after_j"] == pytest.approx(15)
    only = write(tmp_path / "only", report([10], cut=0))
    assert run(["compare", before, only]) == ExitCode.USAGE
    assert "ran to their end" in capsys.readouterr().err


def test_other_evidence_is_a_warning_and_other_devices_are_refused(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", report(runs(10)))
    found = compared(capsys, before, write(tmp_path / "level", report(runs(10), level="device")))
    assert any("evidence of cpu" in one for one in found["warnings"])
    for name, other in (("phone", report(runs(10), model="Other")), ("profile", report(runs(10), sha256="1"))):
        assert run(["compare", before, write(tmp_path / name, other)]) == ExitCode.USAGE
        assert "different" in capsys.readouterr().err


def test_recordings_are_compared_too(tmp_path: Path, capsys: Capture) -> None:
    recording = CountedFiles(tmp_path / "files", [(4, 200), (4, 200)]).recording
    copy = shutil.copytree(recording, tmp_path / "copy")
    found = compared(capsys, str(recording), str(copy))
    assert "copies of the same session" in found["warnings"][0]
    assert found["changes"][0]["effect"]["percent"] == 0
    assert {one["kind"] for one in found["changes"]} == {"all", "component", "test", "thread", "method"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not a JSON report"),
        ('{"schema_version": 9, "tests": []}', "version 9"),
        ('{"schema_version": 2, "tests": [{}]}', "damaged at"),
        (json.dumps(report([1.0])).replace("1.0", "1e99"), "damaged at tests.0.app_components.cpu"),
        (json.dumps(report([1.0])).replace("1.0", "NaN"), "damaged at tests.0.app_components.cpu"),
        (json.dumps(report([])), "has no repeat"),
    ],
)
def test_other_files_are_refused(text: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.json").write_text(text)
    code = ExitCode.TROUBLE if "damaged" in said else ExitCode.USAGE
    assert run(["compare", str(tmp_path / "a.json"), str(tmp_path / "a.json")]) == code
    assert said in capsys.readouterr().err


def test_a_run_that_is_listed_twice_is_refused(tmp_path: Path, capsys: Capture) -> None:
    doubled = report([1.0, 1.1])
    doubled["tests"] = [*doubled["tests"], doubled["tests"][0]]
    (tmp_path / "a.json").write_text(json.dumps(doubled))
    assert run(["compare", str(tmp_path / "a.json"), str(tmp_path / "a.json")]) == ExitCode.TROUBLE
    assert "twice in repeat 0" in capsys.readouterr().err


def test_versions_that_ran_in_turns_are_paired_by_their_session(tmp_path: Path, capsys: Capture) -> None:
    """Sessions shift by half, the versions in them by 5 %. File names are no help."""
    for folder, factor, names in (("before", 1.0, "ab"), ("after", 1.05, "zy")):
        (tmp_path / folder).mkdir()
        for number, (session, shift) in enumerate((("one", 10.0), ("two", 15.0))):
            made = report([factor * shift, factor * shift * 1.001, factor * shift * 0.999])
            made["settings"] = {"session": session}
            (tmp_path / folder / f"{names[number]}.json").write_text(json.dumps(made))
    found = compared(capsys, str(tmp_path / "before"), str(tmp_path / "after"))
    (sorts,) = [one for one in found["changes"] if one["name"].endswith("SortTest#sorts")]
    assert found["same_session"] is True
    assert sorts["effect"]["percent"] == pytest.approx(5, abs=0.2)
    assert sorts["verdict"]["word"] == "different"


def test_another_compiler_is_a_warning(tmp_path: Path, capsys: Capture) -> None:
    for name, java in (("a.json", "17.0.1"), ("b.json", "21.0.2")):
        made = {**report(runs(10)), "provenance": {"java": {"tests": [java], "build": java}}}
        (tmp_path / name).write_text(json.dumps(made))
    assert run(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json")]) == ExitCode.OK
    said = " ".join(capsys.readouterr().err.split())
    assert "Java of the tests" in said and "compiler (Java of the build)" in said


def test_a_report_without_a_session_shares_none(tmp_path: Path, capsys: Capture) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps({**report([1.0, 1.1]), "settings": {"session": None}}))
    assert compared(capsys, str(tmp_path / "a.json"), str(tmp_path / "b.json"))["same_session"] is False


def test_a_folder_without_recordings_is_refused(tmp_path: Path, capsys: Capture) -> None:
    assert run(["compare", str(tmp_path), str(tmp_path)]) == ExitCode.USAGE
    assert "no recordings and no JSON reports" in capsys.readouterr().err


def test_a_report_comes_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    before = write(tmp_path / "before", report(runs(10)), report(runs(10)))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(report(runs(10))).encode())))
    assert compared(capsys, before, "-")["after"] == ["standard input"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    assert run(["compare", before, "-"]) == ExitCode.USAGE
    assert "error: standard input is not a JSON report" in capsys.readouterr().err
    assert run(["compare", "-", "-"]) == ExitCode.USAGE
    assert "standard input can be read only once" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_report_from_windows_is_read(encoding: str, tmp_path: Path, capsys: Capture) -> None:
    """Editors write a byte-order mark, and PowerShell's `>` UTF-16."""
    for name in ("before", "after"):
        (tmp_path / f"{name}.json").write_text(json.dumps(report(runs(10))), encoding)
    found = compared(capsys, str(tmp_path / "before.json"), str(tmp_path / "after.json"))
    assert found["before"] == [str(tmp_path / "before.json")]


def test_json_has_no_character_that_turns_text(tmp_path: Path, capsys: Capture) -> None:
    name = "a\u202eb\u2028c"
    sides = [write(tmp_path / side, change(report(runs(10)), method=name)) for side in ("before", "after")]
    assert run(["compare", *sides, "--json", "-"]) == ExitCode.OK
    text = capsys.readouterr().out
    assert text.isascii() and f":app:a.SortTest#{name}" in {one["name"] for one in json.loads(text)["changes"]}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_interval_and_whole_names_are_at_every_width(
    width: int, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns Before and After stay, too. What the data at hand could show stands with the verdict."""
    monkeypatch.setenv("COLUMNS", str(width))
    names = {"class": "org.example.sorting.ParallelSortTest", "method": "sortsManyLargeArraysInParallel"}
    before = write(tmp_path / "before", *(change(report(runs(10 + i)), **names) for i in range(3)))
    after = write(tmp_path / "after", *(change(report(runs(11 + i)), **names) for i in range(3)))
    assert run(["compare", str(before), str(after)]) == ExitCode.OK
    text = capsys.readouterr().out
    header = next(line for line in text.splitlines() if "Verdict" in line)
    assert "Change" in header and "95 %" in header and (width < 80 or ("Before" in header and "After" in header))
    assert ("org.example.sorting.ParallelSortTest#sortsManyLargeArraysInParallel" in text) == (width >= 80)
    verdict = " ".join(" ".join(line[header.index("Verdict") :].split()) for line in text.splitlines())
    assert re.search(r"not enough data: shows changes from about \d+ %", verdict)
    assert max(map(len, text.splitlines())) <= width


def test_a_page_is_written_and_replaces_no_recording(tmp_path: Path, capsys: Capture) -> None:
    before = write(tmp_path / "before", *(report(runs(10)) for _ in range(2)))
    after = write(tmp_path / "after", *(report(runs(12)) for _ in range(2)))
    page = tmp_path / "changes.html"
    assert run(["compare", before, after, "--html", str(page)]) == ExitCode.OK
    assert "different" in capsys.readouterr().out, "the terminal has its table as well"
    assert "All tests together use" in page.read_text("utf-8") and "a.Sorter.sort" in page.read_text("utf-8")
    assert run(["compare", before, after, "--html", "-"]) == ExitCode.OK
    assert capsys.readouterr().out == page.read_text("utf-8")
    assert run(["compare", before, after, "--html", f"{before}/0.json"]) == ExitCode.USAGE
    assert "--html" in (said := " ".join(capsys.readouterr().err.split())) and "is among the recordings to compare" in said
    assert run(["compare", before, after, "--html", str(page), "--json", str(page)]) == ExitCode.USAGE
    assert "same file" in capsys.readouterr().err
