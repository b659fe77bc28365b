"""Shared fixtures; `support` (tests/support) is importable from every test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS))
# Timing decides no test.
settings.register_profile("navitas", deadline=None)
settings.load_profile("navitas")


@pytest.fixture(scope="session")
def field() -> Path:
    """The folder of real devices' files beside the repository."""
    folder = TESTS.parent.parent / "shared" / "field"
    if not folder.is_dir():
        pytest.skip("no field data: ../shared/field is absent")
    return folder
