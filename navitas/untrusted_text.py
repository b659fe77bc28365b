"""Text that somebody else has written, made safe to show: on the terminal, in logs and messages, in HTML, and in names.

One rule says which characters are not shown as they are: control characters, which steer a terminal; characters that cannot be
seen or turn the direction of others (formats, such as U+202E); line separators other than the line feed; halves of surrogate
pairs, which no file can hold; private ones, which every font draws differently. JSON holds such text as it is, by escapes.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Callable
from typing import Any

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_TAB_WIDTH = 4
_LONGEST_LINE = 2000
_BOX = "\ufffd"

_NAME_CHARACTERS = 240
_KEPT_CHARACTERS = _NAME_CHARACTERS - 9
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE_IN_NAMES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))


def printable(text: str, limit: int = 200) -> str:
    """One line without unsafe characters, which are shown by their numbers, and not longer than `limit`."""
    return _shown(text, limit, _number)


def printable_lines(text: str) -> str:
    """Several lines, each of them a `printable_line`."""
    return "\n".join(printable_line(line, _LONGEST_LINE) for line in text.split("\n"))


def printable_line(text: str, limit: int = 200) -> str:
    """A line of a message, `printable`, with its tabs as spaces; in names a tab stays visible."""
    return printable(text[: limit + 1].expandtabs(_TAB_WIDTH), limit)


def boxed(text: str, limit: int) -> str:
    """As `printable`, with a box for each unsafe character, as readers of a page know it. HTML still needs its own escapes."""
    return _shown(text, limit, lambda char: _BOX)


def clean_name(name: str) -> str:
    """A test's class or method name without what could end a line or turn it around; one that is too long is cut and ends with
    the whole's CRC-32. A name that is clean already stays as it is.

    `org.navitas.junit.TestName` does the same in the app: both sides must agree on a test's name, so joiners of scripts stay.
    """
    text = "".join(map(_in_name, name))
    if len(text) <= _NAME_CHARACTERS:
        return text
    return f"{text[:_KEPT_CHARACTERS]}…{zlib.crc32(text.encode()):08x}"


def without_surrogates(value: Any) -> Any:
    """A JSON value whose texts can be written as UTF-8: `?` for each half of a surrogate pair."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(part) for key, part in value.items()}
    return [without_surrogates(part) for part in value] if isinstance(value, list) else value


def _shown(text: str, limit: int, instead: Callable[[str], str]) -> str:
    shown = text[: limit + 1]
    if not shown.isprintable():  # also true for spaces other than U+0020, which stay
        shown = "".join(instead(char) if unicodedata.category(char) in _UNSAFE else char for char in shown)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _in_name(char: str) -> str:
    if char in _TURNING or unicodedata.category(char) in _UNSAFE_IN_NAMES:
        return _SHORT.get(char) or _number(char)
    return char


def _number(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"
