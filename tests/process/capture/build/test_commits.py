"""The order of commits."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.git_repository import GIT, git, needs_git, plain_git, repository

from navitas.base.errors import BuildError, UsageError
from navitas.capture.build.commits import first_parents, oldest_first

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


def test_a_revision_that_is_an_option_of_git_is_left_out(repository: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    first = git(repository, "rev-parse", "HEAD")
    assert oldest_first(repository, [f"--output={victim}", "--all", "HEAD", first]) == [first]
    assert victim.read_text() == "kept"


def test_no_program_of_the_repository_checks_signatures(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "gpg.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\necho 'gpg: a signature'\n")
    trap.chmod(0o755)
    text = git(repository, "cat-file", "commit", "HEAD")
    signed = text.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1)
    (tmp_path / "commit").write_text(signed + "\n")
    git(repository, "reset", "-q", "--hard", git(repository, "hash-object", "-t", "commit", "-w", str(tmp_path / "commit")))
    commit(repository, "second")
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "gpg.program", str(trap))
    assert [one.subject for one in first_parents(repository, "HEAD~1", "HEAD")] == ["first", "second"]
    assert not (tmp_path / "ran").exists()


def test_a_failure_of_git_is_not_another_branch(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, "second")
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    for body in ("exit 3", "echo nonsense"):
        program.write_text(f'#!/bin/sh\ncase "$*" in *" log "*) {body};; *) exec "{GIT}" "$@";; esac\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        with pytest.raises(BuildError, match="git log"):
            first_parents(repository, "HEAD~1", "HEAD")


def test_a_git_that_takes_too_long_is_not_another_branch(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, "second")
    run = subprocess.run

    def ends_without_log(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        if "log" in command:
            raise subprocess.TimeoutExpired(command, options["timeout"])
        return run(command, **options)

    monkeypatch.setattr("navitas.capture.build.git.subprocess.run", ends_without_log)
    with pytest.raises(BuildError, match="git log"):
        first_parents(repository, "HEAD~1", "HEAD")
