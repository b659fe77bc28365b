"""Paths that begin with `~`."""

from __future__ import annotations

from pathlib import Path


def with_home(path: str | Path) -> Path:
    """Return the path with `~` or `~user` replaced, or unchanged if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
