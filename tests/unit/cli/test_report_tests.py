"""`navitas report --tests`: all tables, views and formats are of the selected tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture
from support.recording_maker import make_recording
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.base.errors import ExitCode
from navitas.cli.main import run


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """`sorts` runs for 200 ms on `main`, `scans` for 400 ms on `worker`."""
    threads = (
        ThreadSpec("main", (call("org.example.Sorter#sort", 110, 290),), busy=((100.0, 300.0, 1.0),), tid=4001),
        ThreadSpec("worker", (call("org.example.Scanner#scan", 510, 890),), busy=((500.0, 900.0, 1.0),), cpu=1, tid=4002),
    )
    tests = (TestSpec("org.example.SortTest#sorts", 100, 300), TestSpec("org.example.ScanTest#scans", 500, 900))
    make_recording(tmp_path / "rec", Scenario(1000.0, threads=threads, tests=tests))
    return tmp_path / "rec"


@pytest.mark.parametrize("pattern", ["ScanTest", "org.example.Scan*", "ScanTest#sc?ns"])
def test_every_format_and_view_is_of_the_selected_tests(recording: Path, tmp_path: Path, pattern: str, capsys: Capture) -> None:
    files = {name: tmp_path / f"report{name}" for name in (".json", ".html", ".txt", ".collapsed", ".speedscope.json")}
    outputs = [argument for file in files.values() for argument in ("-o", str(file))]
    assert run(["report", str(recording), "--tests", pattern, *outputs]) == ExitCode.OK
    found = {name: file.read_text("utf-8") for name, file in files.items()} | {"terminal": capsys.readouterr().out}
    for name, text in found.items():
        assert "Sorter" not in text and "SortTest" not in text and "Scan" in text, name
    report = json.loads(found[".json"])
    assert report["selected_tests"] == [pattern]
    assert report["totals"]["energy_j"] == pytest.approx(report["tests"][0]["energy_j"])
    assert not [warning for warning in report["warnings"] if warning["code"] == "not_conserved"]
    assert f"All figures are only of tests that match {pattern} (--tests)." in found["terminal"]

    assert (
        run(["report", str(recording), "--tests", pattern, *["--view", "top", "--view", "timeline", "--view", "tree"]])
        == ExitCode.OK
    )
    views = capsys.readouterr().out
    assert "Sort" not in views and "worker" in views and "main" not in views and "400 ms in steps" in views


def test_several_patterns_select_more(recording: Path, capsys: Capture) -> None:
    assert run(["report", str(recording), "--tests", "ScanTest", "--tests", "SortTest#*", "--json", "-"]) == ExitCode.OK
    report = json.loads(capsys.readouterr().out)
    assert [test["method"] for test in report["tests"]] == ["sorts", "scans"] and report["totals"]["outside_tests_j"] == 0


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("ScanTest#scnas", "no test matches 'ScanTest#scnas'\n       2 tests found; similar: ScanTest#scans"),
        (
            "scan",
            "no test matches 'scan'\n       a pattern is for whole names: try '*#*scan*'; 2 tests found; similar: ScanTest#scans",
        ),
        ("Zzz", "no test matches 'Zzz'\n       2 tests found; the first: SortTest#sorts, ScanTest#scans"),
        ("#", "'#' is not a test pattern"),
    ],
)
def test_a_pattern_without_a_match_is_an_error_with_near_names(
    recording: Path, pattern: str, message: str, capsys: Capture
) -> None:
    assert run(["report", str(recording), "--tests", pattern]) == ExitCode.USAGE
    assert message in capsys.readouterr().err
