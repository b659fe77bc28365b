"""Errors of files that cannot be opened."""

from __future__ import annotations

import errno

from navitas.errors import RecordingError


def unreadable(shown: str, error: OSError) -> RecordingError:
    """Return the error for a file that the system, or `navitas.regular_files`, does not read."""
    is_other_kind = error.errno == errno.EINVAL
    remedy = "Give it as standard input: navitas import - <FILE" if is_other_kind else "Check the file."
    return RecordingError(f"{shown}: cannot be read: {error.strerror or error}", remedy)
