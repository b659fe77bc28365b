"""What tests of commands share. Commands don't run git for the project's revision, since unit tests start no processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.import_folder import fill_import_folder


@pytest.fixture(autouse=True)
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.cli.workflows.profile.revision", lambda folder: None)
    monkeypatch.setattr("navitas.cli.workflows.record.revision", lambda folder: None)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a power profile and logs to import."""
    monkeypatch.chdir(tmp_path)
    fill_import_folder(tmp_path)
    return tmp_path
