"""Times and joules of spans of time, read from a run's curves, one column each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.calls.self_totals import ALTERNATIVE_J, AMOUNTS, CPU_NS, WALL_NS
from navitas.energy.attribute.component import ThreadCurves
from navitas.energy.attribute.curves import Curve, Knots, distinct, in_sorted, overlaps
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.chunks import indexes
from navitas.recording.parse.sampled_cost import NO_SAMPLES, ProbeSamples
from navitas.recording.parse.tables import RunTables

_LEAST_RATIO = 1.5
"""Slow and fast samples whose power differs by less than this factor do not show an exponent."""
_OUTER = 0.1


@dataclass(frozen=True, slots=True)
class LocalCost:
    """`exponent` is between 0 (the same time on all cores) and 1 (the same energy)."""

    exponent: float
    reference_j_per_ns: float

    def charged(self, j_per_ns: F64) -> F64:
        """Return the energy of one ns of the mean cost, where a ns of CPU time costs `j_per_ns`."""
        if not self.exponent:
            return j_per_ns
        return np.asarray(j_per_ns ** (1 - self.exponent) * self.reference_j_per_ns**self.exponent * (j_per_ns > 0), np.float64)


SAME_TIME = LocalCost(0.0, 0.0)


def local_cost(samples: ProbeSamples, j_per_ns: F64) -> LocalCost:
    """Compare the samples at low power with those at high power. `j_per_ns` has the power of each sample, 0 if unknown."""
    known = j_per_ns > 0
    if not known.any():
        return SAME_TIME
    log = np.log(np.where(known, j_per_ns, 1.0))
    is_fast = log > np.quantile(log[known], [_OUTER, 1 - _OUTER]).mean()
    halves = known & ~is_fast, known & is_fast
    slow_ns, fast_ns = map(samples.per_call, halves)
    if slow_ns is None or fast_ns is None or min(slow_ns, fast_ns) <= 0:
        return SAME_TIME
    log_ratio = float(log[halves[1]].mean() - log[halves[0]].mean())
    exponent = min(max(float(np.log(slow_ns / fast_ns)) / log_ratio, 0.0), 1.0) if log_ratio >= np.log(_LEAST_RATIO) else 0.0
    if not exponent:
        return SAME_TIME
    return LocalCost(exponent, float(np.mean(j_per_ns[known] ** -exponent) ** (-1 / exponent)))


JOULES = AMOUNTS
"""The row of a component's joules in `Growth`."""
Growth = list[tuple[int, int, F64]]
"""What grows from each point to the next one of its stretch: component, row, values."""


@dataclass(frozen=True, slots=True)
class PointPower:
    """The power at probes just after each point, and just before it, as in `Amounts.mean_power`.

    Both are the same, except at the points `at` (ascending), which are at knots. There, the power is `before_at` before them.
    `after` is empty without a power.
    """

    after: F64
    at: I64
    before_at: F64

    def before(self, points: I64) -> F64:
        """The power just before points."""
        power = self.after[points]
        place = np.minimum(np.searchsorted(self.at, points), len(self.at) - 1)
        hit = np.flatnonzero(self.at[place] == points) if len(self.at) else place[:0]
        power[hit] = self.before_at[place[hit]]
        return power


NO_POWER = PointPower(np.empty(0), np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True, slots=True)
class _Power:
    """The component whose curves have CPU times, and its joules per ns of CPU time.

    `j_per_ns` has the intervals of `Knots.slopes`, with NaN where no CPU time passes; `mean_j_per_ns` has the threads.
    `cost` is how the cost of probes depends on them.
    """

    component: int
    j_per_ns: F64
    mean_j_per_ns: F64
    cost: LocalCost = SAME_TIME

    def at(self, owner: I64, start: I64, first: int, count: I64, at_knots: tuple[I64, I64]) -> PointPower:
        """The power at points: `count` of them are in each interval from `first` on. `at_knots` are knots, and points at them."""
        intervals = self.cost.charged(self.j_per_ns[first : first + len(count)])
        after, before, points = np.repeat(intervals, count), intervals[at_knots[0]], at_knots[1]
        if np.isnan(intervals).any():
            mean = self.cost.charged(self.mean_j_per_ns)
            for power, of in ((after, None), (before, points)):
                unknown = np.flatnonzero(np.isnan(power))
                power[unknown] = mean[owner[np.searchsorted(start, unknown if of is None else of[unknown], side="right") - 1]]
        return PointPower(after, points, before)


class Amounts:
    """Reads wall time, CPU time, the alternative model's joules and each component's joules of threads.

    `components` has the curves of the components that threads use, by their numbers.
    """

    def __init__(self, components: Mapping[int, ThreadCurves], alternative: Curve | None) -> None:
        self._alternative = alternative
        self._tracks: list[tuple[int, Knots, list[tuple[int, F64, F64]]]] = []
        self._power: _Power | None = None
        for number, curves in components.items():
            values = [(JOULES, curves.energy_j)] + ([] if curves.cpu_ns is None else [(CPU_NS, curves.cpu_ns)])
            knots = curves.knots
            self._tracks.append((number, knots, [(row, value, knots.slopes(value)) for row, value in values]))
            if curves.cpu_ns is not None:
                self._power = _power(number, knots, curves.energy_j, curves.cpu_ns)

    def with_local_cost(self, run: RunTables) -> Amounts:
        """Return these amounts with the dependence on power that the run's samples of the cost of probes show."""
        cost = run.calls.probe_cost
        both = [] if cost is None else [cost.events.samples, cost.folded.samples]
        samples = max(both, key=lambda one: len(one.t_ns), default=NO_SAMPLES)
        if self._power is None or not len(samples.t_ns):
            return self
        thread = indexes(samples.serial, [thread.serial for thread in run.threads])
        known = np.flatnonzero(thread >= 0)
        t_ns = samples.t_ns[known]
        power = np.zeros(len(thread))
        power[known] = self.mean_power(thread[known], *self.between(thread[known], t_ns, t_ns + samples.whole_ns[known]))
        local = copy(self)
        local._power = replace(self._power, cost=local_cost(samples, power))
        return local

    def between(self, thread: I64, from_ns: I64, to_ns: I64) -> tuple[F64, dict[int, F64]]:
        """Return the amounts and joules (`SelfTotals`) of spans: span i is from from_ns[i] to to_ns[i] on thread[i]."""
        amounts, joules = np.zeros((AMOUNTS, len(thread))), {}
        amounts[WALL_NS] = to_ns - from_ns
        for component, knots, tracks in self._tracks:
            before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
            for row, value, _ in tracks:
                grown = after.read(value) - before.read(value)
                if row == JOULES:
                    joules[component] = grown
                else:
                    amounts[row] = grown
        if self._alternative is not None:
            amounts[ALTERNATIVE_J] = self._alternative.at(to_ns) - self._alternative.at(from_ns)
        return amounts, joules

    def certain_cpu_ns(self, thread: I64, from_ns: I64, to_ns: I64) -> F64:
        """Return the CPU time of the steps of threads' clocks that lie within spans as a whole.

        When in a step a thread ran is not known: what a clock's curve has in a part of it may lie in another part.
        """
        for _, knots, tracks in self._tracks:
            for row, value, _ in tracks:
                if row == CPU_NS:
                    before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
                    first = np.where(before.fraction > 0, before.right, before.left)
                    return np.maximum(value[after.left] - value[first], 0.0)
        return np.zeros(len(thread))

    def clocks(self, thread: I64, t_ns: I64) -> tuple[F64, dict[int, F64]]:
        """Return the CPU time that threads had used at times, and the joules per ns of CPU time there, by component.

        Where no CPU time passes, they are the thread's mean.
        """
        for component, knots, tracks in self._tracks:
            for row, value, _ in tracks:
                if row == CPU_NS and self._power is not None:
                    between, power = knots.place(thread, t_ns), self._power
                    j_per_ns = power.j_per_ns[between.left + 1]
                    return between.read(value), {component: np.where(np.isnan(j_per_ns), power.mean_j_per_ns[thread], j_per_ns)}
        return np.zeros(len(thread)), {}

    def mean_power(self, thread: I64, amounts: F64, joules: Mapping[int, F64]) -> F64:
        """Return the mean power at the probes of spans, in joules per ns of their mean cost, from the results of `between`."""
        if (power := self._power) is None:
            return np.zeros(len(thread))
        cpu_ns = amounts[CPU_NS]
        j_per_ns = np.divide(joules[power.component], cpu_ns, out=power.mean_j_per_ns[thread], where=cpu_ns > 0)
        return power.cost.charged(j_per_ns)

    def read(self, threads: Sequence[int], start: I64, t_ns: I64) -> tuple[Growth, PointPower]:
        """Return the growth from each point to the next one of its stretch, as (component, row, values), and the power at probes.

        The row is one of `SelfTotals.amounts`, or `JOULES`, which alone depends on the component. A stretch's last value is 0.
        Stretch i belongs to threads[i] and has the ascending times t_ns[start[i]:start[i + 1]]. Stretches are sorted by thread.
        """
        owner = np.array(threads, np.int64)
        spent_ns = np.empty(len(t_ns))
        np.subtract(t_ns[1:], t_ns[:-1], out=spent_ns[:-1], casting="unsafe")
        spent_ns[start[1:] - 1] = 0.0
        steps = [(-1, WALL_NS, spent_ns)]
        probes = NO_POWER
        for component, knots, tracks in self._tracks:
            first, before, up_to = knots.passed(owner, start, t_ns)
            count = np.diff(before, prepend=0, append=len(t_ns))
            # Between a point and the next one, the slope changes at each knot.
            bent = distinct(before - 1)
            bent = bent[(bent >= 0) & ~in_sorted(bent, start[1:] - 1)]
            bent_owner = owner[np.searchsorted(start, bent, side="right") - 1]
            low, high = knots.place(bent_owner, t_ns[bent]), knots.place(bent_owner, t_ns[bent + 1])
            for row, value, slope in tracks:
                step = np.repeat(slope[first : first + len(count)], count)
                step *= spent_ns
                step[bent] = high.read(value) - low.read(value)
                steps.append((component, row, step))
            if self._power is not None and self._power.component == component:
                probes = self._power.at(owner, start, first, count, overlaps(before, up_to - 1))
        if self._alternative is not None:
            step = np.diff(self._alternative.at(t_ns), append=0.0)
            step[start[1:] - 1] = 0.0
            steps.append((-1, ALTERNATIVE_J, step))
        return steps, probes


def _power(component: int, knots: Knots, energy_j: F64, cpu_ns: F64) -> _Power:
    first, last = knots.start[:-1], knots.start[1:] - 1
    return _Power(
        component,
        _quotient(knots.slopes(energy_j), knots.slopes(cpu_ns), np.nan),
        _quotient(energy_j[last] - energy_j[first], cpu_ns[last] - cpu_ns[first], 0.0),
    )


def _quotient(joules: F64, cpu_ns: F64, unknown: float) -> F64:
    return np.asarray(np.divide(joules, cpu_ns, out=np.full(len(joules), unknown), where=cpu_ns > 0), np.float64)
