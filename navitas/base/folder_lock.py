"""A lock that the system releases when its process ends, however it ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from navitas.base.regular_files import read_regular

_LONGEST_NUMBER = 32
_LOOK_S = 0.1
# Some network file systems do not support flock. The folder has no lock there.
_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


def try_lock(handle: int) -> bool:
    """Lock an open file (flock(2)). Returns false if another process holds the lock.

    Raises `OSError` on file systems without locks.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            return False
        raise
    return True


def share_lock(handle: int) -> None:
    """Take a shared lock on an open file, or convert an exclusive lock to a shared one. Raises `OSError`."""
    fcntl.flock(handle, fcntl.LOCK_SH)


class FolderLock:
    """An advisory lock on a file that exists while the lock is held, and that contains the holder's process id."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock. Returns false if another process holds it. Raises `OSError` if the file cannot be created."""
        while self._handle is None:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
            try:
                if not try_lock(handle):
                    os.close(handle)
                    return False
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    os.close(handle)
                    raise
            if self._is_there(handle):
                self._handle = handle
                with contextlib.suppress(OSError):  # on a full disk, the lock works without the process id
                    os.ftruncate(handle, 0)
                    os.write(handle, b"%d\n" % os.getpid())
            else:  # the previous holder removed the file after this process opened it
                os.close(handle)
        return True

    def wait(self, on_wait: Callable[[str], None] = lambda holder: None, limit_s: float = float("inf")) -> bool:
        """Take the lock. If it is held, call `on_wait` once with the holder's process id and wait for its release.

        Returns false if `limit_s` has passed. Raises `OSError` as `acquire` does.
        """
        if self.acquire():
            return True
        on_wait(self.holder())
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            time.sleep(_LOOK_S)
            if self.acquire():
                return True
        return False

    def holder(self) -> str:
        """Return the process id that the holder wrote, or an empty string if it cannot be read."""
        with contextlib.suppress(OSError, ValueError):
            return str(int(read_regular(self._path, _LONGEST_NUMBER)))
        return ""

    def release(self) -> None:
        """Remove the file and release the lock. Does nothing if the lock is not held."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None

    def _is_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), self._path.stat())
        except FileNotFoundError:
            return False
