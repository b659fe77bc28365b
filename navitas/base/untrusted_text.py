"""Make untrusted text safe to show: on the terminal, in logs and messages, in HTML, and in names.

One rule defines the unsafe characters, which are not shown as they are. They are control characters, which steer a
terminal; invisible characters and those that change the direction of text, such as U+202E; line separators other than
the line feed; surrogates, which no file can contain; private-use characters, whose look depends on the font; and
noncharacters such as U+FFFE, which XML does not allow. JSON contains such text unchanged, as escapes.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from typing import Any

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_TAB_WIDTH = 4
_LONGEST_LINE = 2000
_LISTED = 200
_BOX = "\ufffd"
ESCAPED_SURROGATE = "\\ud"
"""How JSON text in ASCII shows that a value may have a surrogate: `without_surrogates` is for such values."""

_NAME_CHARACTERS = 240
_KEPT_CHARACTERS = _NAME_CHARACTERS - 9
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE_IN_NAMES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))

# Not `\s`: Python and Arrow differ on it.
_SPACES = " \t\n\v\f\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Also full-width forms, and the whitespace that spreadsheets skip. Leading apostrophes count too, so that every text has
# exactly one escaped form.
FORMULA_BEGIN = rf"'*(?:[\t\r\n]|[{_SPACES}]*[=+\-@＝＋－＠])"
"""How a text begins that a spreadsheet takes for a formula (OWASP, CSV injection)."""
_FORMULA = re.compile(FORMULA_BEGIN)


def printable(text: str, limit: int = 200) -> str:
    """Return one line of at most `limit` characters. Unsafe characters are shown by their numbers."""
    return _shown(text, limit, _number)


def printable_lines(text: str) -> str:
    """Apply `printable_line` to each line of a text."""
    return "\n".join(printable_line(line, _LONGEST_LINE) for line in text.split("\n"))


def printable_line(text: str, limit: int = 200) -> str:
    """Return a line of a message as `printable` does, with spaces for tabs. In names, a tab stays visible."""
    return printable(text[: limit + 1].expandtabs(_TAB_WIDTH), limit)


def boxed(text: str, limit: int) -> str:
    """Like `printable`, with a box for each unsafe character, as web pages show them. You must still escape it for HTML."""
    return _shown(text, limit, lambda char: _BOX)


def is_printable(text: str) -> bool:
    """Return whether a text has no unsafe characters. All kinds of spaces are safe, as in names of Kotlin."""
    return not any(map(_is_unsafe, text))


def escaped(text: str) -> str:
    r"""Return a text without unsafe characters, from which the text can be made again.

    Unsafe characters are `\uXXXX` or `\UXXXXXXXX`, and a backslash is `\\`, so each text has its own form (docs/formats.md).
    """
    text = text.replace("\\", "\\\\")
    return text if text.isprintable() else "".join(_number(char) if _is_unsafe(char) else char for char in text)


def guarded(text: str) -> str:
    """Return a text of a CSV file, with an apostrophe in front if it begins like a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def clean_name(name: str) -> str:
    """Return a test's class or method name without characters that end a line or change its direction.

    A name that is too long is cut and ends with the CRC-32 of the whole name. A clean name stays unchanged.
    `org.navitas.junit.TestName` does the same in the app, because both must give the same name. Zero-width joiners, which some
    scripts need, stay.
    """
    text = "".join(map(_in_name, name))
    if len(text) <= _NAME_CHARACTERS:
        return text
    return f"{text[:_KEPT_CHARACTERS]}…{zlib.crc32(text.encode()):08x}"


def without_surrogates(value: Any) -> Any:
    """Return a JSON value that can be written as UTF-8, with `?` for each surrogate."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(part) for key, part in value.items()}
    return [without_surrogates(part) for part in value] if isinstance(value, list | tuple) else value


def _shown(text: str, limit: int, instead: Callable[[str], str]) -> str:
    shown = text[: limit + 1]
    if not shown.isprintable():  # spaces other than U+0020 are not printable, but stay unchanged
        shown = "".join(instead(char) if _is_unsafe(char) else char for char in shown)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _is_unsafe(char: str) -> bool:
    return unicodedata.category(char) in _UNSAFE or ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"


def _in_name(char: str) -> str:
    if char in _TURNING or unicodedata.category(char) in _UNSAFE_IN_NAMES:
        return _SHORT.get(char) or _number(char)
    return char


def _number(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def printable_list(names: Sequence[str], most: int) -> str:
    """Return the first names, each printable on one line, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(printable_line(name, _LISTED) for name in names[:most]) + more


def preview(value: object) -> str:
    """Return a value of any type as ASCII, of at most 60 characters."""
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
