"""Reads sessions from recordings and JSON reports."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from navitas.analyze.profile import Profile
from navitas.cli.analysis import load_profile
from navitas.cli.messages import warning
from navitas.compare.session import Session, parse_session
from navitas.errors import UsageError
from navitas.recording.layout import MANIFEST_NAME
from navitas.regular_files import read_regular
from navitas.report import json_report
from navitas.untrusted_text import printable_list

_MAX_BYTES = 1 << 30


def session_paths(path: Path) -> list[Path]:
    """Return a recording or report itself, or those in a folder. Raises `UsageError` if a folder has none."""
    if not path.is_dir() or _is_recording(path):
        return [path]
    entries = sorted(path.iterdir())
    found = [one for one in entries if _is_recording(one) or (one.suffix.lower() == ".json" and one.is_file())]
    if not found:
        raise UsageError(f"{path} has no recordings and no JSON reports", "Give a recording, a JSON report, or a folder of them.")
    skipped = [one.name for one in entries if one.is_dir() and one not in found]
    if skipped:
        warning(f"{path}: skipped, since they are no recordings: {printable_list(skipped, 5)}")
    return found


def read_session(path: Path, stage: Callable[[str], None] = lambda text: None) -> Session:
    """Return the session of a recording or JSON report. Raises the errors of `navitas.load` and of `parse_session`."""
    if not path.is_dir():
        return parse_session(read_regular(path, _MAX_BYTES), str(path))
    return session_of(load_profile(path, stage=stage), str(path))


def session_of(profile: Profile, name: str) -> Session:
    """Return the session of an analyzed recording, as its JSON report has it."""
    text = io.StringIO()
    json_report.write(profile, text)
    return parse_session(text.getvalue(), name)


def _is_recording(path: Path) -> bool:
    return (path / MANIFEST_NAME).is_file()
