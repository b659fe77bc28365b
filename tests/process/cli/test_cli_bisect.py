"""`navitas bisect` reports mistakes before the first build."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.capture import Capture
from support.git_repository import git, needs_git, plain_git, repository

from navitas.base.errors import ExitCode
from navitas.cli.main import run

pytestmark = [needs_git, pytest.mark.usefixtures("plain_git")]
__all__ = ["plain_git", "repository"]


@pytest.fixture
def project(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (repository / "build.gradle").touch()
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    monkeypatch.chdir(repository)
    return repository


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mian~1", "main"], "'mian~1' is no commit of the repository"),
        (["main", "HEAD"], "are the same commit"),
        (["main", "main~1"], "is not among the first parents"),
        (["main~1", "main", "--figure", "sort"], "'sort' is no figure"),
        (["main~1", "main", "--turns", "9", "--most-turns", "5"], "--most-turns 5 is less than --turns 9"),
        (["main~1", "main", "app"], "app is not a Gradle project"),
        (["main~1", "main", "-o", "app"], "app is not empty"),
        (["main~1", "main", "--phone", "nosuch"], "nosuch"),
    ],
)
def test_mistakes_are_reported_before_the_build(words: list[str], message: str, project: Path, capsys: Capture) -> None:
    assert run(["bisect", *words, "--gradle", "false"]) == ExitCode.USAGE
    said = capsys.readouterr().err
    assert message in said and "building" not in said


def test_a_revision_without_the_project_is_named(project: Path, capsys: Capture) -> None:
    (project / "new").mkdir()
    (project / "new/build.gradle").touch()
    git(project, "add", ".")
    git(project, "commit", "-qm", "third")
    assert run(["bisect", "main~1", "main", "new", "--gradle", "false", "-o", "recordings"]) == ExitCode.USAGE
    assert "GOOD (main~1) has no folder new" in capsys.readouterr().err
    assert not (project / "recordings").exists()
