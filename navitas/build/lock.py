"""Lock a project, so that only one build runs at a time: two would overwrite each other's outputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.folder_lock import FolderLock
from navitas.user_folders import cache_folder, make_folder


@contextmanager
def project_lock(project: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the project's lock. If another profiling holds it, call `on_wait` once, and wait.

    The lock is a file in the user's cache folder, so other users can neither hold it nor block it. If the file cannot be made,
    nothing is locked. Raises `UsageError` if the cache folder belongs to someone else.
    """
    file = lock_file(project)
    lock = FolderLock(file)
    try:
        make_folder(file.parent)
        lock.wait(lambda holder: on_wait())
    except OSError:  # a read-only home
        yield
        return
    try:
        yield
    finally:
        lock.release()


def lock_file(project: Path) -> Path:
    """Return the path of a project's lock file, the same for every path to the project."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return cache_folder() / "projects" / f"{name}.lock"
