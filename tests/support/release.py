"""Releases for tests: a copy of the tree as a clean clone with jars, and the files that `.ci/release` makes of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

from navitas.capture.build.java import JARS
from support.git_repository import GIT

ROOT = Path(__file__).resolve().parents[2]
COMMIT_TIME = 1767268800
"""The time of the commit in copies of the tree: 2026-01-01 12:00:00 UTC."""
_SAFE = "core.fsmonitor=false"


@cache
def tracked() -> tuple[str, ...]:
    """The files that a clone of this tree would have, with those that are new and not ignored."""
    if GIT is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git repository, so the files of a clone are unknown")
    command = [GIT, "-C", str(ROOT), "-c", _SAFE, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return tuple(sorted(name for name in listed if name and (ROOT / name).is_file()))


def jar_paths() -> list[str]:
    """Where Maven writes the jars of the package, from the Makefile."""
    copied = re.findall(r"^\t@cp (.*?) navitas/capture/jars/$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(copied) == 1
    return copied[0].replace("\\\n", " ").split()


def made_files() -> list[str]:
    """The files of the package that are built. Skips the test if some are missing."""
    jars = [Path(path).name for path in jar_paths()]
    if missing := [name for name in jars if not (JARS / name).is_file()]:
        pytest.skip(f"{', '.join(missing)} of navitas/capture/jars is not built: make jars")
    return [f"navitas/capture/jars/{name}" for name in jars]


def clone(folder: Path) -> Path:
    """Copy the tree, with what `make setup` builds, into a git repository with one commit."""
    assert GIT is not None
    for name in (*tracked(), *made_files()):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        shutil.copymode(ROOT / name, target)
    time = f"{COMMIT_TIME} +0000"
    environment = {**os.environ, "GIT_COMMITTER_DATE": time, "GIT_AUTHOR_DATE": time}
    person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", _SAFE, "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "--no-verify", "-m", "a"]):
        subprocess.run([GIT, *person, *words], cwd=folder, env=environment, check=True, capture_output=True)
    return folder


def release(tree: Path, variables: Mapping[str, str] = MappingProxyType({}), umask: int = 0o022) -> tuple[Path, str]:
    """Run `.ci/release` in a clone. Return its folder `dist` and its messages. Skips the test without a package registry."""
    environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"} | dict(variables)
    command = [sys.executable, ".ci/release"]
    done = subprocess.run(command, cwd=tree, env=environment, umask=umask, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode != 0 and "No matching distribution found for hatchling" in said:
        pytest.skip("no package registry with the build backend")
    assert done.returncode == 0, said
    return tree / "dist", said
