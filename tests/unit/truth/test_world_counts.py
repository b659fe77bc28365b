"""Counts of worlds add up, and results of earlier runs are read."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import world_score
from support.capture import Capture
from world_counts import WorldCounts
from world_score import kept


def test_counts_add_up() -> None:
    one, two = WorldCounts(named=2, bugs=1, planted=Counter({"a: hog": 1})), WorldCounts(named=3, planted=Counter({"a: hog": 2}))
    assert one + two == WorldCounts(named=5, bugs=1, planted=Counter({"a: hog": 3}))


def test_a_kept_result_may_have_counts_that_are_no_longer_used(tmp_path: Path) -> None:
    counts = {"named": 2, "clean": 7, "top": 1, "planted": {"a: hog": 1}}
    file = tmp_path / "kept.jsonl"
    file.write_text(json.dumps(["bugs, seed 1, 5 phones", counts]) + "\n")
    assert kept(file, "bugs, seed 1, 5 phones", WorldCounts, WorldCounts) == WorldCounts(named=2, planted=Counter({"a: hog": 1}))


def test_the_help_names_each_regime_on_a_line(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        world_score.main(["--help"])
    assert "\n  confounders, bare\n" in capsys.readouterr().out
