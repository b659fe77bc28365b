"""CPU time of known threads that the kernel trace misses, and therefore counts as unattributed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.cpu.growth import interval_increments, monotone
from navitas.attribute.cpu.holes import Holes
from navitas.attribute.cpu.instants import Pieces
from navitas.attribute.cpu.thread_clocks import ThreadClocks
from navitas.attribute.curves import Curve, Knots, middle
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class MissedTime:
    """CPU time of threads in excess of their pieces in a trace, outside of its holes."""

    holes: Holes
    pieces: Pieces

    def share_of(self, clocks: ThreadClocks) -> float:
        """The share of the threads' CPU time, by their own clocks, that the trace misses."""
        knots, pieces, spent_ns = clocks.knots, self.pieces, clocks.spent_ns
        clock_ns = spent_ns[~self.holes.contain(middle(knots.t_ns[:-1], knots.t_ns[1:]))].sum()
        trace_ns = (pieces.end_ns - pieces.start_ns)[~self.holes.contain(middle(pieces.start_ns, pieces.end_ns))].sum()
        total_ns = spent_ns.sum()
        return max(float(clock_ns - trace_ns) / float(total_ns), 0.0) if total_ns > 0 else 0.0

    def deducted_from(self, unattributed: Curve, knots: Knots, energy_j: F64, edges: I64) -> Curve:
        """The unattributed energy without the energy that the trace misses, computed for each interval between edges.

        A thread's clock takes precedence over the trace, which counts missed time as unattributed. The result never decreases.
        """
        if not len(unattributed.t_ns):
            return unattributed
        first, last = unattributed.t_ns[[0, -1]].tolist()
        grid = np.union1d(edges, self.holes.edges)
        grid = np.concatenate([[first], grid[(grid > first) & (grid < last)], [last]])
        _, interval, joules = interval_increments(knots, energy_j, grid)
        beyond = np.bincount(interval, joules, len(grid) - 1) - np.diff(_drawn(self.pieces).at(grid))
        beyond[self.holes.contain(middle(grid[:-1], grid[1:]))] = 0.0
        return Curve(grid, monotone(unattributed.at(grid) - np.append(0.0, np.cumsum(beyond))))


def _drawn(pieces: Pieces) -> Curve:
    """Cumulative joules of all pieces."""
    t_ns = np.concatenate([pieces.start_ns, pieces.end_ns])
    order = np.argsort(t_ns, kind="stable")
    watts = np.cumsum(np.concatenate([pieces.watts, -pieces.watts])[order])
    t_ns = t_ns[order]
    joules = watts[:-1] * (np.diff(t_ns) / 1e9)
    return Curve(t_ns, np.append(0.0, np.cumsum(joules)))
