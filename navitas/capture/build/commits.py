"""The order of a project's commits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from navitas.base.errors import BuildError, UsageError
from navitas.base.untrusted_text import printable
from navitas.capture.build.git import COMMIT, run_git
from navitas.capture.build.revisions import resolve

_MOST = 100_000
_SUBJECT = 200


class Commit(NamedTuple):
    """A commit, with the first line of its message. `merges` is true for a merge."""

    hash: str
    subject: str
    merges: bool

    @property
    def short(self) -> str:
        """The first characters of the hash."""
        return self.hash[:10]


def oldest_first(project: Path, commits: Iterable[str]) -> list[str]:
    """Return commits that the project's repository has, ancestors first, else by time. Empty without git or a repository.

    What is no hash is left out.
    """
    wanted = {name for name in commits if COMMIT.fullmatch(name)}
    if not wanted:
        return []
    listed = run_git(
        project, "rev-list", "--date-order", "--reverse", "--ignore-missing", "--stdin", text="\n".join(wanted).encode()
    )
    names = b"" if listed is None or listed.returncode else listed.stdout
    return [name for name in names.decode("ascii", "replace").split() if name in wanted]


def first_parents(project: Path, good: str, bad: str) -> list[Commit]:
    """Return the commits from `good` to `bad`, oldest first, along first parents: a merge counts as one commit.

    Raises `UsageError` if a revision is unknown, both are the same, or `good` is not in this line; `BuildError` if git fails.
    """
    ends = resolve(project, good), resolve(project, bad)
    if ends[0] == ends[1]:
        raise UsageError(f"{printable(good)} and {printable(bad)} are the same commit", "Name two revisions.")
    shown = ("--no-show-signature", "--no-notes", "-z", f"--max-count={_MOST}", "--format=%H %P%n%s")
    listed = run_git(project, "log", "--first-parent", *shown, "--end-of-options", ends[1], "--")
    if listed is None or listed.returncode:
        raise BuildError(f"{project}: git log failed, or took too long", "Check the repository with `git fsck`.")
    commits: list[Commit] = []
    for entry in filter(None, listed.stdout.decode("utf-8", "replace").split("\0")):
        names, _, subject = entry.partition("\n")
        name, *parents = names.split()
        if not COMMIT.fullmatch(name):
            raise BuildError(f"{project}: git log printed {printable(name, _SUBJECT)!r} as a hash", "Check git's configuration.")
        commits.append(Commit(name, printable(subject, _SUBJECT), len(parents) > 1))
        if name == ends[0]:
            return commits[::-1]
    raise UsageError(
        f"{printable(good)} is not among the first parents of {printable(bad)}",
        "Name the older revision first, on the branch into which others were merged: git log --first-parent.",
    )
