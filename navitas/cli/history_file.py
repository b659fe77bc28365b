"""The history file of commands."""

from __future__ import annotations

from pathlib import Path

from navitas.compare.session import Session
from navitas.history.store import open_history

DEFAULT_FILE = Path("navitas-history.sqlite")


def add_sessions(file: Path, sessions: list[Session]) -> list[bool]:
    """Add sessions to a history file, which is created if it is missing. Adds all or none. Returns for each whether it is new."""
    with open_history(file, write=True) as history:
        return history.add(sessions)
