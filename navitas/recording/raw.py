"""Reading a recording's files without trusting their size."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from navitas.errors import RecordingError
from navitas.regular_files import open_regular, read_regular

LONGEST_LINE = 1 << 20
_AGAIN = "Copy the recording again, or record again."


def read_json(path: Path, what: str, limit_bytes: int) -> Any:
    """A JSON file's content. RecordingError when it cannot be read, is no JSON or is larger than the limit."""
    try:
        return json.loads(read_regular(path, limit_bytes))
    except OSError as error:
        raise RecordingError(f"{path}: {what}unreadable: {error.strerror or error}", _AGAIN) from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{path}: {what}unreadable: {error}", _AGAIN) from error


def read_lines(path: Path) -> Iterator[str]:
    """A text file's lines with their ends, in any bytes; longer ones than 1 MiB in pieces. RecordingError when unreadable."""
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8", errors="replace") as file:
            while line := file.readline(LONGEST_LINE):
                yield line
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror}", "Check the recording's files.") from error
