"""The user's own folders for what Navitas keeps between runs (XDG Base Directory Specification)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """What can be made again: `$XDG_CACHE_HOME/navitas`. It need not exist."""
    return _folder("XDG_CACHE_HOME", ".cache")


def state_folder() -> Path:
    """What must not be lost: `$XDG_STATE_HOME/navitas`. It need not exist."""
    return _folder("XDG_STATE_HOME", ".local/state")


def _folder(variable: str, default: str) -> Path:
    named = os.environ.get(variable, "")
    if named.startswith("/"):  # the specification: relative paths are to be ignored
        return Path(named) / "navitas"
    try:
        return Path.home() / default / "navitas"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / f"navitas-{os.getuid()}"
