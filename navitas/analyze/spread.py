"""One figure over repeats: its values, their median and their range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from statistics import median as median_of

import numpy as np

from navitas.analyze.counted import counted_repeats
from navitas.analyze.intervals import Interval, interval_of
from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import TestEnergy
from navitas.analyze.roll_up import MethodTotal, grouped_methods, method_totals
from navitas.attribute.forest import binned
from navitas.parse.arrays import F64, I64, Bool


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
