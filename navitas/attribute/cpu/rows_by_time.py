"""Which of an owner's rows holds at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.attribute.curves import distinct
from navitas.parse.arrays import I64


class RowsByTime:
    """Rows by owner, then time: which one of an owner holds when. Owners are any integers."""

    def __init__(self, owner: NDArray[np.integer[Any]], from_ns: I64) -> None:
        self.owner = owner.astype(np.int64)
        self._known = distinct(self.owner)
        # Times by their rank: nothing bounds how many owners there are, nor how far their times lie apart.
        self._times = distinct(from_ns)
        self._span = len(self._times) + 1
        self._key = np.searchsorted(self._known, self.owner) * self._span + np.searchsorted(self._times, from_ns, side="right")

    def at(self, owner: NDArray[np.integer[Any]], t_ns: I64) -> I64:
        """The last row of each owner at or before a time, -1 where there is none."""
        if not len(self._key):
            return np.full(len(owner), -1)
        key = np.searchsorted(self._known, owner) * self._span + np.searchsorted(self._times, t_ns, side="right")
        row = np.searchsorted(self._key, key, side="right") - 1
        return np.where((row >= 0) & (self.owner[row] == owner), row, -1)
