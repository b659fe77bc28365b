"""Self totals of call paths by row, where a row is a thread in a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.self_totals import AMOUNTS, INSIDE_J, OUTSIDE_J, PROBES_NS, SelfTotals
from navitas.energy.attribute.curves import distinct, in_sorted
from navitas.energy.attribute.forest import binned, row_sums
from navitas.recording.parse.arrays import F64, I64
from navitas.recording.parse.reasons import Reason


@dataclass(frozen=True, slots=True)
class CallNodes:
    """One entry per row and call path, sorted by row, then path. All callers of a path have entries, too.

    `parent` is the caller's entry, -1 for an outermost call. `counts`, `amounts` and `joules` are as in `SelfTotals`.
    """

    row: I64
    path: I64
    parent: I64
    counts: I64
    amounts: F64
    joules: Mapping[int, F64]


def nodes_of(parts: Sequence[tuple[I64, SelfTotals]], paths: Paths) -> CallNodes:
    """Merge totals by row and path. Each of `parts` has the rows of its totals, and the totals."""
    width = len(paths)
    keys = [row * width + totals.path for row, totals in parts]
    key = _with_callers(distinct(np.concatenate([np.empty(0, np.int64), *keys])), paths)
    size = len(key)
    counts, amounts = np.zeros((3, size)), np.zeros((AMOUNTS, size))
    joules: dict[int, F64] = {}
    for (_, totals), part_key in zip(parts, keys, strict=True):
        node = np.searchsorted(key, part_key)
        counts += row_sums(node, totals.counts, size)
        amounts += row_sums(node, totals.amounts, size)
        for component, column in totals.joules.items():
            joules[component] = joules.get(component, 0.0) + binned(node, column, size)
    row, path = key // width, key % width
    caller = paths.parent[path]
    parent = np.where(caller == OUTSIDE, -1, np.searchsorted(key, row * width + caller))
    return CallNodes(row, path, parent, counts.astype(np.int64), amounts, joules)


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
