"""Paths that begin with `~`."""

from __future__ import annotations

from pathlib import Path


def with_home(path: str | Path) -> Path:
    """The path with `~` or `~user` replaced; as it is where there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
