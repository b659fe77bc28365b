"""What a run's curves say of spans of time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.curves import F64, Curve, distinct, held
from navitas.attribute.energy import RunEnergy
from navitas.parse.tables import I64

JOULES, WALL_NS, CPU_NS, PAPER1_J, INSIDE_NS, OUTSIDE_NS = range(6)
SPENT = 4
"""So many columns are what the curves say; after them, what probes took inside of calls and in their callers (overhead.py)."""


class Amounts:
    """What a run's curves say: joules, wall ns, CPU ns and (given its curve) paper 1's joules: `SPENT` columns."""

    def __init__(self, energy: RunEnergy, paper1: Curve | None) -> None:
        self._energy = energy
        self._paper1 = paper1
        self._joules_per_ns = energy.knots.slopes(energy.energy_j)
        self._cpu_per_ns = energy.knots.slopes(energy.cpu_ns)

    def between(self, thread: I64, from_ns: I64, to_ns: I64) -> F64:
        """One row for each span."""
        found = np.zeros((len(thread), SPENT))
        knots = self._energy.knots
        before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
        found[:, JOULES] = after.read(self._energy.energy_j) - before.read(self._energy.energy_j)
        found[:, WALL_NS] = to_ns - from_ns
        found[:, CPU_NS] = after.read(self._energy.cpu_ns) - before.read(self._energy.cpu_ns)
        if self._paper1 is not None:
            found[:, PAPER1_J] = self._paper1.at(to_ns) - self._paper1.at(from_ns)
        return found

    def steps(self, threads: Sequence[int], start: I64, t_ns: I64) -> list[F64]:
        """What each point adds up to the next one of its stretch (the last one: nothing): the columns, paper 1's if asked for.

        Stretch i is of threads[i] and has the ascending times t_ns[start[i]:start[i + 1]]; stretches are in the threads' order.
        """
        knots = self._energy.knots
        owner = np.array(threads, np.int64)
        first, count = knots.runs(owner, start, t_ns)
        spent_ns = np.empty(len(t_ns))
        np.subtract(t_ns[1:], t_ns[:-1], out=spent_ns[:-1], casting="unsafe")
        spent_ns[start[1:] - 1] = 0.0
        slopes = (slope[first : first + len(count)] for slope in (self._joules_per_ns, self._cpu_per_ns))
        found = [np.repeat(slope, count) * spent_ns for slope in slopes]
        # Where knots lie between a point and the next one, it is no one slope.
        bent = distinct(np.cumsum(count)[:-1] - 1)
        bent = bent[(bent >= 0) & ~held(bent, start[1:] - 1)]
        of = owner[np.searchsorted(start, bent, side="right") - 1]
        low, high = knots.place(of, t_ns[bent]), knots.place(of, t_ns[bent + 1])
        for step, curve in zip(found, (self._energy.energy_j, self._energy.cpu_ns), strict=True):
            step[bent] = high.read(curve) - low.read(curve)
        found.insert(WALL_NS, spent_ns)
        if self._paper1 is not None:
            found.append(np.diff(self._paper1.at(t_ns), append=0.0))
            found[-1][start[1:] - 1] = 0.0
        return found
