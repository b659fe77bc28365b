"""Estimate a test's energy without probes, from its calls and their cost, and from baseline runs if there are any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import median, pstdev
from typing import NamedTuple

from navitas.recording.parse.tables import ProbeCost

TIMED_LOSS, TICKED_LOSS = 0.2, 0.8
"""Relative standard error of the sampled cost of a call's probes (docs/accuracy.md), in timed modes and in mode `tick`.

Probes prevent inlining and other optimizations, at a cost that differs by method. Probes that read ticks are cheap, so this
cost dominates.
"""
_MIN_SPREAD = 0.1
"""The least relative standard deviation assumed for a test's baseline runs, since a few runs may agree by chance."""

TestKey = tuple[str, str, str]
"""Module, class and method."""


class ProbesError(NamedTuple):
    """Relative standard errors of the energy of a run's probes.

    `spread`: of their sampled cost. `loss`: what the compiler would have saved without probes. It is alike in all runs of an app.
    """

    spread: float
    loss: float

    @property
    def total(self) -> float:
        """The relative standard error by both causes."""
        return hypot(self.spread, self.loss)


@dataclass(frozen=True, slots=True)
class Unprobed:
    """A test's energy in one baseline run.

    `threads_j` is the energy of its threads without those of `NOT_THE_TESTS`, of the component whose energy probes use.
    """

    key: TestKey
    status: str
    energy_j: float
    threads_j: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """An energy and its standard error, in joules."""

    value_j: float
    error_j: float

    def combined(self, other: Estimate) -> Estimate:
        """The mean of two independent estimates, weighted by 1 / error²."""
        own_weight, other_weight = (1 / max(each.error_j, 1e-12) ** 2 for each in (self, other))
        mean = (self.value_j * own_weight + other.value_j * other_weight) / (own_weight + other_weight)
        return Estimate(mean, 1 / sqrt(own_weight + other_weight))


@dataclass(frozen=True, slots=True)
class Baseline:
    """A test's energy without probes: the total, and that of its threads (as in `Unprobed`)."""

    total: Estimate
    threads: Estimate


class Baselines:
    """The baseline runs of all tests."""

    def __init__(self, tests: Iterable[Unprobed]) -> None:
        self._tests: defaultdict[TestKey, list[Unprobed]] = defaultdict(list)
        for test in tests:
            if test.status != "cut":
                self._tests[test.key].append(test)

    def find(self, key: TestKey, status: str) -> Baseline | None:
        """The baseline of a test over all repeats with the same status; None if no baseline run has the test."""
        runs = [test for test in self._tests.get(key, ()) if test.status == status]
        if not runs:
            return None
        return Baseline(_typical([test.energy_j for test in runs]), _typical([test.threads_j for test in runs]))


def _typical(values: Sequence[float]) -> Estimate:
    middle = median(values)
    return Estimate(middle, max(_MIN_SPREAD * abs(middle), pstdev(values)) / sqrt(len(values)))


@dataclass(frozen=True, slots=True)
class Measured:
    """The energy of one run of a test, and of its probes by their sampled cost.

    `threads_j` is as in `Unprobed`. `passive_j` is base energy and other processes' energy.
    `probes_share` is the share of the test's wall time that the probes of its busiest thread took.
    """

    energy_j: float
    threads_j: float
    jit_j: float
    passive_j: float
    probes_j: float
    probes_share: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """The probes' energy and the test's compensated energy. `sampled_probes_j` is from the sampled cost alone."""

    sampled_probes_j: float
    probes: Estimate
    compensated: Estimate


def compensation(measured: Measured, relative_error: float, baseline: Baseline | None) -> Estimates:
    """Estimate from the sampled cost with its relative error, and from the baseline; weights are 1 / error²."""
    share = min(max(measured.probes_share, 0.0), 1.0)
    probes = Estimate(measured.probes_j, relative_error * abs(measured.probes_j))
    # Without probes, their time would not have passed. The JIT compiler's energy for probes is unknown.
    passive_j = share * measured.passive_j
    jit_error_j = measured.jit_j * min(max(measured.probes_j / measured.threads_j, 0.0), 1.0) if measured.threads_j > 0 else 0.0
    error_j = hypot(probes.error_j + relative_error * passive_j, jit_error_j)
    compensated = Estimate(measured.energy_j - probes.value_j - passive_j, error_j)
    if baseline is None or not measured.probes_j:
        return Estimates(probes.value_j, probes, compensated)
    by_baseline = Estimate(measured.threads_j - baseline.threads.value_j, baseline.threads.error_j)
    return Estimates(probes.value_j, probes.combined(by_baseline), compensated.combined(baseline.total))


def relative_error(cost: ProbeCost | None, *, ticked: bool) -> ProbesError | None:
    """Relative standard error of the probes' energy; None if their cost is unknown."""
    if cost is None:
        return None
    spread = max(each.spread_ns / max(each.inside_ns + each.outside_ns, 1e-9) for each in (cost.events, cost.folded))
    return ProbesError(spread, TICKED_LOSS if ticked else TIMED_LOSS)
