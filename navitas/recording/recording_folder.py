"""The folder of a recording: whether one may be written there, its lock, and what is removed before. Loads no library."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from navitas.base.errors import RecordingError, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.new_files import is_leftover, remove_leftovers
from navitas.recording.layout import LOCK_NAME, MANIFEST_NAME, MAX_MANIFEST_BYTES, POWER_PROFILE_NAME, RESERVE_NAME
from navitas.recording.raw import read_json

_CHANGE_S = 5.0
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The errors of a full disk."""


@contextmanager
def reserve_folder(root: Path) -> Iterator[FolderLock]:
    """Lock a recording's folder for this process before anything is written there. Creates the folder if needed.

    At the end, removes new folders that are still empty. Raises `RecordingError` if another profiling is writing there,
    or the folder contains anything but a recording.
    """
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    lock = FolderLock(root / LOCK_NAME)
    try:
        acquire(root, lock)
        _holds_recording(root)
        yield lock
    finally:
        lock.release()
        with suppress(OSError):  # not empty
            for folder in made:
                folder.rmdir()


def acquire(root: Path, lock: FolderLock) -> None:
    """Create a recording's folder if needed, and take its lock. Raises `RecordingError`."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        locked = lock.acquire()
    except OSError as error:
        raise write_error(root, error) from error
    if not locked:
        number = lock.holder()
        who = f"another profiling (process {number})" if number else "another profiling"
        raise RecordingError(f"{root}: {who} is writing a recording here", "Wait for its end, or choose another folder with -o.")


@contextmanager
def lock_for_change(root: Path) -> Iterator[None]:
    """Lock an existing recording for this process while it changes, and remove leftovers of killed processes.

    Waits for another change to end, but not for a profiling. Raises `RecordingError` if another process keeps the lock.
    """
    lock = FolderLock(root / LOCK_NAME)
    try:
        free = lock.wait(limit_s=_CHANGE_S)
    except OSError as error:
        raise write_error(root, error) from error
    if not free:
        message = f"{root}: another profiling (process {lock.holder() or '?'}) is writing a recording here"
        raise RecordingError(message, "Wait for its end, and try again.")
    try:
        remove_leftovers(root)
        yield
    finally:
        lock.release()


def write_error(root: Path, error: OSError) -> RecordingError:
    """Return the error for a recording that cannot be written."""
    message = f"{root}: cannot write a recording here: {error.strerror or error}"
    if error.errno in FULL:
        return RecordingError(message, "Free some space, or choose a folder on another disk with -o.")
    return RecordingError(message, "Choose another folder with -o.")


def check_not_recorded(root: Path | None, *, replace: bool | None) -> None:
    """Raise `UsageError` if the folder contains a recording, unless `replace` is set. None: the command cannot replace one."""
    if root is not None and not replace and (root / MANIFEST_NAME).exists():
        remedy = "remove this one" if replace is None else "add --replace"
        raise UsageError(f"{root} already contains a recording", f"Name another folder with -o, or {remedy}.")


def check_writable(root: Path) -> None:
    """Check that a recording can be written at `root`, without leaving anything there. Raises `RecordingError`."""
    try:
        place = root
        while not place.exists():
            place = place.parent
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"navitas")
            probe.flush()
        if any(len(os.fsencode(part)) > os.pathconf(place, "PC_NAME_MAX") for part in root.parts):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    except OSError as error:
        raise write_error(root, error) from error


def _holds_recording(root: Path) -> bool:
    """Return whether `root` contains an older recording; false if it is empty. Raises `RecordingError` for anything else."""
    if all(path.name in (LOCK_NAME, RESERVE_NAME) or is_leftover(path) for path in root.iterdir()):
        return False
    raw = None
    if (root / MANIFEST_NAME).is_file():  # reading from a pipe would block
        with suppress(RecordingError):
            raw = read_json(root / MANIFEST_NAME, "", MAX_MANIFEST_BYTES)
    if not isinstance(raw, dict) or "navitas_version" not in raw:
        raise RecordingError(
            f"{root}: the folder is not empty and contains no recording, so nothing is written there",
            "Choose a new or empty folder with -o, or empty this one.",
        )
    return True


def clear(root: Path) -> None:
    """Remove an older recording's files from `root`. Raises `RecordingError` as `_holds_recording` does."""
    is_recording = _holds_recording(root)
    remove_leftovers(root)
    if not is_recording:
        return
    for folder in ("maps", "runs"):
        if (root / folder).is_symlink():  # the link's target is not part of the recording, so it stays unchanged
            (root / folder).unlink()
        elif (root / folder).is_dir():
            shutil.rmtree(root / folder)
    for name in (POWER_PROFILE_NAME, f"{MANIFEST_NAME}.part", MANIFEST_NAME):
        (root / name).unlink(missing_ok=True)
