"""Open only regular files for reading. Reading a pipe may block, and reading a device may never end."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import stat
from pathlib import Path

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How texts in UTF-16 begin."""
# If a pipe replaces the file between the two checks, opening does not block. A terminal does not become the controlling one.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PIECE_BYTES = 1 << 20
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def is_url(text: str) -> bool:
    """Whether a text is a URL, such as `s3://bucket/samples` or `https://example.org/samples.jsonl`, and no path."""
    return bool(_URL.match(text))


def check_regular(path: Path) -> os.stat_result:
    """Return the status of a regular file or of a link to one. Raises `OSError` that names the kind of anything else."""
    status = path.stat()
    _refuse_others(path, status)
    return status


def open_regular(path: Path) -> io.BufferedReader:
    """Open a regular file, or a link to one, for reading bytes. Raises `OSError` that names the kind of anything else."""
    check_regular(path)  # opening a device may start an action
    handle = os.open(path, _FLAGS)
    try:
        _refuse_others(path, os.fstat(handle))
        return io.BufferedReader(io.FileIO(handle, "rb"))
    except BaseException:
        os.close(handle)
        raise


def read_regular(path: Path, limit_bytes: int) -> bytes:
    """Return all bytes of a regular file.

    Raises `OSError` as `open_regular` does, and for a file larger than the limit before it is read.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        # Not `limit_bytes`: Python reserves memory for the whole requested size, however small the file is.
        data = file.read(size + 1) if size <= limit_bytes else b""
        while size <= limit_bytes and len(data) <= limit_bytes and (more := file.read(_PIECE_BYTES)):
            data += more  # the file grows, or is a kernel file, whose size is 0
    if max(size, len(data)) > limit_bytes:
        raise OSError(errno.EFBIG, f"larger than {_size(limit_bytes)}", str(path))
    return data


def as_utf8(text: bytes) -> bytes:
    """Return a file's text as UTF-8 without a byte-order mark. PowerShell's `>` writes UTF-16."""
    if text.startswith(UTF16_MARKS):
        return text.decode("utf-16", "replace").encode()
    return text.removeprefix(codecs.BOM_UTF8)


def _refuse_others(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(number, f"{kind}, not a regular file", str(path))


def _size(limit_bytes: int) -> str:
    return f"{limit_bytes >> 20} MiB" if limit_bytes >= 1 << 20 else f"{limit_bytes:,} bytes"
