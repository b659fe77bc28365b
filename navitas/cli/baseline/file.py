"""The sessions of a baseline: a history file, a small JSON file for a repository, or a folder of recordings and JSON reports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.cli.compare.input import read_session, session_paths
from navitas.cli.habits.files import write_to
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.history.file import DEFAULT_FILE as HISTORY_FILE
from navitas.cli.history.file import add_sessions, read_sessions
from navitas.cli.report.reporting import load_profile
from navitas.insight.check.baseline import check_addable
from navitas.insight.compare.comparison import check_distinct
from navitas.insight.compare.session import Session
from navitas.insight.compare.versions import is_recording
from navitas.insight.history.baseline_file import baseline_text, read_baseline
from navitas.insight.history.store import check_storable, open_history
from navitas.insight.history.stored_session import is_same
from navitas.report import json_report

BASELINE_FILE = Path("navitas-baseline.json")
FILE_HELP = f"A history, a folder of reports, or a JSON file. [{BASELINE_FILE}]"


def default_baseline(project: Path) -> Path | None:
    """Return the baseline that a project keeps, if there is one."""
    files = (project / BASELINE_FILE, project / HISTORY_FILE)
    return next((file for file in files if file.is_file()), None)


def read_baseline_sessions(file: Path, progress: ConsoleProgress) -> list[Session]:
    """Return the sessions of a baseline. Raises `UsageError` if there is none, and `HistoryError` for a damaged file."""
    if not os.path.lexists(file):
        raise UsageError(f"there is no baseline {file}", "Make one: navitas baseline add RECORDING…")
    if file.is_dir():
        sessions = [read_session(path, progress) for path in session_paths(file)]
        check_distinct(sessions)
        return sessions
    sessions = read_baseline(file) if _is_text(file) else read_sessions(file)
    check_distinct(sessions)
    if not sessions:
        raise UsageError(f"{file} has no sessions", "Add some: navitas baseline add RECORDING…")
    return sessions


def add_to_baseline(file: Path, paths: Sequence[Path], progress: ConsoleProgress) -> list[bool]:
    """Add sessions to a baseline, which is created if it is missing. Adds all or none. Returns for each whether it is new.

    Raises `UsageError` for a session that is no reference (`check_addable`).
    """
    sessions = [read_session(path, progress) for path in paths]
    for session in sessions:
        check_storable(session)
        check_addable(session)
    if not file.is_dir() and not _is_text(file):
        return add_sessions(file, sessions)
    has_sessions = os.path.lexists(file) and (not file.is_dir() or any(file.iterdir()))
    kept = read_baseline_sessions(file, progress) if has_sessions else []
    added = []
    for path, session in zip(paths, sessions, strict=True):
        is_new = not any(is_same(session, other) for other in kept)
        added.append(is_new)
        if is_new:
            kept.append(session)
            if file.is_dir():
                _copy_report(path, file / f"{session.created_utc.replace(':', '')}-{len(kept)}.json")
    if not file.is_dir():
        write_sessions(file, kept)
    return added


def remove_from_baseline(file: Path, removed: Sequence[Session]) -> None:
    """Remove sessions. Raises `UsageError` for a recording in a folder, which is never removed."""
    if file.is_dir():
        paths = [Path(session.name) for session in removed]
        if recordings := [path for path in paths if path.is_dir()]:
            raise UsageError(f"{recordings[0]} is a recording, which is never removed", "Remove it yourself.")
        for path in paths:
            path.unlink()
    elif _is_text(file):
        write_sessions(file, [kept for kept in read_baseline(file) if not any(is_same(kept, other) for other in removed)])
    else:
        with open_history(file, write=True) as history:
            history.remove(removed)


def write_sessions(file: Path, sessions: Sequence[Session]) -> None:
    """Write a baseline as JSON."""
    text = baseline_text(sessions)
    write_to(file, lambda out: out.write(text))


def _is_text(file: Path) -> bool:
    return file.suffix.lower() == ".json"


def _copy_report(path: Path, file: Path) -> None:
    if is_recording(path):
        profile = load_profile(path)
        write_to(file, lambda out: json_report.write(profile, out))
    else:
        shutil.copyfile(path, file)
