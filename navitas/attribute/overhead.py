"""What probes took, moved from the methods to the thread: calls times their sampled cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.amounts import INSIDE_NS, JOULES, OUTSIDE_NS
from navitas.attribute.curves import F64
from navitas.attribute.items import CALLS, THROWS, Items
from navitas.attribute.result import TestEnergy
from navitas.attribute.rows import Rows
from navitas.attribute.tree import Tree
from navitas.parse.tables import CallCost

NO_COST = (
    "what probes cost was not calibrated: their energy is in the figures of methods (tests calibrate at their start; "
    "`record` and older recordings do not)"
)


def with_probes(items: Items, cost: CallCost | None) -> Items:
    """The items with two columns more: what their calls' probes took inside of them, and outside, in their callers."""
    found = np.zeros((len(items.path), 2))
    if cost is not None:
        thrown = items.counts[:, THROWS]
        returned = items.counts[:, CALLS] - thrown
        found[:, 0] = returned * cost.inside_ns + thrown * cost.thrown_inside_ns
        found[:, 1] = returned * cost.outside_ns + thrown * cost.thrown_outside_ns
    return replace(items, amounts=np.column_stack([items.amounts, found]))


def with_baseline(tests: Sequence[TestEnergy], beside: Sequence[TestEnergy]) -> list[TestEnergy]:
    """The tests, each with what it used in the run without probes of the same repeat."""
    known = {(test.module, test.class_name, test.method, test.repeat): test for test in beside if test.wall_ns > 0}
    pairs = ((test, known.get((test.module, test.class_name, test.method, test.repeat))) for test in tests)
    return [
        replace(test, unprobed_j=without.energy_j, unprobed_threads_j=without.threads_j) if without is not None else test
        for test, without in pairs
    ]


@dataclass(frozen=True, slots=True)
class Probes:
    """Joules of probes, by the nodes of a tree: within a node itself, and within it and all below; and by row.

    A call's own probes are charged in two parts: what passes inside of it to its node, the rest to its caller's, or to what is
    untraced.
    """

    exclusive_j: F64
    inclusive_j: F64
    row_j: F64
    row_untraced_j: F64

    def scaled(self, tree: Tree, factor: F64) -> Probes:
        """The same times a factor of each row."""
        of_node = factor[tree.row]
        nodes = self.exclusive_j * of_node, self.inclusive_j * of_node
        return Probes(*nodes, self.row_j * factor, self.row_untraced_j * factor)


def probes_of(tree: Tree, rows: Rows) -> Probes:
    """What probes used, at each row's joules a nanosecond of CPU time. Never clamped: it may be more than a method has."""
    rate = np.divide(rows.energy_j, rows.cpu_ns, out=np.zeros(len(rows)), where=rows.cpu_ns > 0)
    size, is_root = len(tree.row), tree.parent < 0
    outside: F64 = tree.exclusive[:, OUTSIDE_NS]
    of_callees = np.bincount(tree.parent[~is_root], outside[~is_root], size)
    own = tree.exclusive[:, INSIDE_NS] + of_callees
    whole = tree.inclusive[:, INSIDE_NS] + tree.inclusive[:, OUTSIDE_NS] - outside
    node_rate = rate[tree.row]
    untraced: F64 = np.bincount(tree.row[is_root], outside[is_root], len(rows)).astype(np.float64) * rate
    in_calls: F64 = np.bincount(tree.row, own, len(rows)).astype(np.float64) * rate
    return Probes(own * node_rate, whole * node_rate, in_calls + untraced, untraced)


def compensated(tree: Tree, probes: Probes) -> Tree:
    """The tree without the probes' energy."""
    exclusive, inclusive = tree.exclusive.copy(), tree.inclusive.copy()
    exclusive[:, JOULES] -= probes.exclusive_j
    inclusive[:, JOULES] -= probes.inclusive_j
    return replace(tree, exclusive=exclusive, inclusive=inclusive)
