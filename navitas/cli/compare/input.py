"""The sessions that commands compare: recordings, JSON reports, and folders of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import printable_list
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.messages import warning
from navitas.cli.habits.paths import input_name
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.report.reporting import load_profile
from navitas.insight.compare import versions
from navitas.insight.compare.session import Session
from navitas.report import sessions


def session_paths(side: Path) -> list[Path]:
    """As `navitas.insight.compare.versions.session_paths`. Warns of skipped folders."""
    found, skipped = versions.session_paths(side)
    if skipped:
        warning(f"{side}: skipped, since they are no recordings: {printable_list(skipped, 5)}")
    return found


def check_output(name: str, file: Path | None, inputs: Sequence[Path]) -> None:
    """Raise `UsageError` if the file of option `name` would replace an input, or be one the next time."""
    if file is not None and file != STDOUT and {file.resolve(), file.resolve().parent} & {one.resolve() for one in inputs}:
        raise UsageError(f"{name} {file} is among the recordings to compare", "Write it to another folder.")


def read_session(path: Path, progress: ConsoleProgress) -> Session:
    """As `navitas.report.sessions.read_session`, with progress, and with standard input."""
    return sessions.read_session(path, input_name(path), load=partial(load_profile, stage=progress.stage))
