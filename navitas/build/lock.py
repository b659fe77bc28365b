"""One build of a project at a time: two at once would write into each other's outputs."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_S = 0.1


@contextmanager
def project_lock(project: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the project's folder; `on_wait` is called once if another profiling holds it, which is then waited for.

    The lock (flock(2) on the folder itself) leaves no file and ends with this process. Where there are no such locks, or no
    such folder, nothing is held.
    """
    try:
        handle = os.open(project, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        if not _try(handle):
            on_wait()
            while not _try(handle):
                time.sleep(_LOOK_S)
        yield
    finally:
        os.close(handle)


def _try(handle: int) -> bool:
    """Take the lock if nobody has it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno != errno.EWOULDBLOCK
    return True
