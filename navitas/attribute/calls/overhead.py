"""The energy of probes, from the number of calls and the sampled cost of a call. It is moved from methods to the thread."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.calls.nodes import CallNodes
from navitas.attribute.calls.self_totals import CALLS, THROWS, SelfTotals
from navitas.parse.arrays import F64, I64
from navitas.parse.reasons import Reason
from navitas.parse.tables import CallCost

INSIDE_NS, OUTSIDE_NS = -2, -1
"""Columns that `with_probe_times` adds: the probes' time inside of calls, and in their callers."""
NO_COST = Reason(
    "no_probe_cost",
    "the cost of probes was not calibrated: their energy is included in the energy of methods (tests calibrate at their start; "
    "`record` and older recordings do not)",
)


def with_probe_times(totals: SelfTotals, cost: CallCost | None) -> SelfTotals:
    """Add two columns of time: that of the calls' probes inside of the calls, and that outside, in the callers."""
    times_ns = np.zeros((len(totals.path), 2))
    if cost is not None:
        thrown = totals.counts[:, THROWS]
        returned = totals.counts[:, CALLS] - thrown
        times_ns[:, 0] = returned * cost.inside_ns + thrown * cost.thrown_inside_ns
        times_ns[:, 1] = returned * cost.outside_ns + thrown * cost.thrown_outside_ns
    return replace(totals, amounts=np.column_stack([totals.amounts, times_ns]))


@dataclass(frozen=True, slots=True)
class ProbesEnergy:
    """Joules of probes: in each node, in each row, and in each row outside of probed methods.

    The probes of a call have two costs. The one inside of the call belongs to its node. The other belongs to the caller's node,
    or to the time outside of probed methods.
    """

    node_j: F64
    row_j: F64
    row_outside_j: F64

    def scaled(self, nodes: CallNodes, factor: F64) -> ProbesEnergy:
        """These joules multiplied by a factor per row."""
        return ProbesEnergy(self.node_j * factor[nodes.row], self.row_j * factor, self.row_outside_j * factor)


def no_probes(nodes: CallNodes, rows: int) -> ProbesEnergy:
    """No energy of probes, for a component that running code does not use."""
    return ProbesEnergy(np.zeros(len(nodes.row)), np.zeros(rows), np.zeros(rows))


def probes_energy(nodes: CallNodes, energy_j: F64, cpu_ns: F64) -> ProbesEnergy:
    """The probes' time at each row's joules per nanosecond of CPU time. Not clamped: it may exceed a method's energy."""
    rows = len(energy_j)
    rate = np.divide(energy_j, cpu_ns, out=np.zeros(rows), where=cpu_ns > 0)
    is_root = nodes.parent < 0
    outside: F64 = nodes.amounts[:, OUTSIDE_NS]
    in_callers = np.bincount(nodes.parent[~is_root], outside[~is_root], len(nodes.row))
    node_ns = nodes.amounts[:, INSIDE_NS] + in_callers
    outside_j = _by_row(nodes.row[is_root], outside[is_root], rows) * rate
    return ProbesEnergy(node_ns * rate[nodes.row], _by_row(nodes.row, node_ns, rows) * rate + outside_j, outside_j)


def _by_row(row: I64, values: F64, rows: int) -> F64:
    return np.bincount(row, values, rows).astype(np.float64)
