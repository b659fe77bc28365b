"""The history file of commands."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.compare.session import Session
from navitas.errors import UsageError
from navitas.history.store import open_history

DEFAULT_FILE = Path("navitas-history.sqlite")


def add_sessions(file: Path, sessions: list[Session]) -> list[bool]:
    """Add sessions to a history file, which is created if it is missing. Adds all or none. Returns for each whether it is new."""
    with open_history(file, write=True) as history:
        return history.add(sessions)


def check_history(file: Path) -> None:
    """Raise the errors of `open_history` for a file to which a command adds at its end. Creates nothing."""
    if os.path.lexists(file):
        with open_history(file):
            pass
    elif not file.absolute().parent.is_dir():
        raise UsageError(f"--history: there is no folder {file.absolute().parent}", "Name a file in an existing folder.")
