"""Columns read row by row: blocks of rows become Python values at once, since numpy's own take microseconds each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

BLOCK_ROWS = 1 << 13


class RowBlocks:
    """Rows of columns; `read(rows)` gives the columns' values of some rows as lists.

    The block that was read last is kept: rows are cheap where they are read in their order.
    """

    def __init__(self, size: int, read: Callable[[slice], Sequence[Sequence[Any]]]) -> None:
        self._size = size
        self._read = read
        self._low = self._high = 0
        self._columns: Sequence[Sequence[Any]] = ()

    def columns(self, low: int, high: int) -> list[Sequence[Any]]:
        """The columns' values of rows low … high - 1."""
        if low < self._low or high > self._high:
            self._low, self._high = low, max(high, min(low + BLOCK_ROWS, self._size))
            self._columns = self._read(slice(self._low, self._high))
        return [column[low - self._low : high - self._low] for column in self._columns]

    def rows(self, low: int, high: int) -> Iterator[tuple[Any, ...]]:
        """Rows low … high - 1 as tuples."""
        return zip(*self.columns(low, high), strict=True)
