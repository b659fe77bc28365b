"""The history file of commands."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from navitas.cli.compare_input import read_session
from navitas.cli.messages import warning
from navitas.cli.progress import ConsoleProgress
from navitas.compare.session import Session
from navitas.compare.versions import is_recording
from navitas.errors import NavitasError, UsageError
from navitas.history.store import open_history
from navitas.history.stored_session import is_same

DEFAULT_FILE = Path("navitas-history.sqlite")


def add_sessions(file: Path, sessions: list[Session]) -> list[bool]:
    """Add sessions to a history file, which is created if it is missing. Adds all or none. Returns for each whether it is new.

    Also replaces sessions without app energy, as `read_sessions` does.
    """
    with open_history(file, write=True) as history:
        completed = [one for one in _completed(history.without_app(), file) if one.has("app")]
        return history.add([*completed, *sessions])[len(completed) :]


def read_sessions(file: Path) -> list[Session]:
    """Return the sessions of a history file. Those without app energy are read again from their recordings, if these are there.

    Raises the errors of `open_history`, and `UsageError` if there are none.
    """
    with open_history(file) as history:
        sessions = history.sessions()
    if not sessions:
        raise UsageError(f"{file} has no sessions", "Add some: navitas history add RECORDING…")
    return _completed(sessions, file)


def check_history(file: Path) -> None:
    """Raise the errors of `open_history` for a file to which a command adds at its end. Creates nothing."""
    if os.path.lexists(file):
        with open_history(file):
            pass
    elif not file.absolute().parent.is_dir():
        raise UsageError(f"--history: there is no folder {file.absolute().parent}", "Name a file in an existing folder.")


def _completed(sessions: Iterable[Session], file: Path) -> list[Session]:
    with ConsoleProgress(only_live=True) as progress:
        return [one if one.has("app") else _recorded(one, file, progress) or one for one in sessions]


def _recorded(session: Session, file: Path, progress: ConsoleProgress) -> Session | None:
    """Read a session again. Its name is the path of its recording, relative to the current folder or to that of the history."""
    for path in dict.fromkeys((Path(session.name), file.parent / session.name)):
        if not is_recording(path):
            continue
        try:
            found = read_session(path, progress)
        except (NavitasError, OSError) as error:
            warning(f"{path} could not be read for its app energy: {error}")
            continue
        if is_same(found, session):
            return found
    return None
