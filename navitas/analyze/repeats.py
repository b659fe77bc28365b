"""The runs of each test over repeats, and their medians."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import median

from navitas.analyze.baselines import BaselinePairs, baseline_pairs
from navitas.analyze.counted import counted_repeats
from navitas.analyze.records import TestEnergy
from navitas.analyze.spread import Spread


@dataclass(frozen=True, slots=True)
class Repeats:
    """All runs of one test, in order.

    - `energy_j`, `compensated_j`, `app_j`: runs count if they ended normally. If none did, all runs count.
    - `typical`: the run whose energy is nearest to the median. Reports that show a single run show this one.
    - `components`: the median energy of each component over the runs that count. Their sum can differ from the median energy.
    """

    module: str
    class_name: str
    method: str
    tests: tuple[TestEnergy, ...]
    energy_j: Spread
    compensated_j: Spread
    app_j: Spread
    typical: TestEnergy
    components: tuple[float, ...]

    @property
    def median_j(self) -> float:
        """The median of `energy_j`."""
        return self.energy_j.median

    @property
    def compensated_median_j(self) -> float:
        """The median of `compensated_j`."""
        return self.compensated_j.median

    @property
    def baseline(self) -> BaselinePairs | None:
        """The comparison with baseline runs. None without `--baseline`."""
        return baseline_pairs(self.tests)


def group_repeats(tests: Sequence[TestEnergy]) -> tuple[Repeats, ...]:
    """Group tests by module, class and method, in the order of their first runs. Tests that never ran are left out."""
    groups: dict[tuple[str, str, str], list[tuple[TestEnergy, bool]]] = {}
    for test, counts in zip(tests, counted_repeats(tests).record_counts.tolist(), strict=True):
        if test.wall_ns > 0:
            groups.setdefault((test.module, test.class_name, test.method), []).append((test, counts))
    return tuple(_repeats(key, *zip(*group, strict=True)) for key, group in groups.items())


def _repeats(key: tuple[str, str, str], tests: tuple[TestEnergy, ...], counts: tuple[bool, ...]) -> Repeats:
    counted = list(compress(tests, counts))
    energy_j = Spread(tuple(test.energy_j for test in tests), counts)
    median_j = energy_j.median
    return Repeats(
        *key,
        tests=tests,
        energy_j=energy_j,
        compensated_j=Spread(tuple(test.compensated_j for test in tests), counts),
        app_j=Spread(tuple(test.app_j for test in tests), counts),
        typical=min(counted, key=lambda test: abs(test.energy_j - median_j)),
        components=tuple(map(median, zip(*(test.components for test in counted), strict=True))),
    )
