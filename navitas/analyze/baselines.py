"""Runs with probes beside the runs without them (`--baseline`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from navitas.analyze.records import TestEnergy


@dataclass(frozen=True, slots=True)
class BaselinePairs:
    """What a test's own threads used, as medians over its runs that have a run without probes beside them.

    `probed_j` is with probes, `compensated_j` without the probes' energy by their sampled cost alone, `unprobed_j` as measured
    without probes; `probes_j` is the probes' energy by their sampled cost.
    """

    runs: int
    probed_j: float
    compensated_j: float
    unprobed_j: float
    probes_j: float

    @property
    def error(self) -> float | None:
        """How far `compensated_j` is off `unprobed_j`, as a share of the latter; None where nothing was used without probes."""
        return self.compensated_j / self.unprobed_j - 1 if self.unprobed_j > 0 else None

    @property
    def exceeds_probes(self) -> bool:
        """Whether the two differ by more than all that probes used, so that the runs themselves differ."""
        return abs(self.compensated_j - self.unprobed_j) > self.probes_j


def baseline_pairs(tests: Iterable[TestEnergy]) -> BaselinePairs | None:
    """Compare the runs of one test with those without probes; None where no run has one beside it."""
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

    `by_baseline`: runs without probes corrected the estimate.
    """

    energy_j: float
    compensated_j: float
    by_baseline: bool


def compensated_totals(tests: Iterable[TestEnergy]) -> CompensatedTotals | None:
    """What tests used with and without probes; None where no probes' energy was taken off."""
    given = list(tests)
    if not any(test.probes_j for test in given):
        return None
    return CompensatedTotals(
        energy_j=sum(test.energy_j for test in given),
        compensated_j=sum(test.compensated_j for test in given),
        by_baseline=any(test.unprobed_j for test in given),
    )


def _sampled_j(test: TestEnergy) -> float:
    return test.probes_j if test.sampled_probes_j is None else test.sampled_probes_j
