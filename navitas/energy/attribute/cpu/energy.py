"""Power of running cores by thread and time, and its integration to energy curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from navitas.energy.attribute.cpu.thread_clocks import ThreadClocks
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, group_ends, middle, overlaps
from navitas.recording.parse.arrays import F64, I64, Bool


class Rate(Protocol):
    """Watts of a running core, by thread and time."""

    @property
    def edges(self) -> I64:
        """Times at which the rate of any thread may change, ascending."""
        ...

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        """Watts of threads in spans in which neither the rate nor the slope of the thread's clock changes."""
        ...


@dataclass(frozen=True, slots=True)
class SlotRate:
    """Watts by slot: `watts[i]` is the default from `edges[i]` to `edges[i + 1]`; the first and last slot extend outwards.

    `thread_w[j]` replaces it for one thread in one slot: `key[j]` (ascending) = thread · number of slots + slot.
    """

    edges: I64
    watts: F64
    key: I64 = field(default_factory=lambda: np.empty(0, np.int64))
    thread_w: F64 = field(default_factory=lambda: np.empty(0))

    def during(self, owner: I64, a_ns: I64, b_ns: I64) -> F64:
        """As `Rate.during`."""
        slot = slots_of(self.edges, a_ns, b_ns)
        watts = self.watts[slot]
        if len(self.key):
            key = owner * len(self.watts) + slot
            at = np.minimum(np.searchsorted(self.key, key), len(self.key) - 1)
            has_own = self.key[at] == key
            watts[has_own] = self.thread_w[at[has_own]]
        return watts

    def default(self, a_ns: I64, b_ns: I64) -> F64:
        """Watts of CPU time of no known thread, in spans that lie within one slot each."""
        return self.watts[slots_of(self.edges, a_ns, b_ns)]


def slots_of(edges: I64, a_ns: I64, b_ns: I64) -> I64:
    """The slot that contains each span's middle."""
    return np.clip(np.searchsorted(edges, middle(a_ns, b_ns), side="right") - 1, 0, len(edges) - 2)


def integrate(rate: Rate, clocks: ThreadClocks, marks: I64) -> tuple[Knots, F64, F64]:
    """Energy curves of threads: knots, CPU ns and joules, where joules = ∫ watts d(CPU time) over all readings and slots.

    Knots are a thread's anchors, the `marks` (edges of tests), and, outside of the anchors, the thread's samples and slots.
    """
    fine, cpu_ns, keep = _refined(clocks, np.union1d(rate.edges, marks), marks)
    owner = fine.owner
    joules = np.zeros(len(owner))
    joules[1:] = rate.during(owner[1:], fine.t_ns[:-1], fine.t_ns[1:]) * np.diff(cpu_ns) / 1e9
    energy_j = fine.cumulate(joules)
    return Knots.from_columns(owner[keep], fine.t_ns[keep], len(fine.start) - 1), cpu_ns[keep], energy_j[keep]


def integrate_curve(rate: SlotRate, spent_ns: Curve) -> Curve:
    """∫ watts d(CPU time) of one curve, with knots at the curve's times and the rate's edges."""
    if not spent_ns.t_ns.size:
        return EMPTY_CURVE
    inside = rate.edges[(rate.edges > spent_ns.t_ns[0]) & (rate.edges < spent_ns.t_ns[-1])]
    t_ns = np.union1d(spent_ns.t_ns, inside)
    joules = rate.default(t_ns[:-1], t_ns[1:]) * np.diff(spent_ns.at(t_ns)) / 1e9
    return Curve(t_ns, np.concatenate([[0.0], np.cumsum(joules)]))


def _refined(clocks: ThreadClocks, cuts: I64, marks: I64) -> tuple[Knots, F64, Bool]:
    """Merge readings and cuts: knots, CPU ns, and which of them are knots of the result."""
    old = clocks.knots
    first = np.searchsorted(cuts, old.first_ns, side="right")
    owner, cut = overlaps(first, np.searchsorted(cuts, old.last_ns, side="left") - 1)
    t_ns = cuts[cut]
    stays = np.isin(t_ns, marks) | (t_ns < clocks.first_anchor_ns[owner]) | (t_ns > clocks.last_anchor_ns[owner])
    owners, times = np.concatenate([old.owner, owner]), np.concatenate([old.t_ns, t_ns])
    cpu_ns = np.concatenate([clocks.cpu_ns, old.place(owner, t_ns).read(clocks.cpu_ns)])
    keep = np.concatenate([clocks.is_knot, stays])
    order = np.lexsort((keep, times, owners))
    owners, times, cpu_ns, keep = owners[order], times[order], cpu_ns[order], keep[order]
    last = group_ends(owners, times)
    return Knots.from_columns(owners[last], times[last], len(old.start) - 1), cpu_ns[last], keep[last]
