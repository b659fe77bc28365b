"""Names of tests as they are in reports: printable, of limited length; `org.navitas.junit.TestName` does the same in the app."""

from __future__ import annotations

import unicodedata
import zlib

_MOST_CHARACTERS = 240
_KEPT_CHARACTERS = _MOST_CHARACTERS - 9
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""They turn the direction of text around."""


def clean(name: str) -> str:
    """A class's or method's name without control characters; one that is too long is cut and ends with the whole's CRC-32.

    A name that is clean already stays as it is.
    """
    text = "".join(map(_printable, name))
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_KEPT_CHARACTERS]}…{zlib.crc32(text.encode()):08x}"


def _printable(character: str) -> str:
    if character in _TURNING or unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs"):
        return _SHORT.get(character, f"\\u{ord(character):04x}")
    return character
