"""Columns read row by row: blocks of rows become Python values at once, since numpy's own take microseconds each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_ROWS = 1 << 13


class RowBlocks:
    """Rows of columns as tuples; `read(rows)` gives the columns' values of some rows as lists.

    The block that was read last is kept: rows are cheap where they are read in their order.
    """

    def __init__(self, size: int, read: Callable[[slice], Sequence[Sequence[Any]]]) -> None:
        self._size = size
        self._read = read
        self._low = self._high = 0
        self._rows: list[tuple[Any, ...]] = []

    def rows(self, low: int, high: int) -> list[tuple[Any, ...]]:
        """Rows low … high - 1."""
        if low < self._low or high > self._high:
            self._low, self._high = low, max(high, min(low + _ROWS, self._size))
            self._rows = list(zip(*self._read(slice(self._low, self._high)), strict=True))
        return self._rows[low - self._low : high - self._low]
