"""Problems that the runtime inside the app reports: lines on standard error, which is the log on a phone."""

from __future__ import annotations

import re
from pathlib import Path

_MARK = b"navitas: ["
_NOTE = re.compile(rb"navitas: \[(\w{1,40})\] ([^\r\n]*)")
_OF_MISSING_DATA = frozenset((b"recording_stopped", b"not_recording", b"records_lost", b"thread_stopped", b"blocks_uncounted"))
_MAX_NOTES = 20


def runtime_notes(logcat: Path) -> list[str]:
    """Return each note about missing data once, by code (docs/dev/formats.md). Empty without a log."""
    notes: dict[str, None] = {}
    try:
        with logcat.open("rb") as lines:
            for line in lines:
                if _MARK in line and (match := _NOTE.search(line)) and match[1] in _OF_MISSING_DATA and len(notes) < _MAX_NOTES:
                    notes[match[2].decode("utf-8", "replace")[:400]] = None
    except FileNotFoundError:
        pass
    return list(notes)
