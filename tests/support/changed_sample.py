"""The sample project in a repository of its own, with a test that does twice as much as in its only commit."""

from __future__ import annotations

from pathlib import Path

from navitas.build.sample import copy_sample
from support.git_repository import git

TEST = "DemoTest#searchByIndex"


def changed_sample(folder: Path) -> Path:
    """Write the project and return it."""
    copy_sample(folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    test = folder / "src/test/java/org/navitas/sample/DemoTest.java"
    text = test.read_text("utf-8")
    assert "new History(2_000)" in text
    test.write_text(text.replace("new History(2_000)", "new History(4_000)"), "utf-8")
    return folder
