"""Making files where somebody else may have put a link or a file of that name before: neither is written to."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_TOKEN_BYTES = 8


def aside(target: Path) -> Path:
    """A new name beside a file, to be written and then renamed: nobody's file has it, and nobody can guess it."""
    return target.with_name(f".{secrets.token_hex(_TOKEN_BYTES)}.part")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that takes the place of whatever has this name; where that is a link, what it leads to stays. OSError."""
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
