"""Writes the fields of protobuf messages, one after the other (protobuf.dev/programming-guides/encoding)."""

from __future__ import annotations

from collections.abc import Iterable


def varint(value: int) -> bytes:
    """Encode a number. Negative numbers take ten bytes, as in protobuf's int32 and int64."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(of: int, value: int) -> bytes:
    """Encode a field that is a number. `of` is the number of the field."""
    return varint(of << 3) + varint(value)


def content(of: int, value: bytes | str) -> bytes:
    """Encode a field that is a string, bytes or a message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(of << 3 | 2) + varint(len(data)) + data


def packed(of: int, values: Iterable[int]) -> bytes:
    """Encode a field that is an array."""
    return content(of, b"".join(map(varint, values)))
