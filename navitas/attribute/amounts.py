"""Times and joules of spans of time, read from a run's curves, one column each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.component import ThreadCurves
from navitas.attribute.curves import Curve, Knots, distinct, in_sorted
from navitas.parse.arrays import F64, I64

WALL_NS, CPU_NS, ALTERNATIVE_J, JOULES = range(4)
"""Columns. From `JOULES` on, each component has one. `ALTERNATIVE_J` is 0 without an alternative model."""


class Amounts:
    """Reads wall time, CPU time, the alternative model's joules and each component's joules of threads.

    A component without thread energy (None) has zeros. `columns` is the number of columns.
    """

    def __init__(self, components: Sequence[ThreadCurves | None], alternative: Curve | None) -> None:
        self.columns = JOULES + len(components)
        self._alternative = alternative
        self._tracks: list[tuple[Knots, list[tuple[int, F64, F64]]]] = []
        for number, curves in enumerate(components):
            if curves is not None:
                tracks = [(JOULES + number, curves.energy_j)]
                tracks += [] if curves.cpu_ns is None else [(CPU_NS, curves.cpu_ns)]
                knots = curves.knots
                self._tracks.append((knots, [(column, value, knots.slopes(value)) for column, value in tracks]))

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

    def steps(self, threads: Sequence[int], start: I64, t_ns: I64) -> list[tuple[int, F64]]:
        """Return the growth from each point to the next one of its stretch, as (column, values). A stretch's last value is 0.

        Stretch i belongs to threads[i] and has the ascending times t_ns[start[i]:start[i + 1]]. Stretches are sorted by thread.
        Columns of zeros are omitted.
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
