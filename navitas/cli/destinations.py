"""Checks the paths of recordings and reports before a command starts its work."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.cli.files import STDOUT, check_files
from navitas.cli.options import ReportOptions
from navitas.errors import UsageError
from navitas.recording.writer import LOCK_NAME, MANIFEST_NAME, POWER_PROFILE_NAME, RESERVE_NAME

_RECORDING_FILES = (MANIFEST_NAME, POWER_PROFILE_NAME, "maps", "runs", LOCK_NAME, RESERVE_NAME)


def check_not_recorded(recording: Path | None, *, replace: bool) -> None:
    """Raise `UsageError` if the folder contains a recording, unless `replace` is set."""
    if recording is not None and not replace and (recording / MANIFEST_NAME).exists():
        raise UsageError(f"{recording} already contains a recording", "Name another folder with -o, or add --replace.")


def check_outputs(options: ReportOptions, recording: Path | None = None) -> None:
    """Raise `UsageError` for outputs that overwrite each other or a file of the recording."""
    files = options.paths
    check_files(files)
    if recording is None:
        return
    folder, *raw = [Path(os.path.realpath(recording / name)) for name in ("", *_RECORDING_FILES)]
    for path in files:
        real = path if path == STDOUT else Path(os.path.realpath(path))
        if real == folder:
            raise UsageError(f"{path} is the recording's folder", "name a file, for example in this folder")
        if any(real.is_relative_to(kept) for kept in raw):
            raise UsageError(f"{path} is a file of the recording", "Name another file: a recording is never changed.")
