"""Changes of energy between two versions of a project are found (`make accuracy`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture
from support.changed_sample import TEST, changed_sample, committed_copy
from support.git_repository import needs_git
from support.seeded_history import seeded_history

from navitas.cli.main import run

pytestmark = needs_git
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_twice_the_work_uses_more_energy(gradle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    changed_sample(tmp_path / "sample")
    options = ["--gradle", gradle, "--tests", TEST, "--repeat", "2", "--warmup", "1", "--order", "3", "-o", "both"]
    assert run(["profile", "sample", "--against", "HEAD", *options]) == 0
    assert run(["compare", "both/before", "both/after", "--json", "changes.json"]) == 0
    total = json.loads(Path("changes.json").read_text("utf-8"))["changes"][0]
    assert total["effect"]["percent"] > 0 and total["before_j"] < total["after_j"]


def test_a_wait_does_not_hide_that_work_doubles(
    gradle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """The work is a tenth of all energy."""
    monkeypatch.chdir(tmp_path)
    project = committed_copy(EXAMPLES / "waits", tmp_path / "waits")
    answer = project / "src/main/java/org/example/waits/Answer.java"
    options = ["--gradle", gradle, "--repeat", "6", "--warmup", "1", "--order", "3", "--fail-above", "20"]
    answer.write_text(answer.read_text("utf-8").replace("ROUNDS = 20_", "ROUNDS = 40_"), "utf-8")
    assert run(["profile", "waits", "--against", "HEAD", *options, "-o", "both"]) == 1
    assert "more app energy (limit 20 %)" in capsys.readouterr().err
    percents = {}
    for energy in ("app", "total"):
        assert run(["compare", "both/before", "both/after", "--figure", energy, "--json", "-"]) == 0
        percents[energy] = json.loads(capsys.readouterr().out)["changes"][0]["effect"]["percent"]
    assert percents["app"] > 50 and percents["total"] < 20


def test_a_large_change_is_found_with_its_method(
    gradle: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Four times the work in one method, so that no host's load hides it."""
    monkeypatch.chdir(tmp_path)
    made = seeded_history(tmp_path / "pipeline", 4, count=2, percent=300)
    limits = ["--turns", "4", "--most-turns", "16", "--figure", f"method:{made.method}"]
    assert run(["bisect", "good", "main", "pipeline", "--gradle", gradle, *limits, "-o", "recordings", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["commit"] for one in found["found"]] == [made.commit]
    assert found["methods"][0]["name"] == made.method
    assert found["error"] <= 0.05 and found["builds"] <= 4
