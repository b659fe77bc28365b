"""Commands of unit tests ask no git for the project's revision: that would start a process."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.cli.profiling.revision", lambda folder: None)
