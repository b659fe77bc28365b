"""A file with the events that use an app: one `input` command of Android's shell in each line, and pauses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from navitas.errors import UsageError
from navitas.regular_files import read_regular

_NUMBER = r"[0-9]{1,6}(?:\.[0-9]{1,6})?"
_EVENTS = {
    "tap": (2, 2, _NUMBER, "tap X Y"),
    "swipe": (4, 5, _NUMBER, "swipe X1 Y1 X2 Y2 [MS]"),
    "keyevent": (1, 100, r"[A-Z0-9_]{1,64}", "keyevent KEY…"),
    "text": (1, 1, r"[ -~]{1,1000}", "text 'TEXT'"),
    "sleep": (1, 1, _NUMBER, "sleep SECONDS"),
}
"""The least and most words after each event's name, their pattern, and how to write it."""
_MAX_BYTES = 1 << 20
_MOST_CHARACTERS = 60_000
"""A command and what Navitas adds must fit into one request of adb, of 65,535 bytes."""


def read_input_script(path: Path) -> str:
    """Return the command line for the device's shell that sends the events of a file one after the other.

    Source of the commands: AOSP's InputShellCommand. Raises `UsageError` with the line that is not an event.
    """
    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", f"give a text file of at most {_MAX_BYTES >> 20} MiB") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not text in UTF-8", "save it as UTF-8") from None
    commands = [_command(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    found = [command for command in commands if command]
    if not found:
        raise UsageError(f"{path}: it has no events", f"write one in each line: {', '.join(how for *_, how in _EVENTS.values())}")
    line = " && ".join(found)
    if len(line) > _MOST_CHARACTERS:
        most = f"its commands have {len(line):,} characters, and adb takes {_MOST_CHARACTERS:,}"
        raise UsageError(f"{path}: {most}", "use fewer events, or give a command with a loop after --")
    return line


def _command(path: Path, number: int, line: str) -> str:
    """Return the command of one line; empty for a line without an event."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise _wrong(path, number, f"{error}") from None
    if not words:
        return ""
    name, *rest = words
    if name not in _EVENTS:
        raise _wrong(path, number, f"{name[:100]!r} is not an event")
    least, most, pattern, how = _EVENTS[name]
    if not least <= len(rest) <= most or not all(re.fullmatch(pattern, word) for word in rest):
        raise _wrong(path, number, f"not '{how}'")
    # `input text` takes %s for a space.
    words = [name, rest[0].replace(" ", "%s")] if name == "text" else words
    return shlex.join(words if name == "sleep" else ["input", *words])


def _wrong(path: Path, number: int, why: str) -> UsageError:
    events = ", ".join(how for *_, how in _EVENTS.values())
    return UsageError(f"{path}, line {number}: {why}", f"a line is one of: {events}; or a comment after #")
