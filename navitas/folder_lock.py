"""A lock that ends with the process that holds it, however that ends."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

from navitas.regular_files import read_regular

_LONGEST_NUMBER = 32
_LOOK_S = 0.1
# Some network file systems know no such locks: there the folder is not guarded.
_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


def try_lock(handle: int) -> bool:
    """Take the lock of an open file (flock(2)); false when another process has it. Raises `OSError` where there are none."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            return False
        raise
    return True


def share_lock(handle: int) -> None:
    """Take the lock of an open file together with others that share it, or turn one's own into a shared one. Raises `OSError`."""
    fcntl.flock(handle, fcntl.LOCK_SH)


class FolderLock:
    """An advisory lock on a file that is there while it is held, and names the process that holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock; false when another process has it. Raises `OSError` when the file cannot be made."""
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
                with contextlib.suppress(OSError):  # a full disk: the lock holds without its holder's number
                    os.ftruncate(handle, 0)
                    os.write(handle, b"%d\n" % os.getpid())
            else:  # its holder has removed it between our opening and locking it
                os.close(handle)
        return True

    def wait(self, on_wait: Callable[[str], None] = lambda holder: None, limit_s: float = float("inf")) -> bool:
        """Take the lock. If it is held, call `on_wait` with the holder's number, once, and wait for its release.

        False when `limit_s` has passed. Raises `OSError` as `acquire`.
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
        """The number of the process that holds the lock, as it says itself; empty when that cannot be read."""
        with contextlib.suppress(OSError, ValueError):
            return str(int(read_regular(self._path, _LONGEST_NUMBER)))
        return ""

    def release(self) -> None:
        """Remove the file and give the lock up; nothing happens when it is not held."""
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
