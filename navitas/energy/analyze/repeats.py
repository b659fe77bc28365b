"""The runs of each test over repeats: their medians, their pace, and their comparison with runs without probes (`--baseline`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import fmean, median

import numpy as np

from navitas.energy.analyze.cpu_use import CpuUse, CpuUses
from navitas.energy.analyze.records import TestEnergy
from navitas.energy.analyze.spread import Spread, counted_repeats
from navitas.recording.parse.arrays import F64, I64

_SAME_CALLS = 1.02
"""Repeats did the same work if the ratio of their numbers of calls is at most this factor."""
_MOST_SCALED = 2.0
"""The largest factor, and one divided by it the smallest, by which a median scales the mean of runs."""


@dataclass(frozen=True, slots=True)
class BaselinePairs:
    """The energy of a test's threads: medians over its runs that have a baseline run.

    - `runs`: the number of these runs.
    - `probed_j`: measured with probes.
    - `compensated_j`: `probed_j` minus the probes' energy, estimated from their sampled cost alone.
    - `unprobed_j`: measured without probes.
    - `probes_j`: the probes' energy, estimated from their sampled cost.
    """

    runs: int
    probed_j: float
    compensated_j: float
    unprobed_j: float
    probes_j: float

    @property
    def error(self) -> float | None:
        """The relative error of `compensated_j` against `unprobed_j`. None if `unprobed_j` is zero."""
        return self.compensated_j / self.unprobed_j - 1 if self.unprobed_j > 0 else None

    @property
    def exceeds_probes(self) -> bool:
        """Whether `compensated_j` and `unprobed_j` differ by more than `probes_j`. If so, the runs differ for other reasons."""
        return abs(self.compensated_j - self.unprobed_j) > self.probes_j


def baseline_pairs(tests: Iterable[TestEnergy]) -> BaselinePairs | None:
    """Compare the runs of one test with their baseline runs. Returns None if it has no baseline run."""
    pairs = [(test, test.unprobed_threads_j) for test in tests if test.unprobed_threads_j is not None]
    if not pairs:
        return None
    return BaselinePairs(
        runs=len(pairs),
        probed_j=median(test.threads_j for test, _ in pairs),
        compensated_j=median(test.threads_j - _sampled_j(test) for test, _ in pairs),
        unprobed_j=median(threads_j for _, threads_j in pairs),
        probes_j=median(_sampled_j(test) for test, _ in pairs),
    )


@dataclass(frozen=True, slots=True)
class CompensatedTotals:
    """Sums over tests: `energy_j` with probes and `compensated_j` without them.

    `by_baseline`: whether baseline runs corrected the estimate.
    """

    energy_j: float
    compensated_j: float
    by_baseline: bool


def compensated_totals(tests: Iterable[TestEnergy]) -> CompensatedTotals | None:
    """Sum the energy of tests with and without probes. Returns None if no probe energy was subtracted."""
    tests = list(tests)
    if not any(test.probes_j for test in tests):
        return None
    return CompensatedTotals(
        energy_j=sum(test.energy_j for test in tests),
        compensated_j=sum(test.compensated_j for test in tests),
        by_baseline=any(test.unprobed_j for test in tests),
    )


def _sampled_j(test: TestEnergy) -> float:
    return test.probes_j if test.sampled_probes_j is None else test.sampled_probes_j


@dataclass(frozen=True, slots=True)
class Repeats:
    """All runs of one test, in order.

    - `energy_j`, `compensated_j`, `app_j`: runs count if they ended normally. If none did, all runs count.
    - `typical`: the run whose app energy is nearest to its median. Reports that show a single run show this one.
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
    app_j = Spread(tuple(test.app_j for test in tests), counts)
    median_j = app_j.median
    return Repeats(
        *key,
        tests=tests,
        energy_j=energy_j,
        compensated_j=Spread(tuple(test.compensated_j for test in tests), counts),
        app_j=app_j,
        typical=min(counted, key=lambda test: abs(test.app_j - median_j)),
        components=tuple(map(median, zip(*(test.components for test in counted), strict=True))),
    )


def weights_of_tests(size: int, tests: Sequence[Sequence[Repeats]]) -> tuple[I64, F64]:
    """Return for each row of `Ledger.tests` its test, and what counts of it: app energy, other energy, calls and times."""
    rows, numbers, weights_of_rows = list[int](), list[int](), list[tuple[float, float, float]]()
    for number, merged in enumerate(tests):
        for repeats in merged:
            counted = list(compress(repeats.tests, repeats.app_j.counts or [True] * len(repeats.tests)))
            app_j = repeats.app_j.median
            app = _weights(app_j, [test.app_j for test in counted])
            rest = _weights(repeats.compensated_j.median - app_j, [test.energy_j - test.threads_j for test in counted])
            used = sum(weight != 0 for weight in app)
            for test, of_app, of_rest in zip(counted, app, rest, strict=True):
                rows += test.rows
                numbers += [number] * len(test.rows)
                weights_of_rows += [(of_app, of_rest, (of_app != 0) / used)] * len(test.rows)
    group, weights = np.full(size, -1, np.int64), np.zeros((3, size))
    group[rows], weights[:, rows] = numbers, np.array(weights_of_rows).reshape(-1, 3).T
    return group, weights


def _weights(median_j: float, values_j: Sequence[float]) -> list[float]:
    """Return what counts of each run's energy, so that the runs add up to their median: the same part of each run.

    Where the mean is far from the median, such as near 0, scaling would blow up the runs. There, the middle run counts alone, or
    the two middle ones of an even number.
    """
    mean_j, size = fmean(values_j), len(values_j)
    if mean_j and 1 / _MOST_SCALED <= median_j / mean_j <= _MOST_SCALED:
        return [median_j / mean_j / size] * size
    middle = sorted(range(size), key=values_j.__getitem__)[(size - 1) // 2 : size // 2 + 1]
    return [1 / len(middle) if run in middle else 0.0 for run in range(size)]


@dataclass(frozen=True, slots=True)
class Pace:
    """The CPU use of a test's runs, in the order of `repeats.tests`.

    Each ratio is the largest value divided by the smallest value of the runs in `whole`. It is None for a single run, and if the
    smallest value is 0.
    """

    repeats: Repeats
    uses: tuple[CpuUse, ...]
    whole: tuple[CpuUse, ...]
    """The CPU use of the runs that ended, also of starved ones, but not of warm-ups. If there is none, of the runs that count."""

    @property
    def cpu_ratio(self) -> float | None:
        """The ratio of CPU times."""
        return _ratio([use.cpu_ns for use in self.whole])

    @property
    def calls_ratio(self) -> float | None:
        """The ratio of numbers of calls."""
        return _ratio([use.calls for use in self.whole])

    @property
    def rate_ratio(self) -> float | None:
        """The ratio of CPU times per second of wall time."""
        return _ratio([use.cpu_per_s for use in self.whole])

    @property
    def same_calls(self) -> bool:
        """Whether all runs made about the same number of calls, or no calls were recorded."""
        return not any(use.calls for use in self.whole) or (self.calls_ratio or float("inf")) <= _SAME_CALLS


def repeat_pace(repeats: Repeats, uses: CpuUses) -> Pace:
    """Return the pace of a test that ran."""
    all_uses = tuple(map(uses.of_test, repeats.tests))
    ended = [test.status != "cut" and "warmup" not in test.unfit for test in repeats.tests]
    return Pace(repeats, all_uses, tuple(compress(all_uses, ended if any(ended) else repeats.energy_j.counts)))


def _ratio(values: Sequence[float]) -> float | None:
    return max(values) / min(values) if len(values) > 1 and min(values) > 0 else None
