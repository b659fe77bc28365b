"""Read numbers and characters at many positions of a text at once, as 64-bit words of eight bytes (SWAR)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, U8, U64, Bool

Places = I64
PAD = 64
"""Number of bytes that a buffer needs before the first position and after the last."""

_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_ZEROS = np.uint64(0x3030303030303030)
_OVER_NINE = np.uint64(0x7676767676767676)
_8, _16, _32, _7, _56 = (np.uint64(bits) for bits in (8, 16, 32, 7, 56))


class TextBuffer:
    """The text from `low` to `high` of a buffer, with `PAD` bytes around it. Positions are indexes into the buffer."""

    def __init__(self, buffer: bytes | bytearray, low: int, high: int) -> None:
        self.buffer = buffer
        self.low, self.high = low, high
        self.bytes: U8 = np.frombuffer(buffer, np.uint8)
        self._words: U64 = np.ndarray((len(buffer) - 7,), np.dtype("<u8"), buffer=buffer, strides=(1,))

    def part(self, low: int, high: int) -> TextBuffer:
        """Return another range of the same buffer."""
        return TextBuffer(self.buffer, low, high)

    def words(self, at: Places) -> U64:
        """Return the eight bytes from each position on, little-endian."""
        return self._words[at]

    def has(self, at: Places, eight: bytes) -> Bool:
        """Whether the text at each position is `eight`, which has at most eight bytes."""
        wanted = np.uint64(int.from_bytes(eight, "little"))
        mask = np.uint64((1 << 8 * len(eight)) - 1)
        same: Bool = (self._words[at] & mask) == wanted
        return same

    def number_from(self, at: Places) -> tuple[I64, I64]:
        """Return the number of up to 16 digits that begins at each position, and its number of digits (0: no number)."""
        value, digits = _leading(self._words[at])
        full = np.flatnonzero(digits == 8)
        if len(full):
            more, further = _leading(self._words[at[full] + 8])
            value[full] = value[full] * 10**further + more
            digits[full] += further
        return value, digits

    def number_before(self, end: Places) -> tuple[I64, I64]:
        """Return the number of up to 16 digits that ends before each position, and its number of digits."""
        value, digits = _trailing(self._words[end - 8])
        full = np.flatnonzero(digits == 8)
        if len(full):
            more, further = _trailing(self._words[end[full] - 16])
            value[full] += more * 10**8
            digits[full] += further
        return value, digits

    def find(self, byte: str, at: Places, words: int = 1) -> I64:
        """Return the distance from each position to the byte's first occurrence, or 8 × `words` if it is further away."""
        found = _first(self._words[at], byte)
        for word in range(1, words):
            missing = np.flatnonzero(found == 8 * word)
            if not len(missing):
                break
            found[missing] += _first(self._words[at[missing] + 8 * word], byte)
        return found

    def find_back(self, byte: str, end: Places) -> I64:
        """Return the distance back from each position to the byte's last occurrence (1 … 8), or 9 if it is further away."""
        return 9 - _reached_down(_equal(self._words[end - 8], byte))

    def strings(self, at: Places, length: I64) -> NDArray[np.bytes_]:
        """Return the strings at the positions, cut at 16 bytes."""
        both = np.empty((len(at), 2), np.dtype("<u8"))
        for word in range(2):
            kept = np.clip(length - 8 * word, 0, 8).astype(np.uint64)
            gone = (np.uint64(8) - kept) * _8
            both[:, word] = ((self._words[at + 8 * word]) << gone) >> gone
        return both.view("S16")[:, 0]


def _nondigits(words: U64) -> U64:
    other = words ^ _ZEROS
    return (((other & _LOW7) + _OVER_NINE) | other) & _HIGH


def _equal(words: U64, byte: str) -> U64:
    other = words ^ np.uint64(ord(byte) * 0x0101010101010101)
    return ~(((other & _LOW7) + _LOW7) | other) & _HIGH


def _reached_up(flags: U64) -> I64:
    """Return the number of bytes from the first one on whose high bit is set. The flags are overwritten."""
    for bits in (_8, _16, _32):
        flags |= flags << bits
    return (((flags >> _7) * _ONES) >> _56).astype(np.int64)


def _reached_down(flags: U64) -> I64:
    """Return the number of bytes up to the last one whose high bit is set. The flags are overwritten."""
    for bits in (_8, _16, _32):
        flags |= flags >> bits
    return (((flags >> _7) * _ONES) >> _56).astype(np.int64)


def _first(words: U64, byte: str) -> I64:
    return 8 - _reached_up(_equal(words, byte))


def _leading(words: U64) -> tuple[I64, I64]:
    others = _reached_up(_nondigits(words))
    return _value((words & _NIBBLES) << (others.astype(np.uint64) * _8)), 8 - others


def _trailing(words: U64) -> tuple[I64, I64]:
    others = _reached_down(_nondigits(words))
    gone = others.astype(np.uint64) * _8
    return _value(((words & _NIBBLES) >> gone) << gone), 8 - others


def _value(digits: U64) -> I64:
    """Return the number that eight bytes of 0 … 9 represent, with the first byte as the highest digit."""
    pairs = (digits * np.uint64(10) + (digits >> _8)) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> _16)) & np.uint64(0x0000FFFF0000FFFF)
    return ((fours * np.uint64(10_000) + (fours >> _32)) & np.uint64(0xFFFFFFFF)).astype(np.int64)
