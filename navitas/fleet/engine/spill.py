"""Folders for data that does not fit into memory: one for each process. Folders of killed processes are removed."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def process_folder(spill: Path) -> Path:
    """The folder of this process within the shared folder `spill`. It is not created."""
    for folder in spill.glob("*/"):
        with contextlib.suppress(ValueError, PermissionError):
            try:
                os.kill(int(folder.name), 0)
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)
    return spill / str(os.getpid())


def remove_folder(folder: Path) -> None:
    """Remove a process's folder, and the shared folder if it is then empty."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):  # Another process uses it, or it never existed.
        folder.parent.rmdir()
