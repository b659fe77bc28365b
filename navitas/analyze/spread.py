"""One figure over repeats: its values, how many they are, their median and how far they lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median as median_of

from navitas.analyze.ledger_tables import LedgerTables
from navitas.analyze.records import TestEnergy
from navitas.analyze.roll_up import MethodTotal, method_totals


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
    repeats = sorted({test.repeat for test in tests})
    by_repeat = [totals] if len(repeats) == 1 else [_of_repeat(tables, tests, repeat) for repeat in repeats]
    found = [{each.method.identity: each for each in own} for own in by_repeat]
    return tuple(_of_method(total, [own.get(total.method.identity) for own in found]) for total in totals)


def _of_repeat(tables: LedgerTables, tests: Sequence[TestEnergy], repeat: int) -> tuple[MethodTotal, ...]:
    return method_totals(tables, [test for test in tests if test.repeat == repeat])


def _of_method(total: MethodTotal, repeats: Sequence[MethodTotal | None]) -> MethodRepeats:
    return MethodRepeats(
        total,
        Spread(tuple(0.0 if each is None else each.exclusive_j for each in repeats)),
        Spread(tuple(0.0 if each is None else each.inclusive_j for each in repeats)),
        tuple(0 if each is None else each.calls for each in repeats),
    )
