"""Decide which tests the build's own `test` task would run, by Gradle's rules and the settings in the bundle."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from navitas.bundle.manifest import TestTask
from navitas.collect.selection import TestName


def runs(task: TestTask, test: TestName) -> bool:
    """Return whether the task is enabled and its `filter { }` accepts the test."""
    return task.enabled and (not task.include or _any(task.include, test)) and not _any(task.exclude, test)


def reason(task: TestTask) -> str:
    """Return why a task runs none, or not all, of its tests."""
    return f"the build's task `{task.name}` " + ("leaves them out" if task.enabled else "is disabled")


def _any(patterns: Sequence[str], test: TestName) -> bool:
    return any(_matches(pattern, test) for pattern in patterns)


def _matches(pattern: str, test: TestName) -> bool:
    """Match as Gradle does: `*` stands for any characters; a pattern names a class, or a class and a method; a pattern that
    begins with an upper-case letter names a class without its package (TestSelectionMatcher)."""
    name = test.class_name.rpartition(".")[2] if pattern[:1].isupper() else test.class_name
    stars_alone = pattern.replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(text, stars_alone) for text in (name, f"{name}.{test.method}", f"{name}.{test.plain_method}"))
