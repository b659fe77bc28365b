"""Patterns of tests that no source declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from navitas.cli.workflows.building import undeclared


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two test classes in one file, and a class that only a build has made."""
    folder = tmp_path / "src/test/java/a"
    folder.mkdir(parents=True)
    (tmp_path / "build.gradle").touch()
    (folder / "SortTest.java").write_text("class SortTest { class Inner {} } class OtherTest {}")
    (folder / "Sorts.kt").write_text("class `My Test` { @Test fun `sorts (fast)`() {} }")
    made = tmp_path / "build/generated"
    made.mkdir(parents=True)
    (made / "MadeTest.java").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "near"),
    [
        ("SortTest", None),
        ("a.SortTest#sorts", None),
        ("Sort*", None),
        ("*#sorts", None),
        ("SortTest$Inner#x", None),
        ("OtherTest", None),
        ("Inner", None),
        ("a.My Test#sorts (fast)", None),
        ("MyTest", ["My Test"]),
        ("SrotTest", ["SortTest"]),
        ("a.b.SortTst#sorts", ["SortTest"]),
        ("MadeTest", []),
        ("", []),
    ],
)
def test_a_class_that_no_source_declares_is_named_with_near_names(pattern: str, near: list[str] | None, project: Path) -> None:
    found = undeclared(project, [pattern])
    assert set(found) == (set() if near is None else {pattern})
    assert near is None or set(near) <= set(found[pattern])


def test_a_project_without_sources_says_nothing(tmp_path: Path) -> None:
    assert undeclared(tmp_path, ["SortTest"]) == {}
    assert undeclared(tmp_path / "none", ["SortTest"]) == {}
