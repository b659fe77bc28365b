"""Spans of time that do not overlap: what is in one and not in another, and how much of it is before a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.batterystats.tables import Integers


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans in order of time, each of a positive length."""

    start_ns: Integers
    end_ns: Integers

    @classmethod
    def of(cls, start_ns: Integers, end_ns: Integers) -> Spans:
        """The union of intervals, which may overlap."""
        _, start_ns, end_ns = unions(np.zeros(len(start_ns), np.int64), start_ns, end_ns)
        return cls(start_ns, end_ns)

    @property
    def length_ns(self) -> int:
        """The sum of the lengths."""
        return int((self.end_ns - self.start_ns).sum())

    def others(self, start_ns: int, end_ns: int) -> Spans:
        """The rest of a time that contains all spans."""
        return Spans.of(np.append(start_ns, self.end_ns), np.append(self.start_ns, end_ns))

    def without(self, other: Spans) -> Spans:
        """What is in these spans and not in others."""
        if not len(self.start_ns):
            return self
        low, high = int(self.start_ns[0]), int(self.end_ns[-1])
        rest = Spans.of(np.clip(other.start_ns, low, high), np.clip(other.end_ns, low, high))
        outside = self.others(low, high)
        every = Spans.of(np.append(rest.start_ns, outside.start_ns), np.append(rest.end_ns, outside.end_ns))
        return every.others(low, high)

    def before(self, time_ns: Integers) -> Integers:
        """How much of the spans is before each time."""
        ends = np.concatenate([[0], np.cumsum(self.end_ns - self.start_ns)])
        place = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        inside = np.maximum(place, 0)
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.int64)
        partly = np.clip(time_ns - self.start_ns[inside], 0, self.end_ns[inside] - self.start_ns[inside])
        return np.where(place < 0, 0, ends[inside] + partly).astype(np.int64)

    def contain(self, time_ns: Integers) -> NDArray[np.bool_]:
        """Whether each time is within a span; its ends count."""
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.bool_)
        place = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        return np.asarray((place >= 0) & (time_ns <= self.end_ns[np.maximum(place, 0)]))


def unions(group: Integers, start_ns: Integers, end_ns: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the spans of the union of each group's intervals: group, start and end, in order of group and start."""
    kept = np.flatnonzero(end_ns > start_ns)
    kept = kept[np.lexsort((start_ns[kept], group[kept]))]
    start_ns, end_ns = start_ns[kept], end_ns[kept]
    groups, number = np.unique(group[kept], return_inverse=True)
    # The latest end so far in each group: of ranks, which do not overflow if groups are put one behind the other.
    ends, rank = np.unique(end_ns, return_inverse=True)
    begin = number.astype(np.int64) * len(ends)
    latest_ns = ends[np.maximum.accumulate(begin + rank) - begin]
    is_first = np.append(True, (number[1:] != number[:-1]) | (start_ns[1:] > latest_ns[:-1]))[: len(kept)]
    is_last = np.append(is_first[1:], True)[: len(kept)]
    return groups[number[is_first]], start_ns[is_first], latest_ns[is_last]
