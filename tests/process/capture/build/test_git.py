"""The revision of a project, from repositories that may be malicious."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.git_repository import git, needs_git, plain_git, repository, set_traps

from navitas.capture.build.git import Revision, revision

pytestmark = [needs_git, pytest.mark.usefixtures("plain_git")]


def rewritten(file: Path) -> None:
    """Write the same text again. Git must then read the file to see that it is unchanged."""
    file.write_text(file.read_text())
    os.utime(file, (1, 1))


def test_a_clean_and_a_changed_project(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    assert revision(repository) == revision(repository / "app") == Revision(commit, dirty=False)
    (repository / "recordings").mkdir()
    (repository / "recordings/new").touch()
    assert revision(repository) == Revision(commit, dirty=False), "untracked files do not change the project"
    rewritten(repository / "app/file")
    assert revision(repository) == Revision(commit, dirty=False)
    (repository / "app/file").write_text("b")
    assert revision(repository) == Revision(commit, dirty=True)
    git(repository, "add", ".")
    assert revision(repository) == Revision(commit, dirty=True)


def test_a_worktree_has_its_own_revision(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    (tmp_path / "other/app/file").write_text("b")
    git(tmp_path / "other", "commit", "-qam", "second")
    assert revision(tmp_path / "other") == Revision(git(tmp_path / "other", "rev-parse", "HEAD"), dirty=False)
    assert revision(tmp_path / "other") != revision(repository)


def test_without_a_commit_there_is_no_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert revision(tmp_path) is None, "no repository"
    assert revision(tmp_path / "missing") is None
    git(tmp_path, "init", "-q")
    assert revision(tmp_path) is None, "no commit"
    (tmp_path / ".git/HEAD").write_bytes(b"\xff\0 damaged")
    assert revision(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert revision(tmp_path) is None, "no git"


def test_without_a_working_git_there_is_no_revision(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    for body in ("exit 3", "echo nonsense", "exec sleep 1000"):
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
        monkeypatch.setattr("navitas.capture.build.git._TIMEOUT_S", 0.1)
        assert revision(repository) is None


def test_a_repository_in_the_environment_is_ignored(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    expected = revision(repository)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert expected is not None and revision(repository) == expected


@pytest.mark.parametrize("filters", [(), ("filter.x.clean", "filter.x.process")])
def test_no_code_of_the_repository_runs(repository: Path, filters: tuple[str, ...]) -> None:
    ran = set_traps(repository, *filters)
    rewritten(repository / "app/file")
    ran.unlink(missing_ok=True)
    found = revision(repository)
    assert not ran.exists(), ran.read_text()
    assert found is not None and found.dirty is (None if filters else False), "to compare, git would run the filter"


def test_a_partial_clone_fetches_nothing(repository: Path) -> None:
    trap = repository / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{repository}/ran'\nexit 1\n")
    trap.chmod(0o755)
    (repository / "app/file").write_text("changed")
    blob = git(repository, "rev-parse", "HEAD:app/file")
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    for name in (blob, tree):
        (repository / ".git/objects" / name[:2] / name[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", f"ext::{trap}"),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        git(repository, "config", key, value)
    found = revision(repository)
    assert found is not None and found.dirty is None
    assert not (repository / "ran").exists()


def test_filters_of_the_user_still_run(repository: Path, tmp_path: Path) -> None:
    with (tmp_path / "gitconfig").open("a") as config:
        config.write('[filter "lfs"]\nclean = cat\nsmudge = cat\n')
    found = revision(repository)
    assert found is not None and found.dirty is False


def test_a_git_program_in_the_repository_does_not_run(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trap = repository / "git"
    trap.write_text(f"#!/bin/sh\ntouch '{repository}/ran'\n")
    trap.chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert revision(repository) is None
    assert not (repository / "ran").exists()
