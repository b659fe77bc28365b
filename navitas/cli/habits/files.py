"""Writes the output files of commands, and the option `--json FILE`: one document with a `schema_version`."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from navitas.base.errors import UsageError
from navitas.base.new_files import named_stream, naming, new_file
from navitas.base.untrusted_text import ESCAPED_SURROGATE, without_surrogates
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import WRITE_ANY_NAME

STDOUT = Path("-")
SCHEMA_VERSION = 1
"""The version of documents that don't define their own."""
_READER_TIMEOUT_S, _POLL_S = 5.0, 0.05


def check_distinct(files: Sequence[Path]) -> None:
    """Raise `UsageError` for files that overwrite each other. Call it before the work."""
    if len({path if path == STDOUT else Path(os.path.realpath(path)) for path in files}) < len(files):
        raise UsageError("two reports would go to the same file", "name a file for each")


def write_to(path: Path, render: Callable[[IO[Any]], object], *, binary: bool = False) -> None:
    """Call `render` with a text stream, or a binary stream, that writes to a file, a pipe or standard output (`-`).

    Regular files, and the targets of links, are replaced atomically. An `OSError` from opening, writing or renaming the file
    has the path that the user gave. Other errors of `render` are not changed.
    """
    if path == STDOUT:
        sys.stdout.flush()
        render(sys.stdout.buffer if binary else sys.stdout)
        return
    with _opened_output(path) as raw:
        if binary:
            render(raw)
            return
        with io.TextIOWrapper(raw, encoding="utf-8") as out:
            render(out)


@contextmanager
def _opened_output(path: Path) -> Iterator[IO[bytes]]:
    if path.exists() and not path.is_file():  # Pipes and devices, such as /dev/stdout, are opened, not replaced.
        with named_stream(_open_pipe_or_device(path), path) as out:
            yield out
        return
    target = Path(os.path.realpath(path))
    with new_file(target, shown=path) as out:
        yield out


def _open_pipe_or_device(path: Path) -> int:
    """Open a pipe or device for writing. Waits a few seconds for the reader of a pipe, then raises `UsageError`."""
    end = time.monotonic() + _READER_TIMEOUT_S
    while True:
        try:
            with naming(path):
                handle = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO or not path.is_fifo():
                raise
            if time.monotonic() >= end:
                raise UsageError(f"{path}: no process reads this pipe", "start its reader first, or name a file") from error
            time.sleep(_POLL_S)
            continue
        os.set_blocking(handle, True)
        return handle


json_option = option(
    "--json", "json_file", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="Write JSON ('-': stdout)."
)


def write_json(path: Path | None, **content: object) -> bool:
    """Write a command's result, if a file was named. Returns whether standard output is free for text."""
    if path is not None:
        write_document(path, {"schema_version": SCHEMA_VERSION, **content})
    return path != STDOUT


def write_document(path: Path, document: object) -> None:
    """Write a JSON document in ASCII, so that characters that steer a terminal or turn text are escapes."""
    encode = json.JSONEncoder(indent=2, allow_nan=False).encode
    text = encode(document)
    text = encode(without_surrogates(document)) if ESCAPED_SURROGATE in text else text
    write_to(path, lambda out: print(text, file=out))
