"""Write files atomically, and never through a link.

This is the only way to write a file that others read. A new file with a random name is written next to the target and
then renamed. If the target is a link, the link's own target does not change. A replaced file keeps its permissions, and
its owner and group if this user may set them. If the group cannot be kept, the group loses access. After a failure, the
old content remains, no partial file is left, and the `OSError` names the target. Only a killed process leaves its
unfinished file, which `remove_leftovers` finds. Folders must exist.

Raw files of a recording are the exception: they are written in place, to keep the data from before a failure.
"""

from __future__ import annotations

import io
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_TOKEN_BYTES = 8
_LEFTOVER = re.compile(rf"\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.part", re.ASCII)
_BUFFER_BYTES = 1 << 18
_ABANDONED_S = 3600.0
_OWN_MODE, _USUAL_MODE = 0o600, 0o666
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def unfinished_path(target: Path) -> Path:
    """Return a random new name in the same folder, for unfinished content. No file has it, and no one can guess it."""
    return target.with_name(f".{os.urandom(_TOKEN_BYTES).hex()}.part")


def write_new(path: Path, data: bytes | str, *, durable: bool = False, private: bool = False) -> None:
    """Write a complete file (text as UTF-8). Replaces a file or link with this name. Raises `OSError`.

    `durable` and `private` are as in `new_file`.
    """
    with new_file(path, durable=durable, private=private) as out:
        out.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def new_file(target: Path, *, shown: Path | None = None, durable: bool = False, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a stream to a new file that replaces the target when the block ends. After an exception, nothing has changed.

    `durable`: the data is on the disk when the block has ended. `private`: only the owner can read the file, unless it
    replaces a file. Errors name `shown` if given. Raises `OSError`.
    """
    name = target if shown is None else shown
    with _renamed(target, name, durable=durable, private=private) as (_, handle), named_stream(handle, name) as out:
        yield out


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield the path of an empty file, for a library that opens files itself; otherwise as `new_file`. Raises `OSError`."""
    with _renamed(target, target) as (part, handle):
        os.close(handle)
        yield part


def named_stream(handle: int, shown: Path) -> IO[bytes]:
    """Return a stream that owns an open file and whose errors name `shown`."""
    return io.BufferedWriter(_NamedFile(handle, shown), _BUFFER_BYTES)


@contextmanager
def naming(shown: Path) -> Iterator[None]:
    """Make each `OSError` of the block name this file."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(shown), None
        raise


def is_leftover(path: Path) -> bool:
    """Whether a file's name is that of an unfinished file: its process is still writing it, or was killed."""
    return _LEFTOVER.fullmatch(path.name) is not None


def remove_leftovers(folder: Path) -> None:
    """Remove unfinished files in a folder and its subfolders. Only for folders that no other process writes to."""
    for place, _, names in os.walk(folder):
        _remove(filter(is_leftover, (Path(place, name) for name in names)))


def remove_abandoned(folder: Path) -> None:
    """Remove unfinished files that are older than an hour. For folders that other processes write small files to."""
    with suppress(OSError):
        _remove(filter(_is_old, filter(is_leftover, list(folder.iterdir()))))


def _is_old(path: Path) -> bool:
    with suppress(OSError):  # Another process may have removed it.
        return time.time() - path.lstat().st_mtime > _ABANDONED_S
    return False


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):  # The others can still be removed.
            path.unlink(missing_ok=True)


@contextmanager
def _renamed(target: Path, shown: Path, *, durable: bool = False, private: bool = False) -> Iterator[tuple[Path, int]]:
    """Yield a new file's path and open descriptor, which the block closes. Then rename the file."""
    part = unfinished_path(target)
    replaced = _replaced(target)
    try:
        with naming(shown):
            handle = os.open(part, _NEW, _OWN_MODE if private or replaced is not None else _USUAL_MODE)
        yield part, handle
        with naming(shown):
            if replaced is not None:
                _permit(part, replaced)
            if durable:
                to_disk(part)
            part.replace(target)
            if durable:
                to_disk(target.parent)
    finally:
        with suppress(OSError):  # the file may not exist
            part.unlink(missing_ok=True)


def _replaced(target: Path) -> os.stat_result | None:
    """Return the status of the regular file with the target's name, or None."""
    with suppress(OSError):
        info = target.lstat()
        return info if stat.S_ISREG(info.st_mode) else None
    return None


def _permit(part: Path, replaced: os.stat_result) -> None:
    """Copy the permissions of the replaced file, as far as this user may."""
    mode, made = stat.S_IMODE(replaced.st_mode) & 0o777, part.stat()
    with suppress(PermissionError):  # some file systems have no permissions
        if (made.st_uid, made.st_gid) != (replaced.st_uid, replaced.st_gid):
            try:
                os.chown(part, replaced.st_uid, replaced.st_gid)
            except PermissionError:
                mode &= ~stat.S_IRWXG if made.st_gid != replaced.st_gid else mode
        part.chmod(mode)


def to_disk(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk. Raises `OSError`."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _NamedFile(io.FileIO):
    """An open file whose errors name it. Errors of the system's `write` and `close` do not."""

    def __init__(self, handle: int, shown: Path) -> None:
        super().__init__(handle, "wb")
        self._shown = shown

    def write(self, data: object) -> int:
        with naming(self._shown):
            return super().write(data)  # type: ignore[arg-type]

    def close(self) -> None:
        with naming(self._shown):  # some file systems report a full disk only on close
            super().close()
