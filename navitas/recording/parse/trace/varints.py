"""Decode many protobuf varints at once: at positions in a buffer, and in packed arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from navitas.recording.parse.arrays import I64, U8, U64, Bool

PAD: Final = 64
"""Number of bytes that a buffer needs after the last position that is read."""
LONGER: Final = 9
"""The reported size of a varint of more than eight bytes. Its value is not decoded."""
MAX_BYTES: Final = 10
_HIGH, _ONES = np.uint64(0x8080808080808080), np.uint64(0x0101010101010101)
_ODD_7, _ODD_14, _ODD_28 = (np.uint64(mask) for mask in (0x7F007F007F007F00, 0x3FFF00003FFF0000, 0x0FFFFFFF00000000))
_1, _2, _4, _7, _56 = (np.uint64(bits) for bits in (1, 2, 4, 7, 56))


class Buffer:
    """Bytes followed by `PAD` more bytes. Positions are indexes."""

    def __init__(self, data: bytes) -> None:
        self.bytes: U8 = np.frombuffer(data, np.uint8)
        self._words: U64 = np.ndarray((len(data) - 7,), np.dtype("<u8"), buffer=data, strides=(1,))

    def varints(self, at: I64) -> tuple[I64, I64]:
        """Return the number at each position and its size in bytes, or `LONGER`."""
        words = self._words[at]
        ends = ~words & _HIGH
        # All bits up to the first byte without a continuation bit; without such a byte all bits.
        mask = ends ^ (ends - _1)
        size = ((mask & _ONES) * _ONES) >> _56
        value = words & mask & ~_HIGH
        value = (value & ~_ODD_7) | ((value & _ODD_7) >> _1)
        value = (value & ~_ODD_14) | ((value & _ODD_14) >> _2)
        value = (value & ~_ODD_28) | ((value & _ODD_28) >> _4)
        return value.view(np.int64), size.view(np.int64) + (ends == 0)


def packed(parts: Sequence[bytes]) -> tuple[U64, I64, Bool]:
    """Return the numbers of all arrays in sequence, the end of each array among them, and which arrays are damaged.

    Each array is empty or ends with a complete number. An array is damaged if a number has too many bytes.
    """
    buffer = Buffer(b"".join((*parts, bytes(PAD))))
    part_ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    ends = np.flatnonzero(buffer.bytes[:-PAD] < 0x80)
    starts = np.zeros(len(ends), np.int64)
    starts[1:] = ends[:-1] + 1
    value = (buffer.bytes[starts] & 0x7F).astype(np.uint64)
    several = np.flatnonzero(ends > starts)
    value[several] = buffer.varints(starts[several])[0].view(np.uint64)
    damaged = np.zeros(len(parts), bool)
    for row in several[ends[several] - starts[several] >= LONGER - 1].tolist():
        number = buffer.bytes[starts[row] : ends[row] + 1].tolist()
        value[row] = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(number[:MAX_BYTES])) & (1 << 64) - 1
        if len(number) > MAX_BYTES or (len(number) == MAX_BYTES and number[-1] > 1):
            damaged[np.searchsorted(part_ends, ends[row], side="right")] = True
    return value, np.searchsorted(ends, part_ends), damaged
