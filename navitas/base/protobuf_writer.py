"""Writes protobuf's wire format field by field, for messages of which there are too many for an object each.

Source: the encoding that protobuf documents. A message is the concatenation of its fields, in any order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

_VARINT, _FIXED_64, _CONTENT = 0, 1, 2
_SHORT = [bytes([value]) for value in range(0x80)]
_DOUBLE = struct.Struct("<d").pack


def varint(value: int) -> bytes:
    """Encode an integer. Negative integers take ten bytes, as in fields of the types int32 and int64."""
    if 0 <= value < 0x80:
        return _SHORT[value]
    if 0 <= value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(field: int, value: int) -> bytes:
    """Encode a field that is an integer, a Boolean or an enumeration."""
    return varint(field << 3 | _VARINT) + varint(value)


def double(field: int, value: float) -> bytes:
    """Encode a field of the type double."""
    return varint(field << 3 | _FIXED_64) + _DOUBLE(value)


def content(field: int, value: bytes | str) -> bytes:
    """Encode a field that is a string, bytes or a message."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | _CONTENT) + varint(len(data)) + data


def packed(field: int, values: Iterable[int]) -> bytes:
    """Encode a repeated field of integers as one array."""
    return content(field, b"".join(map(varint, values)))
