"""Folders that one process uses: a killed one leaves its folder, and the next process that makes such a folder removes it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.folder_lock import try_lock

_OWNER = "owner"
_MIN_AGE_S = 60.0


@contextmanager
def owned_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A new folder (in `parent`, or the temp folder) that this user alone can enter; it is gone afterwards.

    Folders of this prefix that killed processes have left are removed first.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_abandoned(prefix, parent)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    owner = own(folder)
    try:
        yield folder
    finally:
        try:
            remove(folder)
        finally:
            os.close(owner)


def remove(folder: Path) -> None:
    """Remove a folder, its mark last: where this process is killed meanwhile, the next one knows the rest for abandoned."""
    with contextlib.suppress(OSError):
        for part in list(folder.iterdir()):
            if part.is_dir() and not part.is_symlink():
                shutil.rmtree(part, ignore_errors=True)
            elif part.name != _OWNER:
                part.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def own(folder: Path) -> int:
    """Mark a folder as in use; returns the descriptor that holds the mark until it is closed or this process ends."""
    handle = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(OSError):  # a file system without locks: the folder's age alone keeps it
        try_lock(handle)
    return handle


def is_marked(folder: Path) -> bool:
    """Whether a folder is one of `owned_folder`, in use or abandoned."""
    return (folder / _OWNER).is_file()


def remove_abandoned(prefix: str, parent: Path) -> None:
    """Remove the folders that no process holds any more; those of other users and very young ones are left alone."""
    for folder in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if _is_abandoned(folder):
                remove(folder)


def _is_abandoned(folder: Path) -> bool:
    info = folder.lstat()
    # Between its making and its marking a folder has no owner; a clock that was set back makes it look younger at worst.
    if info.st_uid != os.getuid() or time.time() - info.st_mtime < _MIN_AGE_S:
        return False
    handle = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)  # without the mark it may be anybody's
    try:
        return try_lock(handle)
    finally:
        os.close(handle)
