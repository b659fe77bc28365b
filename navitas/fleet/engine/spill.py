"""Folders for what a process does not keep in memory: one each, and those of processes that were killed are removed."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def own_folder(spill: Path) -> Path:
    """Where this process may spill, within a folder that processes share; it is not made."""
    for folder in spill.glob("*/"):
        with contextlib.suppress(ValueError, PermissionError):
            try:
                os.kill(int(folder.name), 0)
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)
    return spill / str(os.getpid())


def forget(folder: Path) -> None:
    """Remove a process's folder, and the shared one if it was the last."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):  # another process spills there, or nothing was ever spilled
        folder.parent.rmdir()
