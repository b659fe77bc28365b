"""Cumulative counters that begin again at 0, as those of a core do when it is unplugged and plugged in again.

Rows are readings, columns are counters of one thing that begin again together, such as the frequencies of one core.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I64, Bool

_Number = TypeVar("_Number", np.int64, np.float64)


def torn(counted: NDArray[_Number]) -> Bool:
    """Whether each row is a torn reading that still parses: a single one out of order between its neighbours."""
    found = np.zeros(len(counted), bool)
    before, between, after = counted[:-2], counted[1:-1], counted[2:]
    apart = ((between < before) | (after < between)).any(axis=1)
    found[1:-1] = apart & (after >= before).all(axis=1)
    return found


def fallen(counted: NDArray[_Number], by: float = 0) -> Bool:
    """Whether a counter of each row is lower than in the row before, by more than `by`."""
    found = np.zeros(len(counted), bool)
    found[1:] = (counted[1:] < counted[:-1] - by).any(axis=1)
    return found


def begun(counted: I64, passed: I64, *, jitter: int = 0) -> Bool:
    """Whether the counters of time began again before each row: one falls by more than `jitter`, and all that they count fits
    into `passed`, the time since the row before, in their unit."""
    found: Bool = fallen(counted, jitter) & (counted.sum(axis=1) <= passed)
    return found


def continued(counted: NDArray[_Number], is_begun: Bool, is_unknown: Bool) -> NDArray[_Number]:
    """Return the counters as if they never began again: each row counts from the one before it.

    Rows `is_begun` count from 0. What was counted before rows `is_unknown` is not known: it counts as nothing.
    """
    before = np.roll(counted, 1, axis=0)
    shift = np.where(is_begun[:, None], before, np.where(is_unknown[:, None], before - counted, 0))
    return np.asarray(counted + np.cumsum(shift, axis=0), counted.dtype)
