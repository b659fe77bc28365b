"""What the build's own `test` task would run: a module's bundle says it, Gradle's rules are applied here."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from navitas.bundle.manifest import TestTask
from navitas.collect.selection import TestName


def runs(task: TestTask, test: TestName) -> bool:
    """Whether the task is enabled and its `filter { }` lets the test through."""
    return task.enabled and (not task.include or _any(task.include, test)) and not _any(task.exclude, test)


def reason(task: TestTask) -> str:
    """Why a task runs none, or not all, of its tests."""
    return f"the build's task `{task.name}` " + ("leaves them out" if task.enabled else "is disabled")


def _any(patterns: Sequence[str], test: TestName) -> bool:
    return any(_matches(pattern, test) for pattern in patterns)


def _matches(pattern: str, test: TestName) -> bool:
    """Gradle's rule: `*` stands for any characters; a pattern is of a class, or of a class and a method; one that begins with
    an upper-case letter is of a class without its package (TestSelectionMatcher)."""
    name = test.class_name.rpartition(".")[2] if pattern[:1].isupper() else test.class_name
    stars_alone = pattern.replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(text, stars_alone) for text in (name, f"{name}.{test.method}", f"{name}.{test.plain_method}"))
