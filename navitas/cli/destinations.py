"""Where reports may go; known to be right before anything is recorded or analysed."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.cli.files import STDOUT, check_files
from navitas.cli.options import ReportOptions
from navitas.errors import UsageError
from navitas.recording.writer import LOCK_NAME, MANIFEST_NAME, POWER_PROFILE_NAME, RESERVE_NAME

_RECORDED = (MANIFEST_NAME, POWER_PROFILE_NAME, "maps", "runs", LOCK_NAME, RESERVE_NAME)


def check_free(recording: Path | None, *, replace: bool) -> None:
    """Refuse to write over a recording that is not to be replaced. `UsageError`."""
    if recording is not None and not replace and (recording / MANIFEST_NAME).exists():
        raise UsageError(f"{recording} holds a recording already", "Name another folder with -o, or add --replace.")


def check_outputs(options: ReportOptions, recording: Path | None = None) -> None:
    """Refuse outputs that would overwrite each other or a file of the recording, before any work is done."""
    files = options.paths
    check_files(files)
    if recording is None:
        return
    folder, *raw = [Path(os.path.realpath(recording / name)) for name in ("", *_RECORDED)]
    for path in files:
        real = path if path == STDOUT else Path(os.path.realpath(path))
        if real == folder:
            raise UsageError(f"{path} is the recording's folder", "name a file in it, or beside it")
        if any(real.is_relative_to(kept) for kept in raw):
            raise UsageError(f"{path} is a file of the recording", "Name another file: a recording is never changed.")
