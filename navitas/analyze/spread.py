"""One figure over repeats: its values, how many they are, their median and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median as median_of

import numpy as np

from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import TestEnergy
from navitas.analyze.roll_up import MethodTotal, grouped_methods, method_totals
from navitas.attribute.forest import binned
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class Spread:
    """`values` in the order of repeats; `spread` is the largest less the smallest. At least one value."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle value, or the mean of the two in the middle."""
        return float(median_of(self.values))

    @property
    def spread(self) -> float:
        """The largest value less the smallest."""
        return max(self.values) - min(self.values)

    @property
    def deviation(self) -> float:
        """How far a value lies from the median, at most."""
        middle = self.median
        return max(abs(value - middle) for value in self.values)


@dataclass(frozen=True, slots=True)
class MethodRepeats:
    """One method over all tests, repeat by repeat; `total` are the sums over all repeats. A repeat without it counts as 0."""

    total: MethodTotal
    exclusive_j: Spread
    inclusive_j: Spread
    calls: tuple[int, ...]


def method_repeats(tables: LedgerTables, tests: Sequence[TestEnergy]) -> tuple[MethodRepeats, ...]:
    """Each method once, largest exclusive energy first."""
    totals = method_totals(tables, tests)
    repeats = np.array(sorted({test.repeat for test in tests}), np.int64)
    if len(repeats) == 1:
        return tuple(
            MethodRepeats(total, Spread((total.exclusive_j,)), Spread((total.inclusive_j,)), (total.calls,)) for total in totals
        )
    rows, (chosen, known, index) = tables.methods, grouped_methods(tables, tests)
    place = np.searchsorted(repeats, tables.ledger.tests.repeat[tables.threads.test[rows.tree[chosen]]])
    cell, shape = index * len(repeats) + place, (len(known), len(repeats))

    def by_repeat(values: F64 | I64) -> F64:
        return binned(cell, values, shape[0] * shape[1]).reshape(shape)

    exclusive_j = by_repeat(rows.exclusive_j[chosen].sum(axis=1))
    inclusive_j = by_repeat(rows.inclusive_j[chosen].sum(axis=1))
    calls = by_repeat(rows.counts[chosen, 0]).astype(np.int64)
    order = np.searchsorted(known, [total.id for total in totals])
    return tuple(
        MethodRepeats(total, Spread(tuple(exclusive)), Spread(tuple(inclusive)), tuple(each))
        for total, exclusive, inclusive, each in zip(
            totals, exclusive_j[order].tolist(), inclusive_j[order].tolist(), calls[order].tolist(), strict=True
        )
    )
