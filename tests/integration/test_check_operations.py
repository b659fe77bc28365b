"""`navitas check` finds doubled work by operations, whatever else the computer does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import Run

_WAITS = Path(__file__).resolve().parents[2] / "examples/waits"
_ROUNDS = "ROUNDS = 20_000_000"
_BUDGET = '[[check]]\ntest = "*AnswerTest#*"\nfigure = "operations"\nat-most-change = 10\n'


@pytest.mark.extended
def test_doubled_work_of_a_test_that_waits_is_above_its_budget(gradle: str, navitas: Run, tmp_path: Path) -> None:
    """The example of docs/check.md. The test waits for 4 s and works for 40 ms."""
    project = tmp_path / "waits"
    shutil.copytree(_WAITS, project, ignore=shutil.ignore_patterns("build", ".gradle"))
    (tmp_path / "navitas.toml").write_text(_BUDGET)
    answer = project / "src/main/java/org/example/waits/Answer.java"
    source = answer.read_text("utf-8")
    assert _ROUNDS in source
    for name, text in (("before", source), ("after", source.replace("20_000_000", "40_000_000"))):
        answer.write_text(text, "utf-8")
        counting = ("--granularity", "block", "--no-test-probes", "--repeat", "2")
        done = navitas("profile", "waits", "--gradle", gradle, *counting, "-o", name)
        assert done.code == 0, done.err
        done = navitas("operations", "census", "waits/build/classes/java/main", "-o", f"{name}.json")
        assert done.code == 0, done.err
    sides = ("after", "--census", "after.json", "--before", "before", "--before-census", "before.json")
    done = navitas("check", *sides, "--json", "check.json")
    assert done.code == 1, done.err
    (judged,) = json.loads((tmp_path / "check.json").read_text("utf-8"))["judgements"]
    assert judged["verdict"] == "above" and judged["value"] == pytest.approx(100, abs=1), judged
