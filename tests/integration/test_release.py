"""Releases are reproducible and have the files that they should, and no others."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.release import COMMIT_TIME, ROOT, clone, made_files, release, tracked

from navitas import __version__
from navitas.capture.build.plugin_repository import install_plugin

SDIST = f"navitas-{__version__}.tar.gz"
WHEEL = f"navitas-{__version__}-py3-none-any.whl"
PLUGIN = f"navitas-gradle-plugin-{__version__}-maven.zip"
STRAY = (
    *(".pytest_cache/a", ".gradle-homes/a", ".android-sdk/a", ".venv/a", "navitas-recordings/a", "notes.txt", "dist/old.whl"),
    *(
        "tests/__pycache__/a.pyc",
        "navitas/__pycache__/a.pyc",
        "navitas/capture/jars/.built",
        "examples/ci/build/a",
        "tests/.hypothesis/a",
    ),
    *("instrumenter/core/target/a.class", "gradle-plugin/plugin/target/a.jar", "navitas/capture/sample/build/a"),
)


@dataclass(frozen=True)
class Made:
    """Two releases of one commit, in folders of the machine. `noted`: messages of the second, whose tree has stray files."""

    first: Path
    second: Path
    noted: str


@pytest.fixture(scope="module")
def made(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    tree = clone(tmp_path_factory.mktemp("releases") / "another place" / "größe")
    for path in (path for name in ("navitas", "docs", "tests") for path in (tree / name).rglob("*")):
        os.utime(path, (2e9, 2e9))
    for name in STRAY:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("a")
    second, noted = release(tree, {"TZ": "Pacific/Auckland", "LC_ALL": "C"}, umask=0o077)
    return Made(released, second, noted)


def members(dist: Path) -> dict[str, bytes]:
    """The files of the sdist, without its folder."""
    with tarfile.open(dist / SDIST) as packed:
        files = [(one.name.partition("/")[2], packed.extractfile(one)) for one in packed.getmembers() if one.isfile()]
        return {name: data.read() for name, data in files if data is not None}


@pytest.mark.extended
def test_two_releases_have_the_same_bytes(made: Made) -> None:
    assert "files differ from the commit" in made.noted, "notes.txt is in no commit"
    sums = [(dist / "SHA256SUMS").read_text() for dist in (made.first, made.second)]
    assert sums[0] == sums[1]
    listed = dict(reversed(line.split("  ")) for line in sums[0].splitlines())
    assert sorted(listed) == sorted([SDIST, WHEEL, PLUGIN])
    for name, digest in listed.items():
        assert (made.first / name).read_bytes() == (made.second / name).read_bytes()
        assert hashlib.sha256((made.first / name).read_bytes()).hexdigest() == digest


@pytest.mark.extended
def test_all_times_are_that_of_the_commit(made: Made) -> None:
    time = datetime.fromtimestamp(COMMIT_TIME, UTC).timetuple()[:6]
    for name in (WHEEL, PLUGIN):
        with zipfile.ZipFile(made.first / name) as packed:
            assert {entry.date_time for entry in packed.infolist()} == {time}
    with tarfile.open(made.first / SDIST) as packed:
        assert {entry.mtime for entry in packed.getmembers()} == {COMMIT_TIME}


@pytest.mark.extended
def test_the_sdist_has_the_files_of_a_clone_with_jars(made: Made) -> None:
    assert set(members(made.second)) == {*tracked(), *made_files(), "PKG-INFO"}


@pytest.mark.extended
def test_the_wheel_has_the_package_and_the_profiles(made: Made) -> None:
    with zipfile.ZipFile(made.second / WHEEL) as packed:
        names = set(packed.namelist())
    info = f"navitas-{__version__}.dist-info"
    described = {f"{info}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    licenses = {f"{info}/licenses/{name}" for name in ("LICENSE", "NOTICE")}
    package = {name for name in tracked() if name.startswith("navitas/")}
    profiles = {f"navitas/{name}" for name in tracked() if name.startswith("profiles/")}
    assert names == package | profiles | set(made_files()) | described | licenses


@pytest.mark.extended
def test_no_file_names_a_path_of_the_machine(made: Made) -> None:
    """Neither of the two trees, nor of the one whose jars they have."""
    paths = [str(made.first.parent), str(made.second.parent), f"{ROOT}/navitas", f"{ROOT}/instrumenter", f"{ROOT}/gradle-plugin"]
    contents = members(made.first)
    for name in [name for name in contents if name.endswith(".jar")]:
        with zipfile.ZipFile(io.BytesIO(contents[name])) as jar:
            contents |= {f"{name}!{entry}": jar.read(entry) for entry in jar.namelist()}
    assert [name for name, data in contents.items() if any(path.encode() in data for path in paths)] == []


@pytest.mark.extended
def test_the_plugin_is_a_maven_repository(made: Made, tmp_path: Path) -> None:
    with zipfile.ZipFile(made.first / PLUGIN) as packed:
        found = {name: packed.read(name) for name in packed.namelist()}
    root = install_plugin(tmp_path)
    assert found == {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_an_incomplete_tree_is_named(tmp_path: Path) -> None:
    tree = clone(tmp_path / "tree")
    (tree / "navitas/capture/jars/navitas-bridge.jar").unlink()
    done = subprocess.run([sys.executable, ".ci/release"], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "navitas/capture/jars/navitas-bridge.jar is missing" in done.stderr
    assert not (tree / "dist").exists()
