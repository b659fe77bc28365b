"""The energy of probes: the sampled cost of a call at the power of its thread. It is moved from methods to the thread."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.amounts import CALLS_J_PER_NS
from navitas.attribute.calls.nodes import CallNodes
from navitas.attribute.calls.self_totals import CALLS, THROWS, SelfTotals
from navitas.attribute.forest import binned
from navitas.parse.arrays import F64
from navitas.parse.reasons import Reason
from navitas.parse.tables import CallCost

INSIDE_J, OUTSIDE_J, PROBES_NS = -3, -2, -1
"""Columns that `with_probe_columns` adds: the energy of calls' probes inside of the calls, and in callers, and their time."""
NO_COST = Reason(
    "no_probe_cost",
    "the cost of probes was not calibrated: their energy is included in the energy of methods (tests calibrate at their start; "
    "`record` and older recordings do not)",
)


def with_probe_columns(totals: SelfTotals, cost: CallCost | None) -> SelfTotals:
    """Add the energy of the calls' probes, inside of the calls and outside, in the callers, and their time."""
    added = np.zeros((len(totals.path), 3))
    if cost is not None:
        calls, thrown = totals.counts[:, CALLS], totals.counts[:, THROWS]
        inside_ns = (calls - thrown) * cost.inside_ns + thrown * cost.thrown_inside_ns
        outside_ns = (calls - thrown) * cost.outside_ns + thrown * cost.thrown_outside_ns
        j_per_ns = totals.amounts[:, CALLS_J_PER_NS] / np.maximum(calls, 1)[:, None]
        added[:, INSIDE_J], added[:, OUTSIDE_J] = inside_ns * j_per_ns[:, 0], outside_ns * j_per_ns[:, 1]
        added[:, PROBES_NS] = inside_ns + outside_ns
    return replace(totals, amounts=np.column_stack([totals.amounts, added]))


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
    outside_j: F64 = nodes.amounts[:, OUTSIDE_J]
    node_j = nodes.amounts[:, INSIDE_J] + np.bincount(nodes.parent[~is_root], outside_j[~is_root], len(nodes.row))
    row_outside_j = binned(nodes.row[is_root], outside_j[is_root], rows)
    row_ns = binned(nodes.row, nodes.amounts[:, PROBES_NS], rows)
    return ProbesEnergy(node_j, binned(nodes.row, node_j, rows) + row_outside_j, row_outside_j, row_ns)
