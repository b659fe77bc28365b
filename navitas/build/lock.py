"""One build of a project at a time: two at once would write into each other's outputs."""

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
    """Hold a project for this process alone; `on_wait` is called once if another profiling holds it, which is then waited for.

    The lock is a file of the user's own cache folder, so another user can neither hold it nor be held up by it. Where no such
    file can be made, nothing is held. Raises `UsageError` for a cache folder that is not the user's own.
    """
    file = lock_file(project)
    lock = FolderLock(file)
    try:
        make_folder(file.parent)
        lock.wait(lambda holder: on_wait())
    except OSError:  # a home that cannot be written
        yield
        return
    try:
        yield
    finally:
        lock.release()


def lock_file(project: Path) -> Path:
    """Where a project's lock is, whatever path leads to the project."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return cache_folder() / "projects" / f"{name}.lock"
