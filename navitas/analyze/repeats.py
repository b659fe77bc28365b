"""Repeated runs of one test, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from navitas.analyze.records import TestEnergy
from navitas.analyze.spread import Spread


@dataclass(frozen=True, slots=True)
class Repeats:
    """All runs of one test in order. `energy_j` and `compensated_j` are over those that ran to their end, or over all when none
    did.

    `typical` is the run whose energy is nearest to the median: where one run is shown, it is this.
    """

    module: str
    class_name: str
    method: str
    tests: tuple[TestEnergy, ...]
    energy_j: Spread
    compensated_j: Spread
    typical: TestEnergy

    @property
    def median_j(self) -> float:
        """The median of `energy_j`."""
        return self.energy_j.median

    @property
    def compensated_median_j(self) -> float:
        """The median of `compensated_j`."""
        return self.compensated_j.median


def repeats_of(tests: Sequence[TestEnergy]) -> tuple[Repeats, ...]:
    """Group tests by module, class and method, in the order in which they first ran; tests that never ran are left out."""
    groups: dict[tuple[str, str, str], list[TestEnergy]] = {}
    for test in tests:
        if test.wall_ns > 0:
            groups.setdefault((test.module, test.class_name, test.method), []).append(test)
    return tuple(_repeats(key, group) for key, group in groups.items())


def _repeats(key: tuple[str, str, str], tests: list[TestEnergy]) -> Repeats:
    whole = [test for test in tests if test.status != "cut"] or tests
    spread = Spread(tuple(test.energy_j for test in whole))
    compensated = Spread(tuple(test.compensated_j for test in whole))
    return Repeats(*key, tuple(tests), spread, compensated, min(whole, key=lambda test: abs(test.energy_j - spread.median)))
