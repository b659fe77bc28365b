"""Runs with probes compared with runs without probes (`--baseline`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from navitas.analyze.records import TestEnergy


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
