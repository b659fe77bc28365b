"""The order of a project's commits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from navitas.build.git import run_git
from navitas.build.revisions import resolve
from navitas.errors import UsageError
from navitas.untrusted_text import printable

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
    """Return commits that the project's repository has, ancestors first, else by time. Empty without git or a repository."""
    wanted = set(commits)
    if not wanted:
        return []
    listed = run_git(project, "rev-list", "--date-order", "--reverse", "--ignore-missing", *sorted(wanted), "--")
    names = b"" if listed is None or listed.returncode else listed.stdout
    return [name for name in names.decode("ascii", "replace").split() if name in wanted]


def first_parents(project: Path, good: str, bad: str) -> list[Commit]:
    """Return the commits from `good` to `bad`, oldest first, along first parents: a merge counts as one commit.

    Raises `UsageError` if a revision is unknown, both are the same, or `good` is not in this line.
    """
    ends = resolve(project, good), resolve(project, bad)
    if ends[0] == ends[1]:
        raise UsageError(f"{printable(good)} and {printable(bad)} are the same commit", "Name two revisions.")
    line = ("log", "--first-parent", "-z", f"--max-count={_MOST}", "--format=%H %P%n%s", ends[1], "--")
    listed = run_git(project, *line)
    commits: list[Commit] = []
    entries = (b"" if listed is None else listed.stdout).decode("utf-8", "replace").split("\0")
    for entry in filter(None, entries):
        names, _, subject = entry.partition("\n")
        name, *parents = names.split()
        commits.append(Commit(name, printable(subject, _SUBJECT), len(parents) > 1))
        if name == ends[0]:
            return commits[::-1]
    raise UsageError(
        f"{printable(good)} is not among the first parents of {printable(bad)}",
        "Name the older revision first, on the branch into which others were merged: git log --first-parent.",
    )
