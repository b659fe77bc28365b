"""Read the git revision of a project. Runs nothing from the repository: no hooks, filters, file monitor or transport."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT_S = 10.0
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SAFE = (
    *("--no-optional-locks", "--no-pager"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "submodule.recurse=false"),
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
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # a relative entry of PATH may lead into the repository
        return None
    commit = _git(program, folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if (
        commit is None
        or commit.returncode != 0
        or not _COMMIT.fullmatch(text := commit.stdout.decode("ascii", "replace").strip())
    ):
        return None
    return Revision(text, None if _has_filters(program, folder) else _is_dirty(program, folder))


def _has_filters(program: str, folder: Path) -> bool:
    listed = _git(program, folder, "config", "--show-scope", "--includes", "--name-only", "--get-regexp", r"^filter\.")
    if listed is None or listed.returncode not in (0, 1):  # 1: there are none
        return True
    return any(line.startswith(_OWN_SCOPES) for line in listed.stdout.decode("utf-8", "replace").splitlines())


def _is_dirty(program: str, folder: Path) -> bool | None:
    compare = ("diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "HEAD", "--")
    compared = _git(program, folder, *compare)
    return {0: False, 1: True}.get(compared.returncode) if compared is not None else None


def _git(program: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes] | None:
    """Run git in a folder. Returns None if it does not start or takes too long."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    # A partial clone fetches missing objects with programs that its own configuration names.
    env |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    command: Sequence[str] = (program, *_SAFE, *arguments)
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
