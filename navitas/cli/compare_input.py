"""The sessions that `navitas compare` compares: recordings, JSON reports, and folders of them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from navitas.analyze.profile import Profile
from navitas.cli.files import STDOUT
from navitas.cli.messages import warning
from navitas.cli.paths import input_name
from navitas.cli.progress import ConsoleProgress
from navitas.cli.reporting import load_profile
from navitas.compare.session import Session, parse_session
from navitas.errors import UsageError
from navitas.recording.layout import MANIFEST_NAME
from navitas.regular_files import as_utf8, read_regular
from navitas.report import json_report
from navitas.untrusted_text import printable_list

_MAX_BYTES = 1 << 30


def session_paths(side: Path) -> list[Path]:
    """A recording or report, or those in a folder. Raises `UsageError` if there is none."""
    if not side.is_dir() or is_recording(side):
        return [side]
    entries = sorted(side.iterdir())
    found = [one for one in entries if is_recording(one) or (one.suffix.lower() == ".json" and one.is_file())]
    if not found:
        raise UsageError(f"{side} has no recordings and no JSON reports", "Give a recording, a JSON report, or a folder of them.")
    skipped = [one.name for one in entries if one.is_dir() and one not in found]
    if skipped:
        warning(f"{side}: skipped, since they are no recordings: {printable_list(skipped, 5)}")
    return found


def check_output(file: Path | None, inputs: Sequence[Path]) -> None:
    """Raise `UsageError` if the JSON would replace an input, or be one the next time."""
    if file is not None and file != STDOUT and {file.resolve(), file.resolve().parent} & {one.resolve() for one in inputs}:
        raise UsageError(f"--json {file} is among the recordings to compare", "Write it to another folder.")


def is_recording(path: Path) -> bool:
    """Whether a path is that of a recording."""
    return (path / MANIFEST_NAME).is_file()


def read_session(path: Path, progress: ConsoleProgress) -> Session:
    """Read a recording or a JSON report. Raises the errors of `navitas.load` and `parse_session`."""
    if not path.is_dir():
        return parse_session(as_utf8(read_regular(path, _MAX_BYTES)), input_name(path))
    return session_of(load_profile(path, stage=progress.stage), str(path))


def session_of(profile: Profile, name: str) -> Session:
    """Return the session of an analyzed recording, as its JSON report has it."""
    text = io.StringIO()
    json_report.write(profile, text)
    return parse_session(text.getvalue(), name)
