"""The commands on executed blocks: rank, classes, blocks, count, predict, advise."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from support.capture import Capture
from support.counted_files import COSTS, CountedFiles, census_document, experiment, model_of

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.cli.operations.counted import SourceLines
from navitas.insight.operations.code_advice import BOXING, CREATIONS, TEXTS


@pytest.fixture
def files(tmp_path: Path) -> CountedFiles:
    return CountedFiles(tmp_path / "new", [(4, 200), (4, 200)])


def line(files: CountedFiles, name: str, *more: str, model: bool = True) -> list[str]:
    with_model = ["--model", str(files.model)] if model else []
    return ["operations", name, str(files.recording), "--census", str(files.census), *with_model, *more]


def document(capsys: Capture, words: list[str], code: int = ExitCode.OK) -> dict[str, Any]:
    assert run([*words, "--json", "-"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_rank_and_classes_have_the_same_energy(files: CountedFiles, capsys: Capture) -> None:
    ranked = document(capsys, line(files, "rank"))
    classes = document(capsys, line(files, "classes"))
    assert ranked["energy_j"] == pytest.approx(classes["energy_j"])
    assert sum(one["energy_j"] for one in ranked["operations"]) == pytest.approx(ranked["energy_j"])
    assert ranked["operations"][0]["name"] == "GC" and ranked["operations"][0]["executions"] == 3
    assert run(line(files, "rank", "--top", "2")) == ExitCode.OK
    assert "3 more operations" in capsys.readouterr().out


def test_blocks_are_beside_their_lines(files: CountedFiles, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "src/a/Main.java"
    source.parent.mkdir(parents=True)
    source.write_text("".join(f"line {number}\n" for number in range(1, 20)))
    assert run(line(files, "blocks", "--sources", str(tmp_path / "src"))) == ExitCode.OK
    said = capsys.readouterr().out
    assert "a.Main.run 2" in said and "12  line 12" in said and "13  line 13" in said
    found = document(capsys, line(files, "blocks"))
    assert found["fixed_executions"] == 3000 and found["blocks"][0]["executions"] == 400


@pytest.mark.parametrize("by", ["test", "thread", "method"])
def test_counts_are_csv_and_json(files: CountedFiles, by: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "counts.csv"
    found = document(capsys, line(files, "count", "--by", by, "-o", str(out), model=False))
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == len(found["rows"]) == 2
    assert [int(row["Multi_float_float"]) for row in rows] == [600, 600]
    assert all(one["operations"]["Integer.valueOf"] == 200 for one in found["rows"])


def test_a_prediction_shows_what_changed_and_fails_a_budget(files: CountedFiles, tmp_path: Path, capsys: Capture) -> None:
    old = CountedFiles(tmp_path / "old", [(4, 100), (4, 100)])
    for one in (old, files):
        one.model.write_text(model_of(COSTS).model_copy(update={"idle_j": 0.0}).model_dump_json())
    before = ("--before", str(old.recording), "--before-census", str(old.census))
    found = document(capsys, line(files, "predict", *before))
    (test,) = found["tests"]
    assert test["is_deterministic"] is True and test["energy_j"] > test["before_j"]
    assert {one["operation"] for one in found["changes"]} == {"Integer.valueOf", "Multi_float_float", "Block Goto_for"}
    assert sum(one["difference_j"] for one in found["changes"]) == pytest.approx(test["energy_j"] - test["before_j"])
    assert run(line(files, "predict", *before, "--fail-above", "5")) == ExitCode.CHECK_FAILED
    assert "a.MainTest#x" in capsys.readouterr().err
    assert run(line(files, "predict", *before, "--fail-above", "200")) == ExitCode.OK


def test_tests_that_jitter_never_fail_a_budget(files: CountedFiles, tmp_path: Path, capsys: Capture) -> None:
    new = CountedFiles(tmp_path / "jitter", [(4, 2000), (4, 2001)])
    before = ("--before", str(files.recording), "--before-census", str(files.census))
    assert run(line(new, "predict", *before, "--fail-above", "5", "--fail-on", "above")) == ExitCode.OK
    said = capsys.readouterr().err
    assert "is no budget" in said and "its counts are not the same in two runs of each build" in said
    assert run(line(new, "predict", *before, "--fail-above", "5")) == ExitCode.CHECK_FAILED
    assert capsys.readouterr().err.splitlines()[-1] == "check failed: unknown"


def test_options_of_a_comparison_belong_together(files: CountedFiles, capsys: Capture) -> None:
    assert run(line(files, "predict", "--before", str(files.recording))) == ExitCode.USAGE
    assert run(line(files, "predict", "--fail-above", "5")) == ExitCode.USAGE
    assert "belong together" in capsys.readouterr().err


def test_advice_has_its_saving(files: CountedFiles, capsys: Capture) -> None:
    (found,) = document(capsys, line(files, "advise"))["advice"]
    assert found["rule"] == "boxing-in-loop" and found["saving_j"] == pytest.approx(392 * 4e-8)
    assert run(line(files, "advise")) == ExitCode.OK
    assert "values are boxed in a loop, 400 times" in " ".join(capsys.readouterr().out.split())


def test_what_the_census_and_the_model_lack_is_named(files: CountedFiles, capsys: Capture) -> None:
    files.model.write_text(model_of({**COSTS, "Division_int_int": 1e-9}).model_dump_json())
    assert run(line(files, "rank")) == ExitCode.OK
    assert "Division_int_int" in capsys.readouterr().err
    files.census.write_text(json.dumps(census_document("2" * 64)))
    assert run(line(files, "rank")) == ExitCode.USAGE
    assert "another build" in capsys.readouterr().err


def test_tests_are_chosen_by_patterns(files: CountedFiles, capsys: Capture) -> None:
    assert run(line(files, "rank", "--tests", "*MainTest")) == ExitCode.OK
    assert "matches" not in capsys.readouterr().err
    assert run(line(files, "rank", "--tests", "*MainTest", "--tests", "MianTest")) == ExitCode.OK
    assert "matches MianTest. It has a.MainTest#x" in " ".join(capsys.readouterr().err.split())
    assert run(line(files, "rank", "--tests", "Other*")) == ExitCode.USAGE
    assert "a.MainTest#x" in capsys.readouterr().err


def test_a_source_is_found_by_its_package_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "src/a").mkdir(parents=True)
    (tmp_path / "src/Main.java").write_text("one\ntwo\n")
    (tmp_path / "secret").write_text("password\n")
    lines = SourceLines([tmp_path / "src"])
    assert lines.of("Main", "Main.java", (2, 2)) == ["two"]
    (tmp_path / "src/a/Loop.java").write_text("  for (;;) {\n    work();\n  }\n")
    assert lines.of("a.Loop", "Loop.java", (1, 3)) == ["for (;;) {", "  work();", "}"]
    for name, file in ((f"{tmp_path}.X", "secret"), ("a.X", "../secret"), ("...X", "secret"), ("/etc.X", "passwd")):
        assert lines.of(name, file, (1, 1)) == []


@pytest.mark.parametrize(
    "name", ["Long.longValue", "Boolean.booleanValue", "Short.shortValue", "Integer.intValue", "Byte.valueOf"]
)
def test_boxing_has_all_types(name: str) -> None:
    assert BOXING.fullmatch(name)


def test_a_table_of_cases_says_what_it_leaves_out(tmp_path: Path, capsys: Capture) -> None:
    experiment(tmp_path)
    meter, out = tmp_path / "meter.csv", tmp_path / "cases.csv"
    meter.write_text("unix_s,power_w\n1700000000,2\n1800000000,2\n")
    assert run(["operations", "cases", "table", str(tmp_path), "--meter", str(meter), "-o", str(out)]) == ExitCode.OK
    said = capsys.readouterr().err
    (row,) = csv.DictReader(out.open())
    assert float(row["energy_j"]) == pytest.approx(0.2) and row["Multi_float_float"] == "600"
    assert "case 2 is left out" in said and "--ignore edits" in said and "--group" not in said
    assert run(["operations", "cases", "table", str(tmp_path), "-o", str(out)]) == ExitCode.TROUBLE
    assert "no complete case" in capsys.readouterr().err


def test_a_meter_without_the_time_of_day_is_refused(tmp_path: Path, capsys: Capture) -> None:
    experiment(tmp_path)
    (tmp_path / "meter.csv").write_text("time_s,power_w\n0,2\n9,2\n")
    words = ["operations", "cases", "table", str(tmp_path), "--meter", str(tmp_path / "meter.csv"), "-o", str(tmp_path / "t.csv")]
    assert run(words) == ExitCode.USAGE
    assert "unix_s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "of_texts", "creates"),
    [
        ("ArrayList.new", False, True),
        ("StringBuilder.new", True, False),
        ("StringBuilder.append", True, False),
        ("Addition_String_int", True, False),
        ("Object Creation", False, True),
        ("Addition_int_int", False, False),
    ],
)
def test_a_new_object_has_one_rule(name: str, of_texts: bool, creates: bool) -> None:
    assert (TEXTS.fullmatch(name) is not None, CREATIONS.fullmatch(name) is not None) == (of_texts, creates)


def test_a_gate_needs_energies_to_compare(files: CountedFiles, tmp_path: Path, capsys: Capture) -> None:
    old = CountedFiles(tmp_path / "old", [(4, 100), (4, 100)])
    files.model.write_text(model_of({"Unrelated": 1e-9}).model_copy(update={"idle_j": 0.0}).model_dump_json())
    before = ("--before", str(old.recording), "--before-census", str(old.census), "--fail-above", "5")
    assert run(line(files, "predict", *before)) == ExitCode.CHECK_FAILED
    said = " ".join(capsys.readouterr().err.split())
    assert "the model has no cost of what it does" in said
    assert "4 of 5 executed operations" in said and "have no cost in the model" in said
