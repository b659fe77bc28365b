"""A file with the events that use an app: one `input` command of Android's shell in each line, and pauses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from navitas.collect.key_names import KEY_NAMES
from navitas.errors import UsageError
from navitas.regular_files import read_regular

LINE_MARK = "navitas-line:"
"""If an event fails, the command prints this, and the number of its line."""
_MAX_BYTES = 1 << 20
_MOST_CHARACTERS = 60_000
"""A command and what Navitas adds must fit into one request of adb, of 65,535 bytes."""
_MOST_KEYS = 100
_LONGEST_TEXT = 1000
_PREFIX = "KEYCODE_"


def _number(word: str) -> str:
    """Return why a word is not a number that `input` and `sleep` take; empty if it is one."""
    if re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,6})?", word):
        return ""
    return f"{word} is negative" if re.fullmatch(r"-[0-9.]+", word) else f"{word[:100]!r} is not a number of at most six digits"


def _milliseconds(word: str) -> str:
    return _number(word) or ("" if word.isdecimal() else f"{word} is not a whole number of milliseconds")


def _key(word: str) -> str:
    if word.removeprefix(_PREFIX) in KEY_NAMES or re.fullmatch(r"[0-9]{1,3}", word):
        return ""
    if word.isdecimal():
        return f"{word[:100]} is no key's number: write one of at most three digits"
    upper = word.upper().removeprefix(_PREFIX)
    known = upper if upper in KEY_NAMES else f"a name of android.view.KeyEvent, with or without {_PREFIX}, or a number"
    return f"{word[:100]!r} is an unknown key name: write {known}"


def _text(word: str) -> str:
    if len(word) > _LONGEST_TEXT:
        return f"it has {len(word):,} characters, more than {_LONGEST_TEXT:,}"
    if other := re.search(r"[^ -~]", word):
        return f"{other[0]!r} is not printable ASCII, and `input` types nothing else"
    return "`input` types a space for %s" if "%s" in word else "" if word else "it is empty"


@dataclass(frozen=True, slots=True)
class _Event:
    """How to write an event; the least number of words after its name; what is wrong with each of them, if anything."""

    how: str
    least: int
    checks: tuple[Callable[[str], str], ...]

    def problem(self, words: list[str]) -> str:
        if not self.least <= len(words) <= len(self.checks):
            return "wrong number of words after its name"
        return next(filter(None, (check(word) for check, word in zip(self.checks, words, strict=False))), "")


_EVENTS = {
    "tap": _Event("tap X Y", 2, (_number,) * 2),
    "swipe": _Event("swipe X1 Y1 X2 Y2 [MS]", 4, (*(_number,) * 4, _milliseconds)),
    "keyevent": _Event("keyevent KEY…", 1, (_key,) * _MOST_KEYS),
    "text": _Event("text 'TEXT'", 1, (_text,)),
    "sleep": _Event("sleep SECONDS", 1, (_number,)),
}
_WAYS = ", ".join(event.how for event in _EVENTS.values())


def read_input_script(path: Path) -> str:
    """Return the command line for the device's shell that sends the events of a file one after the other.

    Source of the commands: AOSP's InputShellCommand. Raises `UsageError` with the line that is not an event.
    """
    try:
        text = read_regular(path, _MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}", f"give a text file of at most {_MAX_BYTES >> 20} MiB") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is not text in UTF-8", "save it as UTF-8") from None
    commands = [_command(path, number, line) for number, line in enumerate(text.splitlines(), 1)]
    found = [command for command in commands if command]
    if not found:
        raise UsageError(f"{path}: it has no events", f"write one in each line: {_WAYS}")
    line = " && ".join(found)
    if (quoted := len(shlex.quote(line))) > _MOST_CHARACTERS:
        most = f"its commands have {quoted:,} characters, and adb takes {_MOST_CHARACTERS:,}"
        raise UsageError(f"{path}: {most}", "use fewer events, or give a command with a loop after --")
    # The shell's `n` is the number of the last line: `e LINE EVENT` sends an event.
    return f'e() {{ n=$1; shift; input "$@"; }}\n{line} || {{ c=$?; echo "\n{LINE_MARK}$n"; exit $c; }}'


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
    if problem := _EVENTS[name].problem(rest):
        raise _wrong(path, number, f"not '{_EVENTS[name].how}': {problem}")
    if name == "sleep":
        return f"n={number} && sleep {rest[0]}"
    # `input text` takes %s for a space.
    words = [name, rest[0].replace(" ", "%s")] if name == "text" else words
    return f"e {number} {shlex.join(words)}"


def _wrong(path: Path, number: int, why: str) -> UsageError:
    return UsageError(f"{path}, line {number}: {why}", f"a line is one of: {_WAYS}; or a comment after #")
