"""Totals of call paths without callees: by test and thread, and by row, where a row is a thread in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.curves import distinct, grouped, in_sorted
from navitas.energy.attribute.forest import binned, row_sums
from navitas.recording.parse.arrays import F64, I64, ColumnTable, Rows
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import CallCost

CALLS, THROWS, CUTS = range(3)
"""Rows of `SelfTotals.counts`."""
WALL_NS, CPU_NS, ALTERNATIVE_J, INSIDE_J, OUTSIDE_J, PROBES_NS = range(6)
"""Rows of `SelfTotals.amounts`: times, joules of the alternative model (0 without one), and the probes of the calls: their energy
inside of the calls and outside, in the callers, and their time."""
AMOUNTS = 6
SAMPLES, SQUARES_J2, SELF_TURNS_J2, TURNS_J2 = range(4)
"""Rows of `SelfTotals.draws`: the number of stack samples, the sum of the squares of their energies, and their turns
(sample_turns.py), of self and of inclusive energy."""
DRAWS = 4
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class SelfTotals(ColumnTable):
    """Time, energy and calls of call paths without callees, by test and thread.

    `window` is the test's window. `counts` has the rows `CALLS`, `THROWS` and `CUTS`; `amounts` has those from `WALL_NS` on.
    `joules` has the energy of each component that threads use, by its number. `draws` has the rows from `SAMPLES` on;
    None for totals of calls.
    """

    window: I64
    thread: I64
    path: I64
    counts: I64
    amounts: F64
    joules: Mapping[int, F64]
    draws: F64 | None = None

    def chosen(self, rows: Rows) -> SelfTotals:
        """Some of the totals."""
        joules = {component: column[rows] for component, column in self.joules.items()}
        keys = self.window[rows], self.thread[rows], self.path[rows]
        draws = None if self.draws is None else self.draws[:, rows]
        return SelfTotals(*keys, self.counts[:, rows], self.amounts[:, rows], joules, draws)

    def scaled(self, factor: F64) -> SelfTotals:
        """The totals with a part of the amounts and energy of each row."""
        joules = {component: column * factor for component, column in self.joules.items()}
        return replace(self, amounts=self.amounts * factor, joules=joules)

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
        return replace(self, amounts=amounts)


NO_TOTALS = SelfTotals(_NONE, _NONE, _NONE, np.empty((3, 0), np.int64), np.empty((AMOUNTS, 0)), {})


def merged_totals(parts: Sequence[SelfTotals]) -> SelfTotals:
    """Sum up all parts into one row per window, thread and path. All parts are of samples, or none is."""
    if not parts:
        return NO_TOTALS
    window, thread, path = (np.concatenate([getattr(part, name) for part in parts]) for name in ("window", "thread", "path"))
    pair = grouped(window * (thread.max(initial=0) + 1) + thread)[1]
    row, group = grouped(pair * (int(path.max(initial=0)) + 1) + path)
    size = len(row)
    counts, amounts = (np.concatenate([getattr(part, name) for part in parts], axis=1) for name in ("counts", "amounts"))
    joules = {}
    for component in sorted({component for part in parts for component in part.joules}):
        columns = [part.joules.get(component, np.zeros(len(part))) for part in parts]
        joules[component] = binned(group, np.concatenate(columns), size)
    summed = row_sums(group, counts, size).astype(np.int64), row_sums(group, amounts, size)
    drawn = [part.draws for part in parts if part.draws is not None]
    draws = row_sums(group, np.concatenate(drawn, axis=1), size) if drawn else None
    return SelfTotals(window[row], thread[row], path[row], *summed, joules, draws)


@dataclass(frozen=True, slots=True)
class CallNodes:
    """One entry per row and call path, sorted by row, then path. All callers of a path have entries, too.

    `parent` is the caller's entry, -1 for an outermost call. `counts`, `amounts`, `joules` and `draws` are as in `SelfTotals`.
    """

    row: I64
    path: I64
    parent: I64
    counts: I64
    amounts: F64
    joules: Mapping[int, F64]
    draws: F64 | None = None


def nodes_of(parts: Sequence[tuple[I64, SelfTotals]], paths: Paths) -> CallNodes:
    """Merge totals by row and path. Each of `parts` has the rows of its totals, and the totals."""
    width = len(paths)
    keys = [row * width + totals.path for row, totals in parts]
    key = _with_callers(distinct(np.concatenate([np.empty(0, np.int64), *keys])), paths)
    size = len(key)
    counts, amounts = np.zeros((3, size)), np.zeros((AMOUNTS, size))
    joules: dict[int, F64] = {}
    draws: F64 | None = None
    for (_, totals), part_key in zip(parts, keys, strict=True):
        node = np.searchsorted(key, part_key)
        counts += row_sums(node, totals.counts, size)
        amounts += row_sums(node, totals.amounts, size)
        for component, column in totals.joules.items():
            joules[component] = joules.get(component, 0.0) + binned(node, column, size)
        if totals.draws is not None:
            draws = row_sums(node, totals.draws, size)
    row, path = key // width, key % width
    caller = paths.parent[path]
    parent = np.where(caller == OUTSIDE, -1, np.searchsorted(key, row * width + caller))
    return CallNodes(row, path, parent, counts.astype(np.int64), amounts, joules, draws)


def _with_callers(key: I64, paths: Paths) -> I64:
    """The keys (row × paths + path) and the keys of all callers, each once, ascending."""
    up = stride = np.maximum(paths.parent, OUTSIDE)
    while not in_sorted(_above(key, up), key).all():
        # Strides of 1, 2, 4, 8 … calls together reach every caller.
        key = distinct(np.concatenate([key, _above(key, stride)]))
        stride = stride[stride]
    return key


def _above(key: I64, up: I64) -> I64:
    path = key % len(up)
    above: I64 = (key - path + up[path])[up[path] != OUTSIDE]
    return above


NO_COST = Reason(
    "no_probe_cost",
    "the cost of probes was not calibrated: their energy is included in the energy of methods (tests calibrate at their start; "
    "`record` and older recordings do not)",
)


@dataclass(frozen=True, slots=True)
class ProbesEnergy:
    """Joules of probes: in each node, in each row, and in each row outside of probed methods. `row_ns` is their time in each row.

    The probes of a call have two costs. The one inside of the call belongs to its node. The other belongs to the caller's node,
    or to the time outside of probed methods.
    """

    node_j: F64
    row_j: F64
    row_outside_j: F64
    row_ns: F64

    def scaled(self, nodes: CallNodes, factor: F64) -> ProbesEnergy:
        """These figures multiplied by a factor per row."""
        rows = (self.row_j, self.row_outside_j, self.row_ns)
        return ProbesEnergy(self.node_j * factor[nodes.row], *(column * factor for column in rows))


def no_probes(nodes: CallNodes, rows: int) -> ProbesEnergy:
    """No energy of probes, for a component that running code does not use."""
    return ProbesEnergy(np.zeros(len(nodes.row)), *np.zeros((3, rows)))


def probes_energy(nodes: CallNodes, rows: int) -> ProbesEnergy:
    """Assign the energy of probes to nodes and rows. Not clamped: it may exceed a method's energy."""
    is_root = nodes.parent < 0
    outside_j: F64 = nodes.amounts[OUTSIDE_J]
    node_j = nodes.amounts[INSIDE_J] + np.bincount(nodes.parent[~is_root], outside_j[~is_root], len(nodes.row))
    row_outside_j = binned(nodes.row[is_root], outside_j[is_root], rows)
    row_ns = binned(nodes.row, nodes.amounts[PROBES_NS], rows)
    return ProbesEnergy(node_j, binned(nodes.row, node_j, rows) + row_outside_j, row_outside_j, row_ns)
