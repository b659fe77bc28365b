"""One figure over repeats: its values, their median, their range, and the 95 % interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from math import exp, log, sqrt
from statistics import NormalDist, fmean, stdev
from statistics import median as median_of

import numpy as np

from navitas.analyze.counted import counted_repeats
from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import TestEnergy
from navitas.analyze.roll_up import MethodTotal, grouped_methods, method_totals
from navitas.attribute.forest import binned
from navitas.parse.arrays import F64, I64, Bool

_STUDENT_T = (12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389)
"""97.5 % quantiles of Student's t distribution for 1 to 10 degrees of freedom."""
_NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of the typical value of runs in the same session. It says nothing about other sessions.

    For values above zero, it is the interval of the median of a log-normal distribution, by Student's t of the logarithms.
    For other values, it is that of the mean.
    """

    low: float
    high: float

    @property
    def relative_percent(self) -> float | None:
        """Half of the width, in percent of the middle: the geometric mean of both ends. None unless both are above zero."""
        return 50 * (self.high - self.low) / sqrt(self.low) / sqrt(self.high) if self.low > 0 else None


def interval_of(values: Sequence[float]) -> Interval | None:
    """Return the interval of a figure's runs; None for fewer than two runs."""
    if len(values) < 2:
        return None
    if min(values) <= 0:
        half = student_t(len(values) - 1) * stdev(values) / sqrt(len(values))
        return Interval(fmean(values) - half, fmean(values) + half)
    logs = [log(value) for value in values]
    half = student_t(len(values) - 1) * stdev(logs) / sqrt(len(logs))
    # With two wildly different values, the interval has no bound that a number can hold.
    return Interval(exp(fmean(logs) - min(half, 600.0)), exp(min(fmean(logs) + half, 600.0)))


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
        return float(median_of(self.counted))

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
    counts = _counts(tests, index, test, len(known))
    return tuple(
        MethodRepeats(total, Spread(tuple(exclusive), counted), Spread(tuple(inclusive), counted), tuple(each))
        for total, exclusive, inclusive, each, counted in zip(
            totals,
            exclusive_j[order].tolist(),
            inclusive_j[order].tolist(),
            calls[order].tolist(),
            repeat((), len(totals)) if counts is None else map(tuple, counts[order].tolist()),
            strict=True,
        )
    )


def _counts(tests: Sequence[TestEnergy], method: I64, test: I64, methods: int) -> Bool | None:
    """Return the repeats that count for each method. None if all count. Shape: methods × repeats.

    `method` and `test` are parallel columns: the test calls the method.
    """
    found = counted_repeats(tests)
    if found.counts.all():
        return None
    record = np.zeros(max((row for each in tests for row in each.rows), default=0) + 1, np.int64)
    for number, each in enumerate(tests):
        record[list(each.rows)] = number
    return found.for_groups(method, record[test], methods)
