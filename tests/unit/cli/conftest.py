"""In unit tests, commands don't run git for the project's revision, since unit tests start no processes.

Makes the modules of tests/unit/analyze, tests/unit/attribute and tests/unit/vitals importable here.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("analyze", "attribute", "vitals")]


@pytest.fixture(autouse=True)
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.workflows.profile.revision", lambda folder: None)
    monkeypatch.setattr("navitas.workflows.record.revision", lambda folder: None)
