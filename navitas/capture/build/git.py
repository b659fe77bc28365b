"""Call git, and read the revision of a project. Runs nothing from the repository: no hooks, filters, monitor or transport."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT_S = 10.0
COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""The full hash of a commit."""
_SAFE = (
    *("--no-optional-locks", "--no-pager"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false"),
    *("-c", "log.showSignature=false"),  # it runs gpg.program
)
_KEPT = ("GIT_CONFIG_", "GIT_CEILING_DIRECTORIES")
"""Variables that say what git trusts and where it looks. Others may name another repository, so they are removed."""
_OWN_SCOPES = ("local", "worktree")


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit. `dirty`: tracked files differ from it; None if unknown."""

    commit: str
    dirty: bool | None


def revision(folder: Path) -> Revision | None:
    """Return the checked-out revision of a folder's repository; None without git, a repository that git trusts, or a commit.

    `dirty` is None if the repository has its own filters: git would run their commands to compare files.
    """
    text = commit_of(folder, "HEAD")
    return None if text is None else Revision(text, None if _has_filters(folder) else _is_dirty(folder))


def commit_of(folder: Path, name: str) -> str | None:
    """Return the hash of the commit that a name or expression of git means; None without git, a trusted repository, or it."""
    commit = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    text = "" if commit is None or commit.returncode else commit.stdout.decode("ascii", "replace").strip()
    return text if COMMIT.fullmatch(text) else None


def _has_filters(folder: Path) -> bool:
    listed = run_git(folder, "config", "--show-scope", "--includes", "--name-only", "--get-regexp", r"^filter\.")
    if listed is None or listed.returncode not in (0, 1):  # 1: there are none
        return True
    return any(line.startswith(_OWN_SCOPES) for line in listed.stdout.decode("utf-8", "replace").splitlines())


def _is_dirty(folder: Path) -> bool | None:
    compare = ("diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "HEAD", "--")
    compared = run_git(folder, *compare)
    return {0: False, 1: True}.get(compared.returncode) if compared is not None else None


def git_program() -> str | None:
    """Return the path of git; None without it."""
    program = shutil.which("git")
    # A relative entry of PATH may lead into the repository.
    return program if program is not None and Path(program).is_absolute() else None


def git_environment() -> dict[str, str]:
    """Return the environment for git: without other repositories, prompts and transports."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    # A partial clone fetches missing objects with programs that its own configuration names.
    return env | {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def git_command(program: str, *arguments: str) -> Sequence[str]:
    """Return a command of git that runs no hooks and no file monitor."""
    return (program, *_SAFE, *arguments)


def run_git(folder: Path, *arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    """Run git in a folder, with `text` as its standard input. Returns None if it is missing, does not start or takes too long."""
    program = git_program()
    if program is None:
        return None
    try:
        return subprocess.run(
            git_command(program, *arguments),
            cwd=folder,
            env=git_environment(),
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
