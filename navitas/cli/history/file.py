"""The history file of commands, and `navitas history add`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from navitas.base.errors import NavitasError, UsageError
from navitas.cli.compare.input import read_session, session_paths
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import READ_FILE_ANY_NAME, WRITE_ANY_NAME
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.standard_output import output_console
from navitas.insight.compare.session import Session
from navitas.insight.compare.versions import is_recording
from navitas.insight.history.store import open_history
from navitas.insight.history.stored_session import is_same

DEFAULT_FILE = Path("navitas-history.sqlite")
FILE_HELP = f"The history, which `add` creates. [{DEFAULT_FILE}]"


@click.command("add", cls=NavitasCommand, example="navitas history add navitas-recordings\nnavitas history add report.json")
@click.argument("paths", type=READ_FILE_ANY_NAME, nargs=-1, required=True, metavar="PATH...")
@option("--file", type=WRITE_ANY_NAME, default=DEFAULT_FILE, metavar="FILE", help=FILE_HELP)
@json_option
def add(*, paths: tuple[Path, ...], file: Path, json_file: Path | None) -> int:
    """Add sessions to a history: recordings, JSON reports ('-': stdin), or folders of them.

    A session that the history has is not added again.
    """
    found = [one for path in paths for one in session_paths(path)]
    with ConsoleProgress(only_live=True) as progress:
        sessions = [read_session(one, progress) for one in found]
    added = add_sessions(file, sessions)
    known = [one.name for one, is_new in zip(sessions, added, strict=True) if not is_new]
    if write_json(json_file, file=str(file), added=sum(added), known=known):
        already = f", {len(known):,} were already there" if known else ""
        output_console().print(f"{sum(added):,} added to {file}{already}", markup=False, highlight=False)
        next_step(f"navitas history show {shell_word(file)}")
    return 0


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
