"""`navitas instrument`: whose classes get probes, what is told of the others, and what is never overwritten."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from navitas.build.jars import JARS
from navitas.cli.main import run
from navitas.errors import ExitCode

OTHER_VERSION = bytes([0, 0, 0, 69])
"""Minor and major version of Java 25's class files."""


@pytest.fixture
def classes() -> dict[str, bytes]:
    """Real classes: py4j's, out of the bridge's jar."""
    bridge = JARS / "navitas-bridge.jar"
    if not bridge.is_file():
        pytest.skip("navitas-bridge.jar is not built: make jars")
    with zipfile.ZipFile(bridge) as jar:
        names = [name for name in jar.namelist() if name.startswith("py4j/reflection/") and name.endswith(".class")]
        return {name: jar.read(name) for name in names}


def of_a_framework(data: bytes) -> bytes:
    """The class in a package of Groovy's: its constant pool names it by a text of the same length."""
    return data.replace(b"py4j/reflection/", b"groovy/reflects/")


def jar_of(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in files.items():
            jar.writestr(name, data)
    return path


def instrument(tmp_path: Path, source: Path, *more: str) -> int:
    out = tmp_path / ("out.jar" if source.is_file() else "out")
    return run(["instrument", str(source), "-o", str(out), "--map-output", str(tmp_path / "map.json"), *more])


def test_a_jar_tells_which_frameworks_it_leaves_out(
    tmp_path: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    groovy = {name.replace("py4j/reflection", "groovy/reflects"): of_a_framework(data) for name, data in classes.items()}
    own = dict(list(classes.items())[:2])
    jar = jar_of(tmp_path / "all.jar", {**groovy, **own})
    assert instrument(tmp_path, jar) == ExitCode.OK
    told = capsys.readouterr().err
    left = f"{len(groovy)} of {len(groovy) + 2} classes are of known frameworks and got no probes (groovy.** {len(groovy)})"
    assert left in told
    assert "--include '**' takes all classes, --include 'groovy.**' these alone" in told
    assert instrument(tmp_path, jar, "--include", "**") == ExitCode.OK
    told = capsys.readouterr().err
    assert "known frameworks" not in told
    assert len(json.loads((tmp_path / "map.json").read_text())["classes"]) == len(groovy) + 2


def test_a_folder_of_classes_is_the_projects_own(
    tmp_path: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data in classes.items():
        file = tmp_path / "classes" / name.replace("py4j/reflection", "groovy/reflects")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(of_a_framework(data))
    assert instrument(tmp_path, tmp_path / "classes") == ExitCode.OK
    assert "warning" not in capsys.readouterr().err
    found = json.loads((tmp_path / "map.json").read_text())["classes"]
    assert len(found) == len(classes) and all(one["name"].startswith("groovy.reflects.") for one in found)


def test_newer_classes_are_not_called_frameworks(
    tmp_path: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    newer = {name: data[:4] + OTHER_VERSION + data[8:] for name, data in classes.items()}
    assert instrument(tmp_path, jar_of(tmp_path / "newer.jar", newer)) == ExitCode.OK
    told = capsys.readouterr().err
    assert f"no method was instrumented: {len(newer)} classes newer than Java 21\n" in told
    assert "framework" not in told


def test_a_name_in_a_jar_cannot_end_the_line(
    tmp_path: Path, classes: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    jar = jar_of(tmp_path / "x.jar", {"a\nerror: forged\x1b[2J.class": b"no class", "b\r/../../c.class": b""})
    assert instrument(tmp_path, jar) == ExitCode.TROUBLE
    assert [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: forged")] == []
    jar = jar_of(tmp_path / "x.jar", {"a\nerror: forged\x1b[2J.class": b"no class"})
    assert instrument(tmp_path, jar) == ExitCode.OK
    told = capsys.readouterr().err
    assert r"a\u000aerror: forged\u001b[2J.class" in told
    assert not any(line.startswith("error: forged") for line in told.splitlines())


@pytest.mark.parametrize("map_file", ["out.jar", "in.jar", "link.jar", "out/in.jar", "/dev/zero"])
def test_the_map_goes_over_nothing_else(
    map_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = jar_of(tmp_path / "in.jar", {"a.txt": b"x"}).read_bytes()
    (tmp_path / "link.jar").symlink_to("in.jar")
    out = "out" if map_file.startswith("out/") else "out.jar"
    assert run(["instrument", "in.jar", "-o", out, "--map-output", map_file]) == ExitCode.USAGE
    assert map_file in capsys.readouterr().err
    assert (tmp_path / "in.jar").read_bytes() == before
    assert not (tmp_path / out).exists()


@pytest.mark.parametrize("map_file", ["out/a/A.class", "out/META-INF/navitas/map.properties"])
def test_the_map_takes_no_place_of_a_copied_file(
    map_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes/a").mkdir(parents=True)
    (tmp_path / "classes/a/A.class").touch()
    assert run(["instrument", "classes", "-o", "out", "--map-output", map_file]) == ExitCode.USAGE
    assert "would overwrite the output" in capsys.readouterr().err
