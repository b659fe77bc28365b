"""The order of commits."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.git_repository import git, needs_git, plain_git, repository

from navitas.build.commits import first_parents, oldest_first
from navitas.errors import UsageError

pytestmark = [needs_git, pytest.mark.usefixtures("plain_git")]
__all__ = ["plain_git", "repository"]


def commit(folder: Path, text: str) -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", text)
    return git(folder, "rev-parse", "HEAD")


def test_a_merge_is_one_commit(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    second = commit(repository, "second\n\nmore")
    git(repository, "checkout", "-q", "-b", "feature")
    inside = commit(repository, "inside")
    git(repository, "checkout", "-q", "main")
    third = commit(repository, "third \x1b[31m")
    git(repository, "merge", "-q", "--no-ff", "-m", "merged", "feature")
    found = first_parents(repository, "HEAD~3", "main")
    assert [one.subject for one in found] == ["first", "second", r"third \u001b[31m", "merged"]
    assert [one.hash for one in found[:3]] == [first, second, third]
    assert [one.merges for one in found] == [False, False, False, True]
    with pytest.raises(UsageError, match="is not among the first parents of main"):
        first_parents(repository, inside, "main")
    with pytest.raises(UsageError, match="is not among the first parents"):
        first_parents(repository, "main", "HEAD~3")
    with pytest.raises(UsageError, match="are the same commit"):
        first_parents(repository, "main", "HEAD")
    assert oldest_first(repository, [third, second, first, "0" * 40]) == [first, second, third]
    assert oldest_first(repository, [inside, second]) == [second, inside]


def test_without_a_repository_there_is_no_order(tmp_path: Path) -> None:
    assert oldest_first(tmp_path, ["0" * 40]) == []
    assert oldest_first(tmp_path, []) == []
