"""What a test would have used without probes: by the calls and their cost, and by runs without probes where there are some."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import median, pstdev

from navitas.parse.tables import ProbeCost

TIMED_LOSS, TICKED_LOSS = 0.2, 0.8
"""How far the cost of a call's probes may differ from the sampled one, as a part of it (docs/accuracy.md).

Probes keep the compiler from inlining and optimising, which costs each method something else. Ticks' probes cost little by
themselves, so there it is most of the cost.
"""
_RUNS_DIFFER = 0.1
"""A test's runs without probes differ by at least this part of their energy, whatever a few of them show."""

TestKey = tuple[str, str, str]
"""Module, class and method."""


@dataclass(frozen=True, slots=True)
class Unprobed:
    """What one run of a test used without probes: in all, and its threads, but those of `NOT_THE_TESTS`, of the component that
    probes use.
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
        """The mean of two independent estimates, each weighed by 1 / error²."""
        of_self, of_other = (1 / max(each.error_j, 1e-12) ** 2 for each in (self, other))
        mean = (self.value_j * of_self + other.value_j * of_other) / (of_self + of_other)
        return Estimate(mean, 1 / sqrt(of_self + of_other))


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a test used without probes: in all, and its threads (as in `Unprobed`)."""

    whole: Estimate
    threads: Estimate


class Baselines:
    """The runs without probes of all tests."""

    def __init__(self, tests: Iterable[Unprobed]) -> None:
        self._tests: defaultdict[TestKey, list[Unprobed]] = defaultdict(list)
        for test in tests:
            if test.status != "cut":
                self._tests[test.key].append(test)

    def find(self, key: TestKey, status: str) -> Baseline | None:
        """The baseline of a test over all repeats with the same status; None if no run without probes has it."""
        found = [test for test in self._tests.get(key, ()) if test.status == status]
        if not found:
            return None
        return Baseline(_typical([test.energy_j for test in found]), _typical([test.threads_j for test in found]))


def _typical(values: Sequence[float]) -> Estimate:
    middle = median(values)
    return Estimate(middle, max(_RUNS_DIFFER * abs(middle), pstdev(values)) / sqrt(len(values)))


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of a test used, and its probes by their sampled cost.

    `threads_j` as in `Unprobed`; `passive_j` what the test used because time passed (idle and other processes);
    `probes_share` the part of the test's wall time that the probes of its busiest thread took.
    """

    energy_j: float
    threads_j: float
    jit_j: float
    passive_j: float
    probes_j: float
    probes_share: float


@dataclass(frozen=True, slots=True)
class Estimates:
    """What probes used (`sampled_probes_j` by their sampled cost alone), and what the test would have used without them."""

    sampled_probes_j: float
    probes: Estimate
    whole: Estimate


def compensation(measured: Measured, relative_error: float, baseline: Baseline | None) -> Estimates:
    """By the sampled cost, whose relative error is given; a baseline weighs as much as it is more exact than that."""
    share = min(max(measured.probes_share, 0.0), 1.0)
    probes = Estimate(measured.probes_j, relative_error * abs(measured.probes_j))
    # The time that probes took would not have passed; what the JIT compiler did on their account is not known.
    passive_j = share * measured.passive_j
    of_jit_j = measured.jit_j * min(max(measured.probes_j / measured.threads_j, 0.0), 1.0) if measured.threads_j > 0 else 0.0
    error_j = hypot(probes.error_j + relative_error * passive_j, of_jit_j)
    whole = Estimate(measured.energy_j - probes.value_j - passive_j, error_j)
    if baseline is None or not measured.probes_j:
        return Estimates(probes.value_j, probes, whole)
    without = Estimate(measured.threads_j - baseline.threads.value_j, baseline.threads.error_j)
    return Estimates(probes.value_j, probes.combined(without), whole.combined(baseline.whole))


def relative_error(cost: ProbeCost | None, *, ticked: bool) -> float | None:
    """How far the probes' energy may be off, as a part of it; None where no cost is known."""
    if cost is None:
        return None
    spread = max(each.spread_ns / max(each.inside_ns + each.outside_ns, 1e-9) for each in (cost.events, cost.folded))
    return hypot(spread, TICKED_LOSS if ticked else TIMED_LOSS)
