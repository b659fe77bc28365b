"""Read a recording's files with limits on their size."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular, read_regular

LONGEST_LINE = 1 << 20
_AGAIN = "Copy the recording again, or record again."


def read_json(path: Path, what: str, limit_bytes: int) -> Any:
    """Return a JSON file's content.

    Raises `RecordingError` if the file cannot be read, is not JSON, or is larger than the limit.
    """
    try:
        return json.loads(read_regular(path, limit_bytes))
    except OSError as error:
        raise RecordingError(f"{path}: {what}unreadable: {error.strerror or error}", _AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{path}: {what}unreadable: {error}", _AGAIN) from error


@contextmanager
def readable(path: Path, remedy: str = "Check the recording's files.") -> Iterator[None]:
    """Raise `RecordingError` with the remedy if the file cannot be read."""
    try:
        yield
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror or error}", remedy) from error


def read_lines(path: Path) -> Iterator[str]:
    """Yield a text file's lines with their line ends. Replaces invalid UTF-8, and splits lines longer than 1 MiB.

    Raises `RecordingError` if the file cannot be read.
    """
    with readable(path), io.TextIOWrapper(open_regular(path), encoding="utf-8", errors="replace") as file:
        while line := file.readline(LONGEST_LINE):
            yield line
