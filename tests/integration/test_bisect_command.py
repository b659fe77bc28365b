"""`navitas bisect` on the virtual phone. `make accuracy` checks what it finds (tests/accuracy/live_changes.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import Run
from support.git_repository import needs_git
from support.seeded_history import git_state, seeded_history

from navitas.base.errors import ExitCode

pytestmark = [needs_git, pytest.mark.extended]


def test_a_history_is_searched_and_stays_as_it_was(gradle: str, navitas: Run, tmp_path: Path) -> None:
    made = seeded_history(tmp_path / "pipeline", 4, count=2, percent=300)
    before = git_state(made.project)
    words = ("--gradle", gradle, "--turns", "3", "--most-turns", "6", "-o", "recordings", "--figure", f"method:{made.method}")
    done = navitas("bisect", "good", "main", "pipeline", *words, "--json", "-")
    found = json.loads(done.out)
    # Whether the runs differ clearly enough depends on the machine.
    assert done.code == (0 if len(found["found"]) == 1 else ExitCode.CHECK_FAILED), done.err
    assert found["commits"] == 2 and found["builds"] <= 4
    assert all(one["name"] == made.method for one in found["compared"])
    assert git_state(made.project) == before
    assert {one.name for one in (tmp_path / "recordings").iterdir()} >= {"01"}
