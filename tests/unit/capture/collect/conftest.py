"""The user's folders are those of the test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Navitas keeps the state and the profiles of phones. The pause before settings are checked is left out."""
    for name in ("STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "user"))
    monkeypatch.setattr("navitas.capture.collect.state.guard._CHECK_PAUSE_S", 0.0)
    return tmp_path / "user/navitas"


@pytest.fixture
def journals(user_folder: Path) -> Path:
    """The folder of what measurements changed, by phone."""
    return user_folder / "devices"


@pytest.fixture
def state(user_folder: Path) -> Path:
    """The folder of the copies of a phone's apps."""
    return user_folder / "apps/serial-1"
