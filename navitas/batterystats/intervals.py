"""Changes of states → intervals, block by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from navitas.batterystats.changes import CLEAR, NAME_BITS
from navitas.batterystats.keys import OFF
from navitas.batterystats.tables import Integers

_PLACE_BITS = 40
_PLACES = (1 << _PLACE_BITS) - 1
_NAMES = (1 << NAME_BITS) - 1


class Intervals:
    """Keeps open intervals between blocks.

    A series is a state with its name. An interval of it ends when the series changes, when its state ends without a name
    (`-w` ends every wake lock), or when all states are cleared.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._series: Integers = np.empty(0, np.int64)
        self._value: Integers = np.empty(0, np.int64)
        self._start: Integers = np.empty(0, np.int64)

    def add(self, series: Integers, value: Integers, time: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return series, value, start and end of the intervals that end in these changes, in order of their end."""
        series = np.concatenate([self._series, series])
        value, time = np.concatenate([self._value, value]), np.concatenate([self._start, time])
        order = np.argsort(series, kind="stable")
        s, v = series[order], value[order]
        ended = _ended_by_others(series, value, s, order)
        same = np.append(False, (s[1:] == s[:-1]) & (v[1:] == v[:-1]) & (ended[:-1] > order[1:]))[: len(s)]
        s, v, order, ended = s[~same], v[~same], order[~same], ended[~same]
        following = np.append(np.where(s[1:] == s[:-1], order[1:], len(series)), len(series))[: len(s)]
        end = np.minimum(following, ended)
        is_on = v != OFF
        is_open = is_on & (end >= len(series))
        self._series, self._value, self._start = s[is_open], v[is_open], time[order[is_open]]
        closed = np.flatnonzero(is_on & ~is_open)
        closed = closed[np.argsort(end[closed], kind="stable")]
        return s[closed], v[closed], time[order[closed]], time[end[closed]]

    def end(self, time: int) -> tuple[Integers, Integers, Integers, Integers]:
        """Return the open intervals. They end at `time`."""
        found = self._series, self._value, self._start, np.maximum(self._start, time)
        self._forget()
        return found


def _ended_by_others(series: Integers, value: Integers, s: Integers, order: Integers) -> Integers:
    """Return for each change in series order the place of the next change that ends all states, or all names of its state."""
    none = len(series)
    state, name = series >> NAME_BITS, series & _NAMES
    clears = np.append(np.flatnonzero(state == CLEAR), none)
    ended = clears[np.searchsorted(clears[:-1], order, "right")]
    nameless = np.flatnonzero((name == 0) & (value == OFF) & (state != CLEAR))
    if not len(nameless):
        return ended
    keys: NDArray[np.int64] = np.sort(state[nameless] << _PLACE_BITS | nameless)
    wanted = (s >> NAME_BITS) << _PLACE_BITS | order
    found = np.append(keys, np.iinfo(np.int64).max)[np.searchsorted(keys, wanted, "right")]
    fits = (found >> _PLACE_BITS == s >> NAME_BITS) & (s & _NAMES != 0)
    return np.where(fits, np.minimum(ended, found & _PLACES), ended)
