from __future__ import annotations

import pytest

from navitas.base.test_patterns import TestName
from navitas.capture.bundle.manifest import TestTask
from navitas.capture.collect.runs.choice import runs

TEST = TestName("org.x.SortTest", "sorts[0]")


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("org.x.SortTest", True),
        ("org.x.*", True),
        ("*Test", True),
        ("*Test.sorts", True),
        ("SortTest", True),
        ("SortTest.sorts*", True),
        ("SortTest.other", False),
        ("x.SortTest", False),
        ("org.x.Sort", False),
        ("org.x.SortTest.sorts[0]", True),
        ("org?x.SortTest", False),
        ("*" * 60 + "?", False),  # in bounded time, too
        ("*t" * 60, False),
    ],
)
def test_patterns_follow_gradles_rules(pattern: str, matched: bool) -> None:
    assert runs(TestTask(include=[pattern]), TEST) is matched
    assert runs(TestTask(exclude=[pattern]), TEST) is not matched


def test_excludes_outrank_includes_and_a_disabled_task_runs_nothing() -> None:
    assert not runs(TestTask(include=["*"], exclude=["*.sorts"]), TEST)
    assert not runs(TestTask(enabled=False), TEST)
    assert runs(TestTask(), TEST)
