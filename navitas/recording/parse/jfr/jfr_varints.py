"""LEB128 numbers of JFR: up to eight bytes of 7 bits, lowest first, and a ninth one of 8 bits. Columns of them at once."""

from __future__ import annotations

import numpy as np

from navitas.recording.parse.arrays import I64, U8

MOST_BYTES = 9
_LAST_SHIFT = 56


def varint_at(data: memoryview, at: int) -> tuple[int, int]:
    """Return the signed number at a position and the position after it. Raises `IndexError` if the data end before it does."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        if shift == _LAST_SHIFT:
            value |= byte << shift
            return (value - (1 << 64) if byte & 0x80 else value), at
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def varints_at(data: U8, at: I64) -> tuple[I64, I64]:
    """Return the numbers at positions, and the positions after them. Each has `MOST_BYTES` bytes of data after it."""
    byte = data[at]
    values = (byte & 0x7F).astype(np.int64)
    after = at + 1
    shift = 7
    # Times have the same length in nearly all rows, so most bytes need no selection of rows.
    while len(byte) and (byte >= 0x80).all() and shift < _LAST_SHIFT:
        byte = data[after]
        values |= (byte & 0x7F).astype(np.int64) << shift
        after += 1
        shift += 7
    rows = np.flatnonzero(byte >= 0x80)
    while len(rows):
        byte = data[after[rows]]
        after[rows] += 1
        if shift == _LAST_SHIFT:
            values[rows] |= byte.astype(np.int64) << shift
            break
        values[rows] |= (byte & 0x7F).astype(np.int64) << shift
        rows = rows[byte >= 0x80]
        shift += 7
    return values, after


def all_varints(data: U8) -> tuple[I64, I64]:
    """Return all numbers of the data, one after another, and the position after each; a number that is cut off is left out.

    Numbers of more than eight bytes have wrong values.
    """
    after = np.flatnonzero(data < 0x80) + 1
    if not len(after):
        return np.empty(0, np.int64), after
    starts = np.concatenate([[0], after[:-1]])
    lengths = after - starts
    values = (data[starts] & 0x7F).astype(np.int64)
    rows = np.flatnonzero(lengths > 1)
    byte_number = 1
    while len(rows) and byte_number < MOST_BYTES - 1:
        values[rows] |= (data[starts[rows] + byte_number] & 0x7F).astype(np.int64) << (7 * byte_number)
        byte_number += 1
        rows = rows[lengths[rows] > byte_number]
    return values, after
