"""Look up the row of an owner that is valid at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.attribute.curves import distinct
from navitas.parse.arrays import I64


class RowsByTime:
    """Rows sorted by owner, then time. Each is valid until the owner's next row. Owners are any integers."""

    def __init__(self, owner: NDArray[np.integer[Any]], from_ns: I64) -> None:
        self.owner = owner.astype(np.int64)
        self._known = distinct(self.owner)
        # Ranks instead of times: neither the number of owners nor the span of times is bounded.
        self._times = distinct(from_ns)
        self._span = len(self._times) + 1
        self._key = np.searchsorted(self._known, self.owner) * self._span + np.searchsorted(self._times, from_ns, side="right")

    def at(self, owner: NDArray[np.integer[Any]], t_ns: I64) -> I64:
        """The last row of each owner at or before each time, -1 if there is none."""
        if not len(self._key):
            return np.full(len(owner), -1)
        key = np.searchsorted(self._known, owner) * self._span + np.searchsorted(self._times, t_ns, side="right")
        row = np.searchsorted(self._key, key, side="right") - 1
        return np.where((row >= 0) & (self.owner[row] == owner), row, -1)
