"""Checks the paths of recordings and reports before a command starts its work."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.cli.files import STDOUT, check_files
from navitas.cli.options import ReportOptions
from navitas.cli.paths import file_of_recording
from navitas.errors import UsageError
from navitas.recording.layout import is_file_of


def check_outputs(options: ReportOptions, recording: Path | None = None) -> None:
    """Raise `UsageError` for outputs that overwrite each other or a file of the recording, which need not exist yet."""
    files = options.paths
    check_files(files)
    if recording is None:
        return
    folder = Path(os.path.realpath(recording))
    for path in files:
        real = path if path == STDOUT else Path(os.path.realpath(path))
        if real == folder:
            raise UsageError(f"{path} is the recording's folder", "name a file, for example in this folder")
        if is_file_of(folder, real):
            raise file_of_recording(path)
