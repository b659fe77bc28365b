"""`navitas operations census`: a table, a file, JSON, and errors with the file at fault."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.base.errors import ExitCode
from navitas.capture.build.java import JARS
from navitas.cli.main import run
from navitas.insight.operations.census.document import Census, read_census

pytestmark = pytest.mark.usefixtures("jvm")

SOURCE = """package p;
public class Loop {
  public static float run(float[] a) {
    float sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * 2f;
    }
    return sum;
  }
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return folders of classes and sources. Tests only read them."""
    if not (JARS / "navitas-bridge.jar").is_file():
        pytest.skip("navitas-bridge.jar is not built: make jars")
    folder = tmp_path_factory.mktemp("built")
    source = folder / "src" / "p" / "Loop.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE)
    classes = folder / "classes"
    subprocess.run(["javac", "-g", "-d", classes, source], check=True)
    return str(classes), str(folder / "src")


def operations(census: Census, method: str) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for each in census.classes:
        for one in each.methods:
            if one.name == method:
                for block in one.blocks:
                    sums.update({census.operations[index].name: count for index, count in block.operations})
    return dict(sums)


def test_operations_of_sources(built: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    classes, sources = built
    out, document = tmp_path / "census.json", tmp_path / "summary.json"
    assert run(["operations", "census", classes, "--sources", sources, "-o", str(out), "--json", str(document)]) == 0
    printed, errors = capsys.readouterr()
    assert "Arithmetic" in printed and "2 methods by their source, 0 by their bytecode" in errors
    assert operations(read_census(out), "run") == {
        "Declaration_float": 1,
        "Assign_float_int": 1,
        "Declaration_int": 1,
        "Assign_int_int": 1,
        "Block Goto_for": 1,
        "Less_int_int": 1,
        "Array Length": 1,
        "Array Reference": 1,
        "Multi_float_float": 1,
        "Addition_float_float": 1,
        "Assign_float_float": 1,
        "Increment": 1,
        "Return_float": 1,
    }
    summary = json.loads(document.read_text())
    assert (summary["classes"], summary["methods"], summary["from_source"], summary["unmatched"]) == (1, 2, 2, 0)
    assert {"class": "Control", "operations": 1, "blocks": 1, "occurrences": 1} in summary["operation_classes"]


def test_without_sources_and_compressed(built: tuple[str, str], tmp_path: Path) -> None:
    paths = [tmp_path / "one.json.gz", tmp_path / "two.json.gz"]
    for path in paths:
        assert run(["operations", "census", built[0], "-o", str(path)]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    found = operations(read_census(paths[0]), "run")
    assert found["Compare_int_int"] == found["Block Goto"] == found["Increment"] == 1
    assert "Block Goto_for" not in found


def test_a_java_without_compiler_is_named(
    built: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "--limit-modules=java.base,java.logging,java.compiler")
    out = tmp_path / "census.json"
    assert run(["operations", "census", built[0], "-o", str(out)]) == 0
    out.unlink()
    assert run(["operations", "census", built[0], "--sources", built[1], "-o", str(out)]) != 0
    errors = " ".join(capsys.readouterr().err.split())
    assert "--sources needs the compiler of a JDK, and this Java has none; set JAVA_HOME to a JDK" in errors
    assert "Traceback" not in errors and not out.exists()


def test_folders_without_classes(built: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    assert run(["operations", "census", built[1], "-o", str(tmp_path / "c.json")]) != 0
    assert "no class to count" in capsys.readouterr().err
    assert run(["operations", "census", built[0], "--exclude", "p.**", "-o", str(tmp_path / "c.json")]) != 0
    assert "no class to count" in capsys.readouterr().err
    assert run(["operations", "census", str(tmp_path / "none"), "-o", str(tmp_path / "c.json")]) == ExitCode.USAGE
    assert "none" in capsys.readouterr().err
    assert not (tmp_path / "c.json").exists()


def test_damaged_classes_and_sources_are_named(built: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    classes, sources = (Path(shutil.copytree(folder, tmp_path / Path(folder).name)) for folder in built)
    (classes / "p" / "Bad.class").write_bytes(b"\xca\xfe\xba\xbe")
    (sources / "p" / "Loop.java").write_text(SOURCE.replace("2f", "missing"))
    assert run(["operations", "census", str(classes), "--sources", str(sources), "-o", str(tmp_path / "c.json")]) == 0
    errors = " ".join(capsys.readouterr().err.split())
    assert "Bad.class: damaged class file" in errors
    assert "Loop.java:6: does not compile" in errors
    assert "1 methods by their source, 1 by their bytecode" in errors


def test_blocks_can_be_removed(built: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    classes, sources = built
    census, edits, out = tmp_path / "census.json", tmp_path / "edits.txt", tmp_path / "out"
    assert run(["operations", "census", classes, "--sources", sources, "-o", str(census)]) == 0
    document = read_census(census)
    method = next(each for each in document.classes[0].methods if each.name == "run")
    number, block = next((number, block) for number, block in enumerate(method.blocks) if block.editable)
    names = {document.operations[index].name for index, _ in block.edit_operations}
    assert {"Array Reference", "Multi_float_float"} <= names and "Increment" not in names
    edits.write_text(f"remove\tp.Loop\trun([F)F\t{number}\n")
    command = ["instrument", classes, "-o", str(out), "--map-output", str(tmp_path / "map.json"), "--block-edits", str(edits)]
    assert run(command) == 0
    code = subprocess.run(["javap", "-c", "-cp", out, "p.Loop"], check=True, capture_output=True, text=True).stdout
    assert "nop" in code and "faload" not in code
    edits.write_text("remove\tp.Loops\trun([F)F\t2\n")
    capsys.readouterr()
    assert run(command) == ExitCode.TROUBLE
    assert f"{edits}:1: class p.Loops is not among the classes to instrument" in capsys.readouterr().err
