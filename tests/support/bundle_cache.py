"""Bundles of the tests' projects, built once for all test processes and runs with the same jars."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from navitas.build.gradle import INIT_SCRIPT, build_bundles
from navitas.build.jars import JARS
from navitas.bundle.reader import Bundle, open_bundles

# The number of builds to keep, enough for a few projects with the jars of a few branches.
_KEPT = 12


def cached_bundles(project: Path, gradle: str, cache: pytest.Cache | None) -> list[Bundle]:
    """The bundles of a project that was just written, as `build_bundles` returns them.

    They are copied from the pytest cache if it has a build of the same files by the same jars and Gradle. Otherwise, the
    project is built, and its bundles are cached. A bundle's working folder is relative, so bundles run in any copy.
    """
    if cache is None:
        return build_bundles(project, gradle=gradle)
    shelf = cache.mkdir("navitas-bundles")
    place = shelf / _key(project, gradle)
    with (shelf / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # other test processes
        if not (place / "order.txt").is_file():
            _keep(build_bundles(project, gradle=gradle), project, place)
            _remove_old(shelf)
        names = (place / "order.txt").read_text("utf-8").splitlines()
        for name in names:
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(place / name, project / name)
    return open_bundles([project / name for name in names])


def _keep(bundles: list[Bundle], project: Path, place: Path) -> None:
    names = [str(bundle.path.relative_to(project.resolve())) for bundle in bundles]
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project / name, place / name)
    # Written last: it marks the entry as complete.
    (place / "order.txt").write_text("\n".join(names), "utf-8")


def _remove_old(shelf: Path) -> None:
    entries = sorted((path for path in shelf.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for entry in entries[:-_KEPT]:
        shutil.rmtree(entry)


def _key(project: Path, gradle: str) -> str:
    """A hash of the bundles' inputs: the project's files, the jars, the init script, Gradle and its Java."""
    programs = [Path(gradle).resolve(), os.environ.get("JAVA_HOME", ""), shutil.which("java")]
    digest = hashlib.sha256("\n".join(map(str, programs)).encode())
    for name, path in _inputs(project):
        content = path.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:24]


def _inputs(project: Path) -> Iterable[tuple[str, Path]]:
    yield from ((path.name, path) for path in [*sorted(JARS.glob("*.jar")), INIT_SCRIPT])
    yield from ((str(path.relative_to(project)), path) for path in sorted(project.rglob("*")) if path.is_file())
