"""In unit tests, commands don't run git for the project's revision, since unit tests start no processes."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.cli.workflows.profile.revision", lambda folder: None)
    monkeypatch.setattr("navitas.cli.workflows.record.revision", lambda folder: None)
