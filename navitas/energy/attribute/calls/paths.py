"""Call paths as numbers: a method below its callers' path. All threads and tests share the numbers."""

from __future__ import annotations

from os import urandom

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.curves import Word
from navitas.energy.attribute.forest import path_sums
from navitas.recording.parse.arrays import I32, I64, U64

OUTSIDE, PROBES = 0, 1
"""Rows that are not call paths: outside of all calls with probes, and in the probes themselves."""

_MIN_SLOTS, _MAX_SLOTS = 1 << 16, 1 << 22


class Paths:
    """Numbers of call paths: equal paths have equal numbers. `OUTSIDE` is the path outside of all calls.

    A path is identified by a sum of random 64-bit words, one per method and level. An entry adds its word and an exit
    subtracts it, so one cumulative sum gives the paths of a whole stretch of events. Among n paths, two have the same sum with a
    probability of n² / 2⁶³. A recording cannot raise it, because each object draws new words. Paths are numbered in the order in
    which they are added, independent of their words, so all reports of a recording are identical.
    """

    def __init__(self, methods: int) -> None:
        self._of_method = self._words(max(methods, 1))
        self._of_level = self._words(64)
        self._size = 2
        self._method, self._parent, self._depth = (np.zeros(64, np.int64) for _ in range(3))
        self._sum = np.zeros(64, np.uint64)
        self._method[:2] = self._parent[:2] = -1
        self._sum[PROBES] = self._words(1)[0]
        self._sorted, self._numbers = self._sum[:2].copy(), np.arange(2)
        self._allocate_slots(_MIN_SLOTS)

    def __len__(self) -> int:
        return self._size

    @property
    def method(self) -> I64:
        """Each path's last method; -1 for `OUTSIDE` and `PROBES`."""
        return self._method[: self._size]

    @property
    def parent(self) -> I64:
        """Each path without its last method; -1 for `OUTSIDE` and `PROBES`."""
        return self._parent[: self._size]

    @property
    def depth(self) -> I64:
        """The number of calls in each path."""
        return self._depth[: self._size]

    @property
    def sum(self) -> U64:
        """Each path's sum of words."""
        return self._sum[: self._size]

    def words(self, method: I32 | I64, level: I32 | I64) -> U64:
        """The words that calls of these methods at these levels (from 0) add to a path's sum."""
        deepest = int(level.max(initial=0))
        if deepest >= len(self._of_level):
            self._of_level = np.concatenate([self._of_level, self._words(deepest + 1)])
        word = self._of_method[method]
        word *= self._of_level[level]
        word ^= word >> np.uint64(32)
        return word

    def find(self, sums: U64) -> I64:
        """The paths with these sums, -1 where there is none."""
        path: I64 = self._slots[sums >> self._shift]
        collided = np.flatnonzero(self._sum[path] != sums)
        if len(collided):
            missing_sums = sums[collided]
            at = np.minimum(np.searchsorted(self._sorted, missing_sums), self._size - 1)
            path[collided] = np.where(self._sorted[at] == missing_sums, self._numbers[at], -1)
        return path

    def add(self, sums: U64, method: I32 | I64, depth: I32 | I64, parent_sums: U64) -> None:
        """Add new paths in this order. Sums are unique; each parent is known or among the new paths."""
        low, high = self._size, self._size + len(sums)
        if high > len(self._sum):
            self._method, self._parent, self._depth = (_doubled(c, high) for c in (self._method, self._parent, self._depth))
            self._sum = _doubled(self._sum, high)
        self._sum[low:high], self._method[low:high], self._depth[low:high] = sums, method, depth
        self._size = high
        order = np.argsort(sums)
        at = np.searchsorted(self._sorted, sums[order])
        self._sorted = np.insert(self._sorted, at, sums[order])
        self._numbers = np.insert(self._numbers, at, low + order)
        if 16 * high > len(self._slots) and len(self._slots) < max(_MAX_SLOTS, 2 * high):
            self._allocate_slots(max(_MIN_SLOTS, min(16 * high, max(_MAX_SLOTS, 4 * high))))
        else:
            self._fill(low)
        self._parent[low:high] = self.find(parent_sums)

    def of_forest(self, parent: I64, method: I64) -> I64:
        """The paths of the nodes of a forest given by `parent` (-1 at a root). New ones are added in this order."""
        depth = path_sums(parent, np.ones(len(parent), np.int64))
        words = self.words(method, depth - 1)
        sums = path_sums(parent, words)
        path = self.find(sums)
        new = np.flatnonzero(path < 0)
        if len(new):
            first = new[np.sort(np.unique(sums[new], return_index=True)[1])]
            self.add(sums[first], method[first], depth[first], (sums - words)[first])
            path[new] = self.find(sums[new])
        return path

    def methods_of(self, path: int) -> list[int]:
        """The methods of one path, outermost first."""
        methods: list[int] = self._method[self.with_callers(path)[::-1]].tolist()
        return methods

    def with_callers(self, path: int) -> I64:
        """A path and the paths of all its callers, longest first, without `OUTSIDE`."""
        paths, parent = [], self._parent
        while path != OUTSIDE:
            paths.append(path)
            path = int(parent[path])
        return np.array(paths, np.int64)

    def _words(self, count: int) -> U64:
        # Not by np.random, which takes long to import.
        return np.frombuffer(urandom(8 * count), np.uint64) | np.uint64(1)

    def _allocate_slots(self, at_least: int) -> None:
        """Allocate the slots. A path's slot is given by its sum's upper bits; the first path in a slot keeps it."""
        bits = (at_least - 1).bit_length()
        self._shift = np.uint64(64 - bits)
        self._slots = np.zeros(1 << bits, np.int64)
        self._fill(2)

    def _fill(self, low: int) -> None:
        slot = self._sum[low : self._size] >> self._shift
        free = (self._slots[slot] == OUTSIDE) & (slot > 0)  # slot 0 belongs to `OUTSIDE`, whose sum is 0
        self._slots[slot[free]] = np.flatnonzero(free) + low


def _doubled(column: NDArray[Word], size: int) -> NDArray[Word]:
    return np.concatenate([column, np.zeros(max(size, len(column)), column.dtype)])
