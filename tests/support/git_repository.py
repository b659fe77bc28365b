"""Git repositories of tests, without git's configuration of this user and machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed: make test-programs")


@pytest.fixture
def plain_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable git's configuration of this user and machine."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "gitconfig").write_text("[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n")


@pytest.fixture
def repository(plain_git: None, tmp_path: Path) -> Path:
    """Return a repository with one commit of `app/file`."""
    folder = tmp_path / "repository"
    (folder / "app").mkdir(parents=True)
    (folder / "app/file").write_text("a")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return its output."""
    assert GIT is not None
    return subprocess.run([GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def set_traps(repository: Path, *filters: str) -> Path:
    """Make each program that git could start from a repository create a file. Returns its path."""
    ran = repository / "ran"
    trap = repository / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{ran}'\ncat\n")
    trap.chmod(0o755)
    hooks = repository / ".git/hooks"
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"):
        shutil.copy(trap, hooks / name)
    keys = (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand"),
        *("diff.external", "diff.x.command", "diff.x.textconv"),
    )
    for key in (*keys, *filters, "credential.helper"):
        git(repository, "config", key, str(trap))
    git(repository, "config", "core.hooksPath", str(hooks))
    git(repository, "config", "pager.diff", "true")
    (repository / ".git/info/attributes").write_text("* filter=x diff=x\n")
    return ran
