"""Cumulative curves, piecewise linear and non-decreasing. Every amount is the difference of two look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from navitas.base.errors import RecordingError
from navitas.recording.parse.arrays import F64, I64, Bool, cumulative

_SPARSE = 16
Word = TypeVar("Word", np.int32, np.int64, np.uint64)


@dataclass(frozen=True, slots=True)
class Curve:
    """One cumulative curve: `value[i]` at `t_ns[i]` (strictly ascending), linear in between, constant outside."""

    t_ns: I64
    value: F64

    def at(self, t_ns: ArrayLike) -> F64:
        """Values at any times."""
        if not self.t_ns.size:
            return np.zeros(np.shape(t_ns))
        origin = self.t_ns[0]
        return np.asarray(np.interp(np.asarray(t_ns, np.int64) - origin, self.t_ns - origin, self.value), np.float64)

    def between(self, a_ns: int, b_ns: int) -> float:
        """Growth from `a_ns` to `b_ns`."""
        low, high = self.at([a_ns, b_ns])
        return float(high - low)


EMPTY_CURVE = Curve(np.empty(0, np.int64), np.empty(0))


def constant_power(watts: float, run_ns: tuple[int, int]) -> Curve:
    """Energy at constant power over a run."""
    low, high = run_ns
    return Curve(np.array([low, high]), np.array([0.0, watts * (high - low) / 1e9])) if high > low else EMPTY_CURVE


def added(curves: Sequence[Curve]) -> Curve:
    """The sum of curves, with the knots of all. Each curve counts from its first knot on."""
    known = [curve for curve in curves if curve.t_ns.size]
    if not known:
        return EMPTY_CURVE
    t_ns = distinct(np.concatenate([curve.t_ns for curve in known]))
    total = np.zeros(len(t_ns))
    for curve in known:
        total += curve.at(t_ns) - curve.value[0]
    return Curve(t_ns, total)


@dataclass(frozen=True, slots=True)
class Place:
    """Positions of times among knots: at `fraction` of the way from the knot `left` to the knot `right`."""

    left: I64
    right: I64
    fraction: F64

    def read(self, value: F64) -> F64:
        """Values at these positions of a curve given at the knots."""
        low = value[self.left]
        return np.asarray(low + self.fraction * (value[self.right] - low), np.float64)


@dataclass(frozen=True, slots=True)
class Knots:
    """Knots of many curves: curve i has the knots `t_ns[start[i]:start[i + 1]]`, at least one, strictly ascending."""

    start: I64
    t_ns: I64
    origin_ns: int
    span_ns: int
    _key: I64

    @classmethod
    def from_columns(cls, owner: I64, t_ns: I64, owners: int) -> Knots:
        """Knots from columns: owner (ascending) and time (ascending per owner). `owners` is their number; each needs a knot."""
        origin, span = time_span(t_ns, owners)
        start = np.searchsorted(owner, np.arange(owners + 1))
        return cls(start.astype(np.int64), t_ns, origin, span, owner * span + (t_ns - origin))

    @property
    def first_ns(self) -> I64:
        """Each curve's first knot."""
        return self.t_ns[self.start[:-1]]

    @property
    def last_ns(self) -> I64:
        """Each curve's last knot."""
        return self.t_ns[self.start[1:] - 1]

    @property
    def owner(self) -> I64:
        """The curve that each knot belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def place(self, owner: I64, t_ns: I64) -> Place:
        """Find times on curves (arrays of one shape). Times before the first knot or after the last are moved to it."""
        key = owner * self.span_ns + np.clip(t_ns - self.origin_ns, 0, self.span_ns - 1)
        left = np.searchsorted(self._key, key, side="right") - 1
        np.maximum(left, self.start[owner], out=left)
        right = np.minimum(left + 1, self.start[owner + 1] - 1)
        length = self.t_ns[right] - self.t_ns[left]
        return Place(left, right, np.clip((t_ns - self.t_ns[left]) / np.maximum(length, 1), 0.0, 1.0))

    def passed(self, owner: I64, start: I64, t_ns: I64) -> tuple[int, I64, I64]:
        """Find the knots among times.

        Returns the index in `slopes` of the interval before the first time, and for each knot from there to the last time the
        number of times before it, and of those up to it. `start` splits the times into stretches. Stretch i belongs to curve
        owner[i]; owners, and times per stretch, ascend.
        """
        key = t_ns - self.origin_ns
        if key[start[:-1]].min() < 0 or key[start[1:] - 1].max() >= self.span_ns:
            np.clip(key, 0, self.span_ns - 1, out=key)
        key += owner[0] * self.span_ns if len(owner) == 1 else np.repeat(owner * self.span_ns, np.diff(start))
        first, end = int(np.searchsorted(self._key, key[0], "left")), int(np.searchsorted(self._key, key[-1], "right"))
        # There are fewer knots than times, so look up the knots among the times.
        knots = self._key[first:end]
        return first, np.searchsorted(key, knots, "left"), np.searchsorted(key, knots, "right")

    def slopes(self, value: F64) -> F64:
        """Growth per ns before the first knot (0) and after each knot; 0 after a curve's last knot."""
        slope = np.concatenate([[0.0], np.diff(value) / np.diff(self.t_ns).clip(1), [0.0]])
        slope[self.start[1:]] = 0.0
        return slope

    def cumulate(self, increment: F64) -> F64:
        """Cumulative sums along each curve. `increment[i]` is the growth up to knot i; a curve's first one is ignored."""
        total = np.empty_like(increment)
        for low, high in zip(self.start[:-1].tolist(), self.start[1:].tolist(), strict=True):
            total[low] = 0.0
            if high - low > 1:
                np.cumsum(increment[low + 1 : high], out=total[low + 1 : high])
        return total


def distinct(values: NDArray[Word]) -> NDArray[Word]:
    """The distinct values in ascending order."""
    ordered = np.sort(values)
    return ordered[group_starts(ordered)]


def grouped(key: I64) -> tuple[I64, I64]:
    """Return a row of each distinct key, by ascending keys (0 or more), and the number of each row's key among these."""
    size = int(key.max(initial=-1)) + 1
    if size > _SPARSE * len(key):
        _, row, number = np.unique(key, return_index=True, return_inverse=True)
        return row, number
    row_of = np.full(size, -1, np.int32)  # a table is several times as fast as a sort
    row_of[key] = np.arange(len(key), dtype=np.int32)
    is_used = row_of >= 0
    return row_of[is_used].astype(np.int64), np.cumsum(is_used, dtype=np.int32)[key].astype(np.int64) - 1


def in_sorted(values: NDArray[Word], known: NDArray[Word]) -> Bool:
    """`np.isin` for a `known` array that is sorted in ascending order."""
    if not len(known):
        return np.zeros(len(values), bool)
    return np.asarray(known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values)


def group_starts(*columns: NDArray[Word]) -> Bool:
    """True at the first row of each group of equal neighboring rows."""
    new = np.ones(len(columns[0]), bool)
    if len(new):
        np.not_equal(columns[0][1:], columns[0][:-1], out=new[1:])
        for column in columns[1:]:
            new[1:] |= column[1:] != column[:-1]
    return new


def group_ends(*columns: I64) -> Bool:
    """True at the last row of each group of equal neighboring rows."""
    return np.roll(group_starts(*columns), -1)


def time_span(t_ns: I64, owners: int) -> tuple[int, int]:
    """Origin and span that make `owner * span + (t - origin)` a key; raises `RecordingError` for times too far apart."""
    if not t_ns.size:
        return 0, 2
    origin = int(t_ns.min())
    span = int(t_ns.max()) - origin + 2
    if span * max(owners, 1) >= 1 << 62:
        raise RecordingError(
            f"the times of one run lie {span / 8.64e13:.0f} days apart, which is impossible",
            "the recording's events or counters are damaged: record again",
        )
    return origin, span


def middle(a_ns: I64, b_ns: I64) -> I64:
    return a_ns + (b_ns - a_ns) // 2


def overlaps(first: I64, last: I64) -> tuple[I64, I64]:
    """All pairs (i, j) with first[i] ≤ j ≤ last[i], by i, then j."""
    count = np.maximum(last - first + 1, 0)
    index = np.repeat(np.arange(len(count)), count)
    ordinal = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
    return index, first[index] + ordinal


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


def interval_increments(knots: Knots, value: F64, edges: I64) -> tuple[I64, I64, F64]:
    """Growth of each curve in each interval between adjacent `edges` that it overlaps: (curve, interval, increment)."""
    first = np.clip(np.searchsorted(edges, knots.first_ns, side="right") - 1, 0, None)
    last = np.clip(np.searchsorted(edges, knots.last_ns, side="left") - 1, None, len(edges) - 2)
    owner, interval = overlaps(first, last)
    low = knots.place(owner, edges[interval]).read(value)
    return owner, interval, knots.place(owner, edges[interval + 1]).read(value) - low


def monotone(value: F64) -> F64:
    """Isotonic regression: the non-decreasing series with the least squared error (pool adjacent violators)."""
    means: list[float] = []
    counts: list[int] = []
    for x in value.tolist():
        mean, count = x, 1
        while means and means[-1] > mean:
            other = counts.pop()
            mean = (mean * count + means.pop() * other) / (count + other)
            count += other
        means.append(mean)
        counts.append(count)
    return np.repeat(np.array(means), counts)


_SHORTEST_NS = 1_000


def flow_of(begin_ns: I64, end_ns: I64, joules: F64, run_ns: tuple[int, int]) -> Curve:
    """The sum of energies that each flow evenly from begin to end, within a run.

    Spans are clipped to the run, and are at least 1 µs long.
    """
    if not len(joules):
        return EMPTY_CURVE
    low, high = run_ns
    begin = np.clip(begin_ns, low, max(high - _SHORTEST_NS, low))
    end = np.minimum(np.maximum(end_ns, begin + _SHORTEST_NS), max(high, low + 1))
    edges = distinct(np.concatenate([begin, end]))
    rate = joules / (end - begin)
    starts = np.bincount(np.searchsorted(edges, begin), rate, len(edges))
    slope = np.cumsum(starts - np.bincount(np.searchsorted(edges, end), rate, len(edges)))
    value = cumulative(np.maximum(slope[:-1], 0.0) * np.diff(edges))
    return Curve(edges, value * (joules.sum() / value[-1] if value[-1] > 0 else 0.0))


def merged(begin_ns: I64, end_ns: I64) -> tuple[I64, I64]:
    """Merge overlapping and touching intervals, and drop empty ones. Returns ascending begins and ends."""
    is_used = end_ns > begin_ns
    order = np.argsort(begin_ns[is_used], kind="stable")
    begin, end = begin_ns[is_used][order], np.maximum.accumulate(end_ns[is_used][order])
    if not len(begin):
        return begin, end
    first = np.concatenate([[True], begin[1:] > end[:-1]])
    return begin[first], end[np.concatenate([first[1:], [True]])]


def during(begin_ns: I64, end_ns: I64, energy: Curve) -> Curve:
    """What a curve grows by in intervals, which may overlap; nothing outside of them."""
    return _restricted(begin_ns, end_ns, energy, is_inside=True)


def outside(begin_ns: I64, end_ns: I64, energy: Curve) -> Curve:
    """What a curve grows by outside of intervals."""
    return _restricted(begin_ns, end_ns, energy, is_inside=False)


def _restricted(begin_ns: I64, end_ns: I64, energy: Curve, *, is_inside: bool) -> Curve:
    edges = distinct(np.concatenate([energy.t_ns, begin_ns, end_ns]))
    if len(edges) < 2:
        return EMPTY_CURVE
    counted = (counts(edges, begin_ns, end_ns) > 0) == is_inside
    return Curve(edges, cumulative(np.diff(energy.at(edges)) * counted))


def counts(edges: I64, begin_ns: I64, end_ns: I64) -> I64:
    """The number of intervals that contain each step between edges. All begins and ends are edges."""
    change = np.zeros(len(edges), np.int64)
    np.add.at(change, np.searchsorted(edges, begin_ns), 1)
    np.add.at(change, np.searchsorted(edges, end_ns), -1)
    return np.cumsum(change)[:-1]
