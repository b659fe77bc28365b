"""`navitas bisect` on the virtual phone: finds a large change in a short history."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import Ended
from support.git_repository import needs_git
from support.seeded_history import git_state, seeded_history

Run = Callable[..., Ended]

pytestmark = [needs_git, pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_large_change_is_found_with_its_method(gradle: str, navitas: Run, tmp_path: Path) -> None:
    """Four times the work in one method, so that no host's load hides it."""
    made = seeded_history(tmp_path / "pipeline", 4, count=2, percent=300)
    before = git_state(made.project)
    output = tmp_path / "recordings"
    words = (
        "--gradle",
        gradle,
        "--turns",
        "4",
        "--most-turns",
        "16",
        "-o",
        "recordings",
        "--json",
        "-",
        "--figure",
        f"method:{made.method}",
    )
    done = navitas("bisect", "good", "main", "pipeline", *words)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [one["commit"] for one in found["found"]] == [made.commit]
    assert found["methods"][0]["name"] == made.method
    assert found["error"] <= 0.05 and found["builds"] <= 4
    assert git_state(made.project) == before
    assert {one.name for one in output.iterdir()} >= {"01"}
