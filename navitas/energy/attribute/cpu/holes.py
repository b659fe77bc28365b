"""Holes in a kernel trace, and curves that use other data there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.cpu.sched_slices import SchedSlices
from navitas.energy.attribute.curves import Curve, distinct, middle
from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.trace.trace_tables import Trace


@dataclass(frozen=True, slots=True)
class Holes:
    """Disjoint spans of time in which a trace is incomplete, in ascending order."""

    from_ns: I64
    to_ns: I64

    @classmethod
    def from_trace(cls, trace: Trace, without_frequency: SchedSlices | None = None) -> Holes:
        """The holes of a trace: losses on any CPU, slices of CPUs without frequencies, and the time outside of the trace."""
        bounds = np.iinfo(np.int64)
        none = np.empty(0, np.int64)
        starts, ends = (none, none) if without_frequency is None else (without_frequency.start_ns, without_frequency.end_ns)
        from_ns = np.concatenate([[bounds.min, trace.end_ns], trace.losses.from_ns, starts]).astype(np.int64)
        to_ns = np.concatenate([[trace.start_ns, bounds.max], trace.losses.to_ns, ends]).astype(np.int64)
        order = np.argsort(from_ns, kind="stable")
        from_ns, to_ns = from_ns[order], np.maximum.accumulate(to_ns[order])
        first = np.append(True, from_ns[1:] > to_ns[:-1])
        return cls(from_ns[first], to_ns[np.roll(first, -1)])

    def contain(self, t_ns: I64) -> Bool:
        """Whether each time lies in a hole."""
        hole = np.searchsorted(self.from_ns, t_ns, side="right") - 1
        return np.asarray((hole >= 0) & (t_ns < self.to_ns[hole]))

    @property
    def edges(self) -> I64:
        """The times at which holes begin and end within the trace."""
        return np.unique(np.concatenate([self.from_ns[1:], self.to_ns[:-1]]))


def stitched(holes: Holes, inside: Curve, outside: Curve) -> Curve:
    """A curve that grows as `inside` where the trace is complete, and as `outside` in its holes."""
    t_ns = distinct(np.concatenate([inside.t_ns, outside.t_ns, holes.edges]))
    if len(t_ns) < 2:
        return outside
    hole = holes.contain(middle(t_ns[:-1], t_ns[1:]))
    growth = np.where(hole, np.diff(outside.at(t_ns)), np.diff(inside.at(t_ns)))
    return Curve(t_ns, np.concatenate([[0.0], np.cumsum(growth)]))
