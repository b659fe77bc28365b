"""Lines of source code for methods: found by file and package, in any folder, within bounds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from profile_maker import METHODS

from navitas.base.errors import UsageError
from navitas.report import source_code
from navitas.report.source_code import SourceCode

SORT = replace(METHODS.methods[1], file="Sorter.java", line=2)


def write(path: Path, text: str = "first\n  second  \nthird\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_the_package_selects_among_files_of_one_name(tmp_path: Path) -> None:
    write(tmp_path / "app/src/main/java/org/example/Sorter.java")
    write(tmp_path / "lib/src/main/java/org/other/Sorter.java", "x\ny\n")
    lines = SourceCode(tmp_path)
    assert lines.line(SORT) == "second"
    assert lines.line(replace(SORT, class_name="org.other.Sorter")) == "y"
    assert lines.line(replace(SORT, class_name="org.third.Sorter")) is None, "two files could be the one"


def test_kotlin_files_need_not_be_in_a_folder_of_their_package(tmp_path: Path) -> None:
    write(tmp_path / "kotlin/Sorter.kt")
    assert SourceCode(tmp_path).line(replace(SORT, file="Sorter.kt")) == "second"


def test_without_a_line_there_is_none(tmp_path: Path) -> None:
    write(tmp_path / "Sorter.java")
    lines = SourceCode(tmp_path)
    for changed in (
        {"line": None},
        {"line": 99},
        {"line": 0},
        {"file": None},
        {"file": "Other.java"},
        {"file": "../Sorter.java"},
    ):
        assert lines.line(replace(SORT, **changed)) is None


def test_files_are_untrusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "outside/Secret.java", "secret\nsecret\n")
    inside = tmp_path / "inside"
    write(inside / "Sorter.java", "x" * 5_000 + "\n" + "y" * 5_000 + "\n")
    (inside / "Secret.java").symlink_to(tmp_path / "outside/Secret.java")
    write(inside / "build/Made.java")
    lines = SourceCode(inside)
    assert lines.line(replace(SORT, file="Secret.java")) is None
    assert lines.line(replace(SORT, file="Made.java")) is None
    assert len(lines.line(SORT) or "") == 200
    monkeypatch.setattr(source_code, "_MAX_BYTES", 100)
    assert SourceCode(inside).line(SORT) is None
    write(inside / "Bytes.java").write_bytes(b"\x80\r\n\x0bab\x80\r\n")
    assert SourceCode(inside).line(replace(SORT, file="Bytes.java")) == "ab\ufffd"


def test_a_folder_without_sources_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no source files"):
        SourceCode(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        SourceCode(write(tmp_path / "A.java"))
