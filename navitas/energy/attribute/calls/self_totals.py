"""Totals of call paths by test and thread, without callees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.forest import binned, row_sums
from navitas.recording.parse.arrays import F64, I64, ColumnTable, Rows
from navitas.recording.parse.tables import CallCost

CALLS, THROWS, CUTS = range(3)
"""Rows of `SelfTotals.counts`."""
WALL_NS, CPU_NS, ALTERNATIVE_J, INSIDE_J, OUTSIDE_J, PROBES_NS = range(6)
"""Rows of `SelfTotals.amounts`: times, joules of the alternative model (0 without one), and the probes of the calls: their energy
inside of the calls and outside, in the callers, and their time."""
AMOUNTS = 6
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class SelfTotals(ColumnTable):
    """Time, energy and calls of call paths without callees, by test and thread.

    `window` is the test's window. `counts` has the rows `CALLS`, `THROWS` and `CUTS`; `amounts` has those from `WALL_NS` on.
    `joules` has the energy of each component that threads use, by its number.
    """

    window: I64
    thread: I64
    path: I64
    counts: I64
    amounts: F64
    joules: Mapping[int, F64]

    def chosen(self, rows: Rows) -> SelfTotals:
        """Some of the totals."""
        joules = {component: column[rows] for component, column in self.joules.items()}
        keys = self.window[rows], self.thread[rows], self.path[rows]
        return SelfTotals(*keys, self.counts[:, rows], self.amounts[:, rows], joules)

    def with_probes(self, cost: CallCost | None) -> SelfTotals:
        """The totals with the energy and time of probes. Without a cost, probes have none.

        So far, `INSIDE_J` and `OUTSIDE_J` are the power at the probes: joules per ns of their mean cost, summed over calls.
        """
        amounts = self.amounts.copy()
        amounts[[INSIDE_J, OUTSIDE_J]] = 0.0
        if cost is not None:
            calls, thrown = self.counts[CALLS], self.counts[THROWS]
            inside_ns = (calls - thrown) * cost.inside_ns + thrown * cost.thrown_inside_ns
            outside_ns = (calls - thrown) * cost.outside_ns + thrown * cost.thrown_outside_ns
            j_per_ns = self.amounts[[INSIDE_J, OUTSIDE_J]] / np.maximum(calls, 1)
            amounts[INSIDE_J], amounts[OUTSIDE_J] = inside_ns * j_per_ns[0], outside_ns * j_per_ns[1]
            amounts[PROBES_NS] = inside_ns + outside_ns
        return SelfTotals(self.window, self.thread, self.path, self.counts, amounts, self.joules)


NO_TOTALS = SelfTotals(_NONE, _NONE, _NONE, np.empty((3, 0), np.int64), np.empty((AMOUNTS, 0)), {})


def merged_totals(parts: Sequence[SelfTotals]) -> SelfTotals:
    """Sum up all parts into one row per window, thread and path."""
    if not parts:
        return NO_TOTALS
    window, thread, path = (np.concatenate([getattr(part, name) for part in parts]) for name in ("window", "thread", "path"))
    pair = np.unique(window * (thread.max(initial=0) + 1) + thread, return_inverse=True)[1]
    key, first, group = np.unique(pair * (int(path.max(initial=0)) + 1) + path, return_index=True, return_inverse=True)
    size = len(key)
    counts, amounts = (np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("counts", "amounts"))
    joules = {}
    for component in sorted({component for part in parts for component in part.joules}):
        columns = [part.joules.get(component, np.zeros(len(part))) for part in parts]
        joules[component] = binned(group, np.concatenate(columns), size)
    summed = row_sums(group, counts, size).astype(np.int64), row_sums(group, amounts, size)
    return SelfTotals(window[first], thread[first], path[first], *summed, joules)
