"""The tests of tests/unit/cli/test_cli_instrument.py that start processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.capture import Capture
from test_cli_instrument import classes, instrument, jar_of

from navitas.base.errors import ExitCode

OTHER_VERSION = bytes([0, 0, 0, 70])
"""The minor and major version in class files of Java 26."""


def of_a_framework(data: bytes) -> bytes:
    """Move the class to a package of Groovy. The new name in the constant pool has the same length."""
    return data.replace(b"py4j/reflection/", b"groovy/reflects/")


def test_instrumenting_a_jar_names_the_skipped_frameworks(tmp_path: Path, classes: dict[str, bytes], capsys: Capture) -> None:
    groovy = {name.replace("py4j/reflection", "groovy/reflects"): of_a_framework(data) for name, data in classes.items()}
    own = dict(list(classes.items())[:2])
    jar = jar_of(tmp_path / "all.jar", {**groovy, **own})
    assert instrument(tmp_path, jar) == ExitCode.OK
    printed = capsys.readouterr().err
    left = f"{len(groovy)} of {len(groovy) + 2} classes belong to known frameworks and got no probes (groovy.** {len(groovy)})"
    assert left in printed
    assert "--include '**' includes all classes, --include 'groovy.**' only these" in printed
    assert instrument(tmp_path, jar, "--include", "**") == ExitCode.OK
    printed = capsys.readouterr().err
    assert "known frameworks" not in printed
    assert len(json.loads((tmp_path / "map.json").read_text())["classes"]) == len(groovy) + 2


def test_classes_in_a_folder_are_not_frameworks(tmp_path: Path, classes: dict[str, bytes], capsys: Capture) -> None:
    for name, data in classes.items():
        file = tmp_path / "classes" / name.replace("py4j/reflection", "groovy/reflects")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(of_a_framework(data))
    assert instrument(tmp_path, tmp_path / "classes") == ExitCode.OK
    assert "warning" not in capsys.readouterr().err
    found = json.loads((tmp_path / "map.json").read_text())["classes"]
    assert len(found) == len(classes) and all(one["name"].startswith("groovy.reflects.") for one in found)


def test_newer_classes_are_not_called_frameworks(tmp_path: Path, classes: dict[str, bytes], capsys: Capture) -> None:
    newer = {name: data[:4] + OTHER_VERSION + data[8:] for name, data in classes.items()}
    assert instrument(tmp_path, jar_of(tmp_path / "newer.jar", newer)) == ExitCode.OK
    printed = capsys.readouterr().err
    assert f"no method was instrumented: {len(newer)} classes newer than Java 25\n" in printed
    assert "framework" not in printed


def test_a_name_in_a_jar_cannot_end_the_line(tmp_path: Path, classes: dict[str, bytes], capsys: Capture) -> None:
    jar = jar_of(tmp_path / "x.jar", {"a\nerror: forged\x1b[2J.class": b"no class", "b\r/../../c.class": b""})
    assert instrument(tmp_path, jar) == ExitCode.TROUBLE
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: forged")] == []
    jar = jar_of(tmp_path / "x.jar", {"a\nerror: forged\x1b[2J.class": b"no class"})
    assert instrument(tmp_path, jar) == ExitCode.OK
    printed = capsys.readouterr().err
    assert r"a\u000aerror: forged\u001b[2J.class" in printed
    assert not any(line.startswith("error: forged") for line in printed.splitlines())
