"""Read the text of CSV files that users name."""

from __future__ import annotations

from pathlib import Path

from navitas.errors import UsageError
from navitas.regular_files import UTF16_MARKS, read_regular


def read_csv(path: Path, max_bytes: int) -> str:
    """Return a file's text. Raises `UsageError` if it cannot be read, is empty, or is UTF-16 as spreadsheets export it."""
    try:
        data = read_regular(path, max_bytes)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "Check the path.") from error
    if not data.strip():
        raise UsageError(f"{path}: is empty", "Check the path, or export the file again.")
    if data.startswith(UTF16_MARKS) or b"\0" in data:
        raise UsageError(f"{path}: is not UTF-8 text, but UTF-16 or binary", "Save it as CSV in UTF-8.")
    return data.decode("utf-8-sig", "replace")
