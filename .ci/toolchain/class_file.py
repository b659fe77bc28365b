"""Change the texts in a class file's constant pool (Java Virtual Machine Specification, section 4.4)."""

from __future__ import annotations

import struct
from collections.abc import Callable

_UTF8, _LONG, _DOUBLE = 1, 5, 6
# Bytes of each kind of entry after its tag.
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def with_texts(code: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return the class file with `change` applied to each text of its constant pool."""
    count = struct.unpack_from(">H", code, 8)[0]
    changed = bytearray(code[:10])
    at, index = 10, 1
    while index < count:
        tag = code[at]
        if tag == _UTF8:
            length = struct.unpack_from(">H", code, at + 1)[0]
            text = change(code[at + 3 : at + 3 + length])
            changed += bytes([_UTF8]) + struct.pack(">H", len(text)) + text
            at += 3 + length
        else:
            changed += code[at : at + 1 + _SIZES[tag]]
            at += 1 + _SIZES[tag]
        index += 2 if tag in (_LONG, _DOUBLE) else 1
    return bytes(changed + code[at:])
