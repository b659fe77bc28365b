"""One figure over the repeats that count: its values, their median, their range, and the 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from math import exp, fsum, hypot, log, sqrt
from statistics import NormalDist, fmean
from statistics import median as median_of

import numpy as np

from navitas.energy.analyze.ledger_tables import LedgerTables
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.roll_up import MethodTotal, grouped_methods, method_totals
from navitas.energy.analyze.uncertainty import COVER_95
from navitas.energy.attribute.forest import binned
from navitas.recording.parse.arrays import F64, I64, Bool

_STUDENT_T = (12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389)
"""97.5 % quantiles of Student's t distribution for 1 to 10 degrees of freedom."""
_NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class CountedRepeats:
    """The repeats that count for each test.

    - `repeats`: the numbers of the repeats, ascending.
    - `counts`: whether a repeat counts for a test. Shape: tests × repeats.
    - `test`: the test of each record, as a row of `counts`.
    - `record_counts`: whether each record counts for its test.
    """

    repeats: tuple[int, ...]
    counts: Bool
    test: I64
    record_counts: Bool

    def for_groups(self, group: I64, record: I64, size: int) -> Bool:
        """Return the repeats that count for groups of tests, such as the tests that call a method. Shape: `size` × repeats.

        A repeat counts for a group if it counts for all tests of the group. If no repeat does, all repeats count.
        `group` and `record` are parallel columns: the group includes the test of the record.
        """
        pairs = np.unique(self.test[record] * max(size, 1) + group)
        first = np.searchsorted(pairs, np.arange(len(self.counts) + 1) * max(size, 1))
        found = np.ones((size, len(self.repeats)), bool)
        for test, repeat in np.argwhere(~self.counts).tolist():
            found[pairs[first[test] : first[test + 1]] % max(size, 1), repeat] = False
        found[~found.any(axis=1)] = True
        return found


def counted_repeats(tests: Sequence[TestEnergy]) -> CountedRepeats:
    """Find the repeats that count for each test: those in which it ran, was not cut, and has no reason in `unfit`.

    If there is none, these count, the first that exist: those that are no warm-up and were not cut, those that were not cut,
    those in which the test ran. If it never ran, all repeats count.
    `tests` has one record for each run of each test, as `Profile.tests`.
    """
    repeats, column = np.unique([test.repeat for test in tests], return_inverse=True)
    keys: dict[tuple[str, str, str], int] = {}
    row = np.array([keys.setdefault((test.module, test.class_name, test.method), len(keys)) for test in tests], np.int64)
    ran = np.array([test.wall_ns > 0 for test in tests], bool)
    ended = ran & np.array([test.status != "cut" for test in tests], bool)
    fit = ended & np.array([not test.unfit for test in tests], bool)
    after_warmup = ended & np.array(["warmup" not in test.unfit for test in tests], bool)
    record_counts = _first_of(row, len(keys), (fit, after_warmup, ended, ran))
    counts = np.zeros((len(keys), len(repeats)), bool)
    counts[row[record_counts], column[record_counts]] = True
    counts[~counts.any(axis=1)] = True
    return CountedRepeats(tuple(repeats.tolist()), counts, row, record_counts)


def _first_of(row: I64, size: int, choices: Sequence[Bool]) -> Bool:
    """Return the records of the first choice that has any record of the same row."""
    found, is_open = np.zeros(len(row), bool), np.ones(size, bool)
    for chosen in choices:
        found |= chosen & is_open[row]
        is_open[row[chosen]] = False
    return found


def repeat_totals(tests: Sequence[TestEnergy]) -> dict[int, float]:
    """Return the energy of all tests in each repeat that counts for all of them; in each repeat, if there is none."""
    found = counted_repeats(tests)
    chosen = [repeat for repeat, counts in zip(found.repeats, found.counts.T.tolist(), strict=True) if all(counts)]
    sums = dict.fromkeys(chosen or found.repeats, 0.0)
    for test in tests:
        if test.repeat in sums:
            sums[test.repeat] += test.energy_j
    return sums


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of the typical value of runs in the same session. It says nothing about other sessions.

    For values above zero, it is the interval of the median of a log-normal distribution, by Student's t of the logarithms.
    For other values, it is that of the mean.
    """

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the width."""
        return (self.high - self.low) / 2

    @property
    def relative_percent(self) -> float | None:
        """Half of the width, in percent of the middle: the geometric mean of both ends. None unless both are above zero."""
        return 50 * (self.high - self.low) / sqrt(self.low) / sqrt(self.high) if self.low > 0 else None


def interval_of(values: Sequence[float]) -> Interval | None:
    """Return the interval of a figure's runs; None for fewer than two runs."""
    if len(values) < 2:
        return None
    is_log = min(values) > 0
    used = list(map(log, values)) if is_log else values
    mean, half = fmean(used), mean_half_width(used)
    # With two wildly different values, the interval has no bound that a number can hold.
    return Interval(exp(mean - min(half, 600.0)), exp(min(mean + half, 600.0))) if is_log else Interval(mean - half, mean + half)


def mean_half_width(values: Sequence[float]) -> float:
    """Return half of the width of the 95 % interval of the mean of at least two values, by Student's t."""
    mean, size = fmean(values), len(values)
    deviation = sqrt(fsum((value - mean) ** 2 for value in values) / (size - 1))
    return student_t(size - 1) * deviation / sqrt(size)


def interval_around(value: float, runs: Sequence[Spread], *, alone: float, shared: float) -> Interval:
    """Return a figure's 95 % interval, by the measurement and by the spread of its runs.

    - `runs`: the figure over its runs; for a sum, its addends, whose spreads are independent.
    - `alone`: half of the width by the measurement, which counts if nothing has two runs.
    - `shared`: the standard error that all runs share.
    """
    spreads = [(of.median, interval) for of in runs if (interval := of.interval) is not None]
    if not spreads:
        return Interval(value - alone, value + alone)
    below, above = (
        [max(side, 0.0) for side in sides] for sides in zip(*((m - i.low, i.high - m) for m, i in spreads), strict=True)
    )
    return Interval(value - hypot(COVER_95 * shared, *below), value + hypot(COVER_95 * shared, *above))


def student_t(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution, to 0.01 %.

    Source: for more than 10 degrees of freedom, the expansion 26.7.5 of Abramowitz and Stegun, "Handbook of Mathematical
    Functions".
    """
    if freedom <= len(_STUDENT_T):
        return _STUDENT_T[freedom - 1]
    z, n = _NORMAL, freedom
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over repeats.

    - `values`: one value for each repeat, in order.
    - `counts`: whether each value counts in the statistics. At least one does. Empty if all count.
    """

    values: tuple[float, ...]
    counts: tuple[bool, ...] = ()

    @property
    def counted(self) -> tuple[float, ...]:
        """The values that count."""
        return tuple(compress(self.values, self.counts)) if self.counts else self.values

    @property
    def median(self) -> float:
        """The median."""
        counted = self.counted
        return counted[0] if len(counted) == 1 else float(median_of(counted))

    @property
    def spread(self) -> float:
        """The range: the largest value minus the smallest."""
        counted = self.counted
        return max(counted) - min(counted)

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the typical value, for other runs in the same session. None for a single value that counts."""
        return interval_of(self.counted)

    @property
    def deviation(self) -> float:
        """The largest absolute deviation from the median."""
        middle = self.median
        return max(abs(value - middle) for value in self.counted)


@dataclass(frozen=True, slots=True)
class MethodRepeats:
    """One method over all tests, with a value for each repeat.

    `total` holds the sums over all repeats. The value is 0 for a repeat without the method.
    A repeat counts if it counts for each test that calls the method (`CountedRepeats.for_groups`).
    """

    total: MethodTotal
    exclusive_j: Spread
    inclusive_j: Spread
    calls: tuple[int, ...]


def method_repeats(tables: LedgerTables, tests: Sequence[TestEnergy]) -> tuple[MethodRepeats, ...]:
    """Return one record for each method, largest self energy first."""
    totals = method_totals(tables, tests)
    repeats = np.array(sorted({test.repeat for test in tests}), np.int64)
    if len(repeats) == 1:
        return tuple(
            MethodRepeats(total, Spread((total.exclusive_j,)), Spread((total.inclusive_j,)), (total.calls,)) for total in totals
        )
    rows, (chosen, known, index) = tables.methods, grouped_methods(tables, tests)
    test = tables.threads.test[rows.tree[chosen]]
    place = np.searchsorted(repeats, tables.ledger.tests.repeat[test])
    cell, shape = index * len(repeats) + place, (len(known), len(repeats))

    def by_repeat(values: F64 | I64) -> F64:
        return binned(cell, values, shape[0] * shape[1]).reshape(shape)

    exclusive_j = by_repeat(rows.exclusive_j[chosen].sum(axis=1))
    inclusive_j = by_repeat(rows.inclusive_j[chosen].sum(axis=1))
    calls = by_repeat(rows.counts[chosen, 0]).astype(np.int64)
    order = np.searchsorted(known, [total.id for total in totals])
    counts = repeats_that_count(tests, index, test, len(known))
    return tuple(
        MethodRepeats(total, Spread(tuple(exclusive), counted), Spread(tuple(inclusive), counted), tuple(each))
        for total, exclusive, inclusive, each, counted in zip(
            totals,
            exclusive_j[order].tolist(),
            inclusive_j[order].tolist(),
            calls[order].tolist(),
            [()] * len(totals) if counts is None else map(tuple, counts[order].tolist()),
            strict=True,
        )
    )


def repeats_that_count(tests: Sequence[TestEnergy], figure: I64, test: I64, size: int) -> Bool | None:
    """Return the repeats that count for each figure, such as a method's. None if all count. Shape: `size` × repeats.

    `figure` and `test` are parallel columns: the test, a row of `Ledger.tests`, is a part of the figure.
    """
    found = counted_repeats(tests)
    if found.counts.all():
        return None
    record = np.zeros(max((row for each in tests for row in each.rows), default=0) + 1, np.int64)
    for number, each in enumerate(tests):
        record[list(each.rows)] = number
    return found.for_groups(figure, record[test], size)
