"""Where instrumented copies go, and which calls are refused before a JVM starts."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from navitas.base.errors import UsageError
from navitas.capture.build.bridge import InstrumentOptions
from navitas.capture.build.instrument import instrument, plan
from navitas.capture.build.patterns import check_patterns


def make_jar(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("a.txt", "x")
    return path


def make_folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_one_folder_becomes_out(tmp_path: Path) -> None:
    [only] = plan([make_folder(tmp_path / "classes")], tmp_path / "out")
    assert (only.out, only.source, only.module) == (tmp_path / "out", "main", ":")


def test_one_jar_becomes_out_if_that_ends_in_jar(tmp_path: Path) -> None:
    jar = make_jar(tmp_path / "app.jar")
    assert [each.out for each in plan([jar], tmp_path / "out.jar")] == [tmp_path / "out.jar"]
    assert [each.out for each in plan([jar], tmp_path / "out")] == [tmp_path / "out" / "app.jar"]
    folder = make_folder(tmp_path / "folder.jar")
    assert [each.out for each in plan([jar], folder)] == [folder / "app.jar"]


def test_several_keep_their_names_and_folders_of_one_name_become_one(tmp_path: Path) -> None:
    paths = [make_folder(tmp_path / "app/main"), make_folder(tmp_path / "lib/main"), make_jar(tmp_path / "lib/x.jar")]
    outs = [each.out for each in plan(paths, tmp_path / "out")]
    assert outs == [tmp_path / "out/main", tmp_path / "out/main", tmp_path / "out/x.jar"]


@pytest.mark.parametrize(
    ("paths", "out", "cause"),
    [
        ([], "out", "nothing to instrument"),
        (["none"], "out", "no such file or folder"),
        (["text.txt"], "out", "neither a folder nor a jar"),
        (["a/x.jar", "b/x.jar"], "out", "two jars are named x.jar"),
        (["classes"], "classes", "would overwrite the input"),
        (["classes"], "classes/out", "would overwrite the input"),
        (["classes"], ".", "would overwrite the input"),
        (["a/x.jar"], "a", "would overwrite the input"),
        (["classes", "a/x.jar"], "text.txt", "is in the way"),
        (["classes"], "text.txt", "is in the way"),
    ],
)
def test_paths_that_cannot_work(tmp_path: Path, paths: list[str], out: str, cause: str) -> None:
    make_folder(tmp_path / "classes")
    (tmp_path / "text.txt").write_text("no jar")
    make_jar(tmp_path / "a/x.jar")
    make_jar(tmp_path / "b/x.jar")
    with pytest.raises(UsageError, match=cause) as caught:
        plan([tmp_path / path for path in paths], tmp_path / out)
    assert caught.value.remedy


@pytest.mark.parametrize("pattern", ["", "org/example/**"])
def test_patterns_are_dotted_names(tmp_path: Path, pattern: str) -> None:
    folder = make_folder(tmp_path / "classes")
    with pytest.raises(UsageError, match="is not a class name pattern"):
        instrument([folder], tmp_path / "out", tmp_path / "map.json", InstrumentOptions(includes=(pattern,)))


@pytest.mark.parametrize("pattern", ["a.My Test", "a.My Test#sorts *", "a.C#sorts (fast)", "a.C#adds 1, 2", "a.C#add(1) is 2"])
def test_patterns_have_names_of_kotlin(pattern: str) -> None:
    check_patterns([], [pattern])


@pytest.mark.parametrize("pattern", ["a.C#sort(int)", "a.C#sort()", "a.C#sort(int[]", "a.C#sorts (fast)(int)"])
def test_patterns_have_no_parameters(pattern: str) -> None:
    with pytest.raises(UsageError, match="does not name a method"):
        check_patterns([], [pattern])


def test_the_map_is_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        instrument([make_folder(tmp_path / "classes")], tmp_path / "out", tmp_path)
