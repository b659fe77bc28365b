"""Times and joules of spans of time, read from a run's curves, one column each."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.calls.local_cost import SAME_TIME, LocalCost, local_cost
from navitas.attribute.component import ThreadCurves
from navitas.attribute.curves import Curve, Knots, distinct, in_sorted
from navitas.parse.arrays import F64, I64
from navitas.parse.sampled_cost import NO_SAMPLES
from navitas.parse.serials import indexes
from navitas.parse.tables import RunTables

WALL_NS, CPU_NS, ALTERNATIVE_J, INSIDE_CALLS_J_PER_NS, OUTSIDE_CALLS_J_PER_NS, JOULES = range(6)
"""Columns. From `JOULES` on, each component has one. `ALTERNATIVE_J` is 0 without an alternative model.

`INSIDE_CALLS_J_PER_NS` and `OUTSIDE_CALLS_J_PER_NS`: the thread's power at the probes of calls, inside and outside of the call,
in joules per ns of their mean cost, summed over calls. Spans of time have zeros.
"""
CALLS_J_PER_NS = slice(INSIDE_CALLS_J_PER_NS, OUTSIDE_CALLS_J_PER_NS + 1)


@dataclass(frozen=True, slots=True)
class _Power:
    """The component whose curves have CPU times, and its joules per ns of CPU time.

    `j_per_ns` has the intervals of `Knots.slopes`, with NaN where no CPU time passes; `mean_j_per_ns` has the threads.
    `cost` is how the cost of probes depends on them.
    """

    component: int
    knots: Knots
    j_per_ns: F64
    mean_j_per_ns: F64
    cost: LocalCost = SAME_TIME


class Amounts:
    """Reads wall time, CPU time, the alternative model's joules and each component's joules of threads.

    A component without thread energy (None) has zeros. `columns` is the number of columns.
    """

    def __init__(self, components: Sequence[ThreadCurves | None], alternative: Curve | None) -> None:
        self.columns = JOULES + len(components)
        self._alternative = alternative
        self._tracks: list[tuple[Knots, list[tuple[int, F64, F64]]]] = []
        self._power: _Power | None = None
        for number, curves in enumerate(components):
            if curves is not None:
                tracks = [(JOULES + number, curves.energy_j)]
                tracks += [] if curves.cpu_ns is None else [(CPU_NS, curves.cpu_ns)]
                knots = curves.knots
                self._tracks.append((knots, [(column, value, knots.slopes(value)) for column, value in tracks]))
                if curves.cpu_ns is not None:
                    self._power = _power(number, knots, curves.energy_j, curves.cpu_ns)

    def with_local_cost(self, run: RunTables) -> Amounts:
        """Return these amounts with the dependence on power that the run's samples of the cost of probes show."""
        both = [] if run.probe_cost is None else [run.probe_cost.events.samples, run.probe_cost.folded.samples]
        samples = max(both, key=lambda one: len(one.t_ns), default=NO_SAMPLES)
        if self._power is None or not len(samples.t_ns):
            return self
        thread = indexes(samples.serial, [thread.serial for thread in run.threads])
        known = np.flatnonzero(thread >= 0)
        t_ns = samples.t_ns[known]
        power = np.zeros(len(thread))
        power[known] = self.mean_power(thread[known], self.between(thread[known], t_ns, t_ns + samples.whole_ns[known]))
        found = copy(self)
        found._power = replace(self._power, cost=local_cost(samples, power))
        return found

    def between(self, thread: I64, from_ns: I64, to_ns: I64) -> F64:
        """Return one row per span; span i is from from_ns[i] to to_ns[i] on the thread thread[i]."""
        rows = np.zeros((len(thread), self.columns))
        rows[:, WALL_NS] = to_ns - from_ns
        for knots, tracks in self._tracks:
            before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
            for column, value, _ in tracks:
                rows[:, column] = after.read(value) - before.read(value)
        if self._alternative is not None:
            rows[:, ALTERNATIVE_J] = self._alternative.at(to_ns) - self._alternative.at(from_ns)
        return rows

    def mean_power(self, thread: I64, rows: F64) -> F64:
        """Return the mean power at the probes of spans, in joules per ns of their mean cost. `rows` are those of `between`."""
        if (power := self._power) is None:
            return np.zeros(len(rows))
        joules, cpu_ns = rows[:, JOULES + power.component], rows[:, CPU_NS]
        return power.cost.charged(np.divide(joules, cpu_ns, out=power.mean_j_per_ns[thread], where=cpu_ns > 0))

    def power(self, threads: Sequence[int], start: I64, t_ns: I64) -> tuple[F64, F64]:
        """Return the power at probes just before and just after each point, like `mean_power`. Arguments: those of `steps`."""
        if (power := self._power) is None:
            return np.zeros(len(t_ns)), np.zeros(len(t_ns))
        owner, cost = np.array(threads, np.int64), power.cost
        mean = cost.charged(power.mean_j_per_ns)

        def beside(*, before: bool) -> F64:
            first, count = power.knots.runs(owner, start, t_ns, before=before)
            found = np.repeat(cost.charged(power.j_per_ns[first : first + len(count)]), count)
            unknown = np.flatnonzero(np.isnan(found))
            found[unknown] = mean[owner[np.searchsorted(start, unknown, side="right") - 1]]
            return found

        return beside(before=True), beside(before=False)

    def steps(self, threads: Sequence[int], start: I64, t_ns: I64) -> list[tuple[int, F64]]:
        """Return the growth from each point to the next one of its stretch, as (column, values). A stretch's last value is 0.

        Stretch i belongs to threads[i] and has the ascending times t_ns[start[i]:start[i + 1]]. Stretches are sorted by thread.
        Columns of zeros, and the power at probes, are omitted.
        """
        owner = np.array(threads, np.int64)
        spent_ns = np.empty(len(t_ns))
        np.subtract(t_ns[1:], t_ns[:-1], out=spent_ns[:-1], casting="unsafe")
        spent_ns[start[1:] - 1] = 0.0
        columns = [(WALL_NS, spent_ns)]
        for knots, tracks in self._tracks:
            first, count = knots.runs(owner, start, t_ns)
            # Between a point and the next one, the slope changes at each knot.
            bent = distinct(np.cumsum(count)[:-1] - 1)
            bent = bent[(bent >= 0) & ~in_sorted(bent, start[1:] - 1)]
            bent_owner = owner[np.searchsorted(start, bent, side="right") - 1]
            low, high = knots.place(bent_owner, t_ns[bent]), knots.place(bent_owner, t_ns[bent + 1])
            for column, value, slope in tracks:
                step = np.repeat(slope[first : first + len(count)], count) * spent_ns
                step[bent] = high.read(value) - low.read(value)
                columns.append((column, step))
        if self._alternative is not None:
            step = np.diff(self._alternative.at(t_ns), append=0.0)
            step[start[1:] - 1] = 0.0
            columns.append((ALTERNATIVE_J, step))
        return columns


def _power(component: int, knots: Knots, energy_j: F64, cpu_ns: F64) -> _Power:
    first, last = knots.start[:-1], knots.start[1:] - 1
    return _Power(
        component,
        knots,
        _quotient(knots.slopes(energy_j), knots.slopes(cpu_ns), np.nan),
        _quotient(energy_j[last] - energy_j[first], cpu_ns[last] - cpu_ns[first], 0.0),
    )


def _quotient(joules: F64, cpu_ns: F64, unknown: float) -> F64:
    return np.asarray(np.divide(joules, cpu_ns, out=np.full(len(joules), unknown), where=cpu_ns > 0), np.float64)
