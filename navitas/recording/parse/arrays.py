"""NumPy types of table columns, and tables of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
U64 = NDArray[np.uint64]
U16 = NDArray[np.uint16]
U8 = NDArray[np.uint8]
F64 = NDArray[np.float64]
Bool = NDArray[np.bool_]


Rows = Bool | NDArray[np.integer[Any]] | slice
"""A selection of rows."""


def ranks(values: I64) -> tuple[I64, I32]:
    """Return the distinct values, ascending, and the place of each value in them. They are small, such as thread ids."""
    largest = int(values.max(initial=0))
    is_used = np.zeros(largest + 1, bool)
    is_used[values] = True
    rank = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(is_used), rank[values]


def cumulative(steps: F64) -> F64:
    """The running total before the first step, which is 0, and after each one."""
    return np.concatenate([[0.0], np.cumsum(steps)])


class ColumnTable:
    """A table whose fields are columns of one length, or begin with them. Subclasses are dataclasses with slots.

    `chosen` and `joined` are for tables that have only columns.
    """

    __slots__: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(getattr(self, self.__slots__[0]))

    def chosen(self, rows: Rows) -> Self:
        """Some of the rows."""
        return type(self)(*(getattr(self, name)[rows] for name in self.__slots__))

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of one or more tables, one after another."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))
