"""Find threads by the serial that the runtime gave them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.parse.arrays import I64


def indexes(serial: I64, serials: Sequence[int]) -> I64:
    """The index of each serial in `serials`, -1 for a serial that is not there or that no probed thread has."""
    known = np.array(serials, np.int64)
    if not len(known):
        return np.full(len(serial), -1)
    order = np.argsort(known, kind="stable")
    place = order[np.minimum(np.searchsorted(known[order], serial), len(known) - 1)]
    return np.where((known[place] == serial) & (serial >= 0), place, -1)
