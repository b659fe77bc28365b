"""`$'…'`: quoting with the escapes of C."""

from __future__ import annotations

import re

from navitas.virtual_phone.shell.syntax import ShellSyntaxError

_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|(.))", re.DOTALL)
_SIMPLE = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST_CODE = 0x10FFFF
_FIRST_SURROGATE, _LAST_SURROGATE = 0xD800, 0xDFFF


def ansi_c(text: str, start: int) -> tuple[str, int]:
    """Return the value of `$'…'`, whose content begins at `start`, and the position after it. Raises `ShellSyntaxError`."""
    value: list[str] = []
    at = start
    while at < len(text) and text[at] != "'":
        escape = _ESCAPE.match(text, at) if text[at] == "\\" else None
        value.append(_decoded(escape) if escape else text[at])
        at = escape.end() if escape else at + 1
    if at >= len(text):
        raise ShellSyntaxError("no closing quote", incomplete=True)
    return "".join(value), at + 1


def _decoded(escape: re.Match[str]) -> str:
    octal, byte, short, long, control, other = escape.groups()
    if octal or byte:
        code = int(octal, 8) & 0xFF if octal else int(byte, 16)
        return bytes([code]).decode("utf-8", "surrogateescape")
    if short or long:
        code = int(short or long, 16)
        return chr(code) if code <= _LAST_CODE and not _FIRST_SURROGATE <= code <= _LAST_SURROGATE else "\ufffd"
    if control:
        return chr(ord(control) & 0x1F) if control != "?" else "\x7f"
    return _SIMPLE.get(other, other)
