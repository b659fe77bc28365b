"""`navitas instrument`: classes with probes, warnings about skipped classes, and outputs that must not be overwritten."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.base.errors import ExitCode
from navitas.capture.build.java import JARS
from navitas.cli.main import run


@pytest.fixture
def classes() -> dict[str, bytes]:
    """Return the classes of py4j, from the bridge's jar."""
    bridge = JARS / "navitas-bridge.jar"
    if not bridge.is_file():
        pytest.skip("navitas-bridge.jar is not built: make jars")
    with zipfile.ZipFile(bridge) as jar:
        names = [name for name in jar.namelist() if name.startswith("py4j/reflection/") and name.endswith(".class")]
        return {name: jar.read(name) for name in names}


def jar_of(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in files.items():
            jar.writestr(name, data)
    return path


def instrument(tmp_path: Path, source: Path, *more: str) -> int:
    out = tmp_path / ("out.jar" if source.is_file() else "out")
    return run(["instrument", str(source), "-o", str(out), "--map-output", str(tmp_path / "map.json"), *more])


@pytest.mark.parametrize("map_file", ["out.jar", "in.jar", "link.jar", "out/in.jar", "/dev/zero"])
def test_the_map_overwrites_no_other_file(
    map_file: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
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
def test_the_map_does_not_replace_a_copied_file(
    map_file: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "classes/a").mkdir(parents=True)
    (tmp_path / "classes/a/A.class").touch()
    assert run(["instrument", "classes", "-o", "out", "--map-output", map_file]) == ExitCode.USAGE
    assert "would overwrite the output" in capsys.readouterr().err
