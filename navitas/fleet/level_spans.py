"""Spans of pairs from one level change to the next, for clients that are sampled at other moments, too.

A sample at a level change shows the exact level; any other one shows it rounded. So a pair that ends at a level change drops too
much, and one that begins there drops too little. Level changes come with fast drains such as the screen's, which would seem
greater than they are. Over a whole span, the drop is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.pairs import Bool
from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64

_LEAST, _ALIKE, _SEVERAL, _MISSED = 10, 0.65, 1.5, 0.0125
"""Least level changes between other samples; mean ratio of the shorter pair to the longer one, which is 0.39 if a change divides
them at random; and how many changes may be missed.
"""


@dataclass(frozen=True, slots=True)
class LevelSpans:
    """The span of each pair, in ascending order. Only pairs of clients (by number) that are `merged` share spans."""

    number: I64
    merged: Bool

    def count(self, first: I64) -> I64:
        """The number of spans of each client. `first` are the clients' first pairs."""
        return np.asarray(np.add.reduceat(np.diff(self.number, prepend=-1) > 0, first, dtype=np.int64))

    def means(self, values: F64, seconds: F64, rows: slice = slice(None)) -> F64:
        """The mean over time of the span of each pair, for values with a row for each pair of `rows`."""
        first, size = self._parts(rows)
        means = np.add.reduceat(values * seconds[:, None], first) / np.add.reduceat(seconds, first)[:, None]
        return np.asarray(np.repeat(means, size, axis=0))

    def alike(self, value: I64, rows: slice, otherwise: int) -> I64:
        """The values of the pairs of `rows`, or `otherwise` in spans with several values."""
        first, size = self._parts(rows)
        least, most = (np.repeat(extreme.reduceat(value, first), size) for extreme in (np.minimum, np.maximum))
        return np.where(least == most, value, otherwise)

    def _parts(self, rows: slice) -> tuple[I64, I64]:
        """The first pair of each span, counted from the begin of `rows`, and the span's number of pairs."""
        number = self.number[rows]
        first = np.flatnonzero(np.diff(number, prepend=-1))
        return first, np.diff(np.append(first, len(number)))


def spans_of(end: I64, first: I64, seconds: F64, drop_ppm: F64) -> LevelSpans:
    """The spans of a block's pairs: `end` is the sample that ends each pair, `first` are the clients' first pairs."""
    client = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(end))))
    follows = np.append(False, (np.diff(end) == 1) & (np.diff(client) == 0))
    merged = _are_mixed(client, follows, drop_ppm, seconds, len(first))
    starts = ~follows | np.append(True, drop_ppm[:-1] > 0) | ~merged[client]
    return LevelSpans(np.cumsum(starts), merged)


def _are_mixed(client: I64, follows: Bool, drop_ppm: F64, seconds: F64, clients: int) -> Bool:
    """Whether each client is sampled at level changes and at other moments.

    A level change then divides the time between two other samples in any proportion, and no pair has two changes. If changes are
    only noticed at regular samples, both pairs are about equally long, or some have two changes.
    """
    changed = drop_ppm > 0
    inner = np.zeros(len(client), bool)
    inner[1:-1] = follows[1:-1] & follows[2:] & ~changed[:-2] & changed[1:-1] & ~changed[2:]
    place = np.flatnonzero(inner)
    one, other = seconds[place], seconds[place + 1]
    alike = np.bincount(client[place], np.minimum(one, other) / np.maximum(one, other), clients)
    number = np.bincount(client[place], minlength=clients)
    step = np.full(clients, np.inf)
    np.minimum.at(step, client[changed], drop_ppm[changed])
    several = np.bincount(client, drop_ppm > _SEVERAL * step[client], clients)
    all_changes = np.bincount(client, changed, clients)
    return np.asarray((number >= _LEAST) & (alike < _ALIKE * number) & (several <= _MISSED * all_changes))
