"""Check a file of block edits before the instrumenter starts (docs/dev/formats.md, "Block edits")."""

from __future__ import annotations

from pathlib import Path

from navitas.errors import UsageError
from navitas.regular_files import read_regular

_MAX_BYTES = 16 << 20
_FIELDS = {"remove": 4, "repeat": 5}


def check_block_edits(path: Path) -> None:
    """Raise `UsageError` that names the file, and the first line that is no edit. The instrumenter checks what edits name."""
    try:
        lines = read_regular(path, _MAX_BYTES).decode("utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Name a file of block edits.") from error
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text in UTF-8", "Name a file of block edits.") from None
    for number, line in enumerate(lines, start=1):
        fields = line.split("\t")
        if line and len(fields) != _FIELDS.get(fields[0]):
            what = "a line is remove or repeat, a class, a method, a block, and for repeat a number, separated by tabs"
            raise UsageError(f"{path}:{number}: {what}", "Correct the line.")
