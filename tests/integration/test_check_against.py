"""`navitas check --against`: both versions are built, measured in turns and judged, also until all is decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.changed_sample import TEST, changed_sample
from support.command_line import Run
from support.git_repository import git, needs_git

pytestmark = needs_git


@pytest.mark.extended
def test_a_revision_and_the_project_are_judged_by_budgets(gradle: str, navitas: Run, tmp_path: Path) -> None:
    """Work is doubled. A busy computer can leave no run that counts, which is never an alarm and never a pass."""
    project = changed_sample(tmp_path / "sample")
    budgets = "[[check]]\nat-most-change = 20\n[[check]]\nmethod = '*.History.makeIndex'\nat-most-change = 20\n"
    settings = f"[profile]\ntests = ['{TEST}']\n{budgets}"
    (project / "navitas.toml").write_text(settings.replace("= 20", "= 10"))
    git(project, "add", "navitas.toml")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "budgets", "navitas.toml")
    (project / "navitas.toml").write_text(settings)
    options = ("--gradle", gradle, "--repeat", "3", "--measure", "--max-minutes", "2", "-o", "both", "--json", "check.json")
    done = navitas("check", "sample", "--against", "HEAD", *options)
    assert done.code == 1, done.err
    result = json.loads((tmp_path / "check.json").read_text("utf-8"))
    assert result["same_session"] is True and len(result["changed_budgets"]) == 2
    assert "budgets changed: " in done.err and "+10 % before, +20 % now" in done.err
    total = next(one for one in result["judgements"] if one["kind"] == "all")
    assert total["verdict"] == "above" or total["reason"], done.err
    if total["verdict"] == "above":
        assert total["value"] > 20 and any("History" in method["name"] for method in total["methods"])
