"""Maven makes the same jars at any path, time and time zone."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from support.release import ROOT, jar_paths, made_files, tracked

from navitas.capture.build.java import JARS

pytestmark = [pytest.mark.usefixtures("jvm"), pytest.mark.extended]

# One build of both parts, so that it installs nothing into the user's Maven repository.
_BOTH = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.navitas</groupId><artifactId>both</artifactId><version>1</version><packaging>pom</packaging>
  <modules><module>instrumenter</module><module>gradle-plugin</module></modules>
</project>
"""


def build(folder: Path, zone: str, umask: int) -> dict[str, Path]:
    """Build the Java modules in a folder. Return the jars of the package by name."""
    for name in tracked():
        if name.startswith(("instrumenter/", "gradle-plugin/")) or name in ("LICENSE", "NOTICE"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            (folder / name).chmod(0o666 & ~umask)
    (folder / "pom.xml").write_text(_BOTH)
    if shutil.which("mvn") is None:
        pytest.skip("no mvn on PATH: make system")
    command = [str(ROOT / ".ci/mvn"), "package", "-DskipTests"]
    environment = {**os.environ, "TZ": zone, "LC_ALL": "C.UTF-8"}  # else a JVM cannot use the name größe
    done = subprocess.run(command, cwd=folder, env=environment, umask=umask, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return {Path(path).name: folder / path for path in jar_paths()}


def test_another_build_makes_the_same_jars(tmp_path: Path) -> None:
    """As `make jars` has made them, which `make test` calls."""
    made_files()
    for name, path in build(tmp_path / "another place" / "größe", "Pacific/Auckland", 0o077).items():
        assert _entries(path) == _entries(JARS / name), name
        assert path.read_bytes() == (JARS / name).read_bytes(), name


def _entries(path: Path) -> list[tuple[str, int, tuple[int, ...]]]:
    """Names, checksums and times, in order: they say more about a difference than bytes."""
    with zipfile.ZipFile(path) as jar:
        return [(entry.filename, entry.CRC, entry.date_time) for entry in jar.infolist()]
