"""Profilings of one project wait only for each other."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from navitas.cli.workflows.building import project_lock


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_lock_on_the_project_s_folder_blocks_no_one(tmp_path: Path) -> None:
    """Every user who can read the folder can take it."""
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with project_lock(tmp_path, lambda: pytest.fail("waits")):
            pass
    finally:
        os.close(handle)


def test_other_projects_are_not_waited_for(tmp_path: Path) -> None:
    with project_lock(tmp_path / "one", lambda: None), project_lock(tmp_path / "two", lambda: pytest.fail("waits")):
        pass


def test_without_a_place_for_locks_nothing_is_held(tmp_path: Path, cache: Path) -> None:
    cache.write_text("no folder")
    with project_lock(tmp_path, lambda: pytest.fail("waits")):
        pass
