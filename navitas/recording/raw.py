"""Reading a recording's files without trusting their size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from navitas.errors import RecordingError

LONGEST_LINE = 1 << 20
_AGAIN = "Copy the recording again, or record again."


def read_json(path: Path, what: str, limit_bytes: int) -> Any:
    """A JSON file's content. RecordingError when it cannot be read, is no JSON or is larger than the limit."""
    try:
        with path.open("rb") as file:
            data = file.read(limit_bytes + 1)
        if len(data) > limit_bytes:
            raise ValueError(f"larger than {limit_bytes >> 20} MiB")
        return json.loads(data)
    except (OSError, ValueError, RecursionError) as error:
        raise RecordingError(f"{path}: {what}unreadable: {error}", _AGAIN) from error


def read_lines(path: Path) -> Iterator[str]:
    """A text file's lines with their ends, in any bytes; longer ones than 1 MiB in pieces. RecordingError when unreadable."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            while line := file.readline(LONGEST_LINE):
                yield line
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror}", "Check the recording's files.") from error
