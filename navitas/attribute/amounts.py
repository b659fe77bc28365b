"""What a run's curves say of spans of time."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import F64, Curve
from navitas.attribute.energy import RunEnergy
from navitas.parse.tables import I64

JOULES, WALL_NS, CPU_NS, PAPER1_J = range(4)


class Amounts:
    """What a run's curves say: joules, wall ns, CPU ns and (given its curve) paper 1's joules."""

    def __init__(self, energy: RunEnergy, paper1: Curve | None) -> None:
        self._energy = energy
        self._paper1 = paper1
        self._joules_per_ns = energy.knots.slopes(energy.energy_j)
        self._cpu_per_ns = energy.knots.slopes(energy.cpu_ns)

    def between(self, thread: I64, from_ns: I64, to_ns: I64) -> F64:
        """One row for each span."""
        found = np.zeros((len(thread), 4))
        knots = self._energy.knots
        before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
        found[:, JOULES] = after.read(self._energy.energy_j) - before.read(self._energy.energy_j)
        found[:, WALL_NS] = to_ns - from_ns
        found[:, CPU_NS] = after.read(self._energy.cpu_ns) - before.read(self._energy.cpu_ns)
        if self._paper1 is not None:
            found[:, PAPER1_J] = self._paper1.at(to_ns) - self._paper1.at(from_ns)
        return found

    def steps(self, thread: I64, start: I64, t_ns: I64) -> list[F64]:
        """What each point adds up to the next one of its stretch (the last one: nothing), a column of `Items.amounts` each.

        Stretch i is of `thread[i]` and has the ascending times t_ns[start[i]:start[i + 1]]; stretches are in the threads' order.
        """
        knots, last = self._energy.knots, start[1:] - 1
        left = knots.before(thread, start, t_ns)
        since_ns = np.maximum(t_ns - knots.t_ns[left], 0)
        values = [
            self._energy.energy_j[left] + self._joules_per_ns[left] * since_ns,
            t_ns,
            self._energy.cpu_ns[left] + self._cpu_per_ns[left] * since_ns,
        ]
        if self._paper1 is not None:
            values.append(self._paper1.at(t_ns))
        found = [np.diff(value, append=value[-1:]).astype(np.float64) for value in values]
        for step in found:
            step[last] = 0.0
        return found
