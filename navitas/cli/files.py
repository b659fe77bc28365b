"""Files that a command writes: whole, under another name first, or to standard output."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from navitas.errors import UsageError
from navitas.new_files import aside
from navitas.regular_files import check_regular

STDOUT = Path("-")
_READER_S, _LOOK_S = 5.0, 0.05


def check_files(files: Sequence[Path]) -> None:
    """Refuse files that cannot be written, or would overwrite each other, before any work is done. UsageError."""
    for path in files:
        if not path.name and path != STDOUT:
            raise UsageError(f"'{path}' is no file name", "name a file, or - for standard output")
        if path == STDOUT and sys.stdout is None:
            raise UsageError("standard output is closed, so no report can go there", "name a file")
        if path.is_dir():
            raise UsageError(f"{path} is a folder", "name a file in it")
        if path.is_socket():
            raise UsageError(f"{path} is a socket", "name a file")
    real = [path if path == STDOUT else Path(os.path.realpath(path)) for path in files]
    if len(set(real)) < len(files):
        raise UsageError("two reports would go to the same file", "name a file for each")


def write_to(path: Path, render: Callable[[IO[Any]], None], *, binary: bool = False) -> None:
    """Write a file by `render`, which gets a text stream, or a binary one. An OSError names the file."""
    if path == STDOUT:
        sys.stdout.flush()
        render(sys.stdout.buffer if binary else sys.stdout)
        return
    try:
        _write(path, render, binary=binary)
    except OSError as error:
        if error.filename is None or Path(error.filename).parent == Path(os.path.realpath(path)).parent:
            error.filename = str(path)  # not the file aside, nor none, as where the disk is full
        raise


def _write(path: Path, render: Callable[[IO[Any]], None], *, binary: bool) -> None:
    kind, encoding = ("b", None) if binary else ("", "utf-8")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # a pipe or device: written to, never replaced
        with os.fdopen(_opened(target), f"w{kind}", encoding=encoding) as out:
            render(out)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed: a script that reads the file never sees half of it.
    part = aside(target)
    try:
        with part.open(f"x{kind}", encoding=encoding) as out:
            render(out)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _opened(target: Path) -> int:
    """A pipe or device, open to be written. A pipe's reader is waited for, but not for ever. UsageError."""
    end = time.monotonic() + _READER_S
    while True:
        try:
            handle = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() >= end:
                raise UsageError(f"{target}: nobody reads this pipe", "start its reader first, or name a file") from error
            time.sleep(_LOOK_S)
            continue
        os.set_blocking(handle, True)
        return handle


def check_regular_or_new(path: Path) -> None:
    """UsageError where something is there that is no regular file."""
    if path.exists() and not path.is_file():
        try:
            check_regular(path)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}", "name a file") from error
