"""Projects in repositories of their own, and the sample project with a test that does twice as much as in its only commit."""

from __future__ import annotations

import shutil
from pathlib import Path

from navitas.capture.build.sample import copy_sample
from support.git_repository import git

TEST = "DemoTest#searchByIndex"


def changed_sample(folder: Path) -> Path:
    """Write the project and return it."""
    copy_sample(folder)
    _commit(folder)
    test = folder / "src/test/java/org/navitas/sample/DemoTest.java"
    text = test.read_text("utf-8")
    assert "new History(2_000)" in text
    test.write_text(text.replace("new History(2_000)", "new History(4_000)"), "utf-8")
    return folder


def committed_copy(project: Path, folder: Path) -> Path:
    """Copy a project into a new repository with one commit. Return its folder."""
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("build", ".gradle"))
    _commit(folder)
    return folder


def _commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
