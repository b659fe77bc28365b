"""Temporary folders of one process. If the process is killed, the next process that creates such a folder removes it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.base.folder_lock import try_lock

_OWNER = "owner"
_MIN_AGE_S = 60.0


@contextmanager
def owned_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """Create a folder (in `parent`, or the temp folder) that only this user can enter, and remove it at the end of the block.

    First removes folders with this prefix that killed processes have left.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_abandoned(prefix, parent)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    owner = mark_in_use(folder)
    try:
        yield folder
    finally:
        try:
            remove(folder)
        finally:
            os.close(owner)


def remove(folder: Path) -> None:
    """Remove a folder, its mark last. If this process is killed meanwhile, the next one recognizes the rest as abandoned."""
    with contextlib.suppress(OSError):
        for part in list(folder.iterdir()):
            if part.is_dir() and not part.is_symlink():
                shutil.rmtree(part, ignore_errors=True)
            elif part.name != _OWNER:
                part.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def mark_in_use(folder: Path) -> int:
    """Mark a folder as in use. Returns a descriptor that holds the mark until it is closed or this process ends."""
    handle = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):  # on a file system without locks, only the folder's age protects it
        try_lock(handle)
    return handle


def is_marked(folder: Path) -> bool:
    """Whether `owned_folder` created a folder. It may be in use or abandoned."""
    return (folder / _OWNER).is_file()


def remove_abandoned(prefix: str, parent: Path) -> None:
    """Remove folders that no process uses. Folders of other users and very new folders stay."""
    for folder in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if _is_abandoned(folder):
                remove(folder)


def _is_abandoned(folder: Path) -> bool:
    info = folder.lstat()
    # A new folder has no mark yet. If the clock was set back, a folder looks newer than it is, which is safe.
    if info.st_uid != os.getuid() or time.time() - info.st_mtime < _MIN_AGE_S:
        return False
    try:
        handle = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:  # of another program, unless the process was killed before it marked the folder
        return not any(folder.iterdir())
    try:
        return try_lock(handle)
    finally:
        os.close(handle)
