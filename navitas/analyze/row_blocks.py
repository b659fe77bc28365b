"""Reads numpy columns row by row. It converts whole blocks to Python values, since single conversions take microseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

BLOCK_ROWS = 1 << 13


class RowBlocks:
    """Rows of columns. `read(rows)` returns the columns' values of a slice of rows as lists.

    The last block is cached, so reading rows in order is fast.
    """

    def __init__(self, size: int, read: Callable[[slice], Sequence[Sequence[Any]]]) -> None:
        self._size = size
        self._read = read
        self._low = self._high = 0
        self._columns: Sequence[Sequence[Any]] = ()

    def columns(self, low: int, high: int) -> list[Sequence[Any]]:
        """Return the values of rows low … high - 1, column by column."""
        if low < self._low or high > self._high:
            self._low, self._high = low, max(high, min(low + BLOCK_ROWS, self._size))
            self._columns = self._read(slice(self._low, self._high))
        return [column[low - self._low : high - self._low] for column in self._columns]

    def rows(self, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Yield rows low … high - 1 as tuples."""
        return zip(*self.columns(low, high), strict=True)
