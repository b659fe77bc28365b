"""The sample project is copied whole and clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from navitas.base.errors import UsageError
from navitas.capture.build import sample
from navitas.capture.build.sample import DEMO_TESTS, copy_sample


def test_the_copy_is_a_gradle_project_with_the_demos_tests(tmp_path: Path) -> None:
    copy = copy_sample(tmp_path / "new" / "sample")
    assert copy.is_absolute()
    assert (copy / "build.gradle").is_file()
    assert (copy / "src/test/java" / f"{DEMO_TESTS.replace('.', '/')}.java").is_file()


def test_build_outputs_stay_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    for name in ("build.gradle", "build/classes/A.class", ".gradle/x.lock", "src/main/java/A.java"):
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    monkeypatch.setattr(sample, "SAMPLE", source)
    copy = copy_sample(tmp_path / "copy")
    assert sorted(str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()) == [
        "build.gradle",
        "src/main/java/A.java",
    ]


def test_an_empty_folder_will_do_but_no_other(tmp_path: Path) -> None:
    copy_sample(tmp_path)
    with pytest.raises(UsageError, match="not an empty folder") as caught:
        copy_sample(tmp_path)
    assert caught.value.remedy
