"""What the tests build of equal inputs, built once for all test processes and runs: bundles of projects, and small apps."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from navitas.capture.build.gradle import INIT_SCRIPT, BuildOptions, build_bundles
from navitas.capture.build.java import JARS
from navitas.capture.bundle.reader import Bundle, open_bundles

# The number of builds to keep of each kind, enough for a few projects with the jars of a few branches.
_KEPT = 16
_DONE = "done.txt"


def kept(shelf: Path, key: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that `make` has filled for this key, now or in an earlier run."""
    place = shelf / key
    with (shelf / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes
        if not (place / _DONE).is_file():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            make(place)
            (place / _DONE).touch()  # the last file: it marks the folder as complete
        os.utime(place)  # those used last stay, since another process may be using them
        _remove_old(shelf)
    return place


def _remove_old(shelf: Path) -> None:
    entries = sorted((path for path in shelf.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for entry in entries[:-_KEPT]:
        shutil.rmtree(entry)


def digest(words: Iterable[object], files: Iterable[tuple[str, Path]]) -> str:
    """Return a hash of words, of the names and contents of files, and of this machine's Java and Navitas' jars."""
    found = hashlib.sha256("\n".join(map(str, [*words, os.environ.get("JAVA_HOME", ""), shutil.which("java")])).encode())
    for name, path in [*((path.name, path) for path in sorted(JARS.glob("*.jar"))), *files]:
        content = path.read_bytes()
        found.update(f"{name} {len(content)}\n".encode() + content)
    return found.hexdigest()[:24]


def cached_bundles(project: Path, gradle: str, cache: pytest.Cache | None) -> list[Bundle]:
    """The bundles of a project that was just written, as `build_bundles` returns them.

    They are copied from the pytest cache if it has a build of the same files by the same jars and Gradle. Otherwise, the
    project is built, and its bundles are cached. A bundle's working folder is relative, so bundles run in any copy.
    """
    if cache is None:
        return build_bundles(project, BuildOptions(gradle=gradle))
    own = ((str(path.relative_to(project)), path) for path in sorted(project.rglob("*")) if path.is_file())
    key = digest([Path(gradle).resolve()], [(INIT_SCRIPT.name, INIT_SCRIPT), *own])

    def build(place: Path) -> None:
        bundles = build_bundles(project, BuildOptions(gradle=gradle))
        names = [str(bundle.path.relative_to(project.resolve())) for bundle in bundles]
        for name in names:
            _copy(project / name, place / name)
        (place / "order.txt").write_text("\n".join(names), "utf-8")

    place = kept(cache.mkdir("navitas-bundles"), key, build)
    names = (place / "order.txt").read_text("utf-8").splitlines()
    for name in names:
        _copy(place / name, project / name)
    return open_bundles([project / name for name in names])


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
