"""Parts of calls within tests, ready to be merged into call trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls import CUT, THREW, CallTable
from navitas.attribute.curves import F64, Curve, overlaps
from navitas.attribute.energy import RunEnergy
from navitas.parse.tables import I64, Window

JOULES, WALL_NS, CPU_NS, PAPER1_J = range(4)
CALLS, THROWS, CUTS = range(3)


@dataclass(frozen=True, slots=True)
class Items:
    """Parts of calls, each of one thread in one test; `parent` is an item of the same test and thread, or -1.

    `amounts` columns: joules, wall ns, CPU ns, paper 1's joules, of callees too, or without them where `is_self`.
    `counts` columns: calls, throws, cut calls.
    """

    window: I64
    thread: I64
    method: I64
    level: I64
    parent: I64
    counts: I64
    amounts: F64
    is_self: bool


class Spans:
    """The tests' windows of one run, in order of time, and what lies in them."""

    def __init__(self, windows: Sequence[Window]) -> None:
        self.windows = tuple(sorted(windows, key=lambda window: (window.start_ns, window.end_ns)))
        self.start_ns = np.array([window.start_ns for window in self.windows], np.int64)
        ends = np.array([window.end_ns for window in self.windows], np.int64)
        self.end_ns = np.maximum(ends, self.start_ns)

    @property
    def marks(self) -> I64:
        """All edges."""
        return np.union1d(self.start_ns, self.end_ns)

    def reached(self, from_ns: I64, to_ns: I64) -> tuple[I64, I64]:
        """First and last window that each span from_ns … to_ns (both included) reaches; none where last < first."""
        first = np.searchsorted(np.maximum.accumulate(self.end_ns), from_ns, side="right")
        return first, np.searchsorted(self.start_ns, to_ns, side="right") - 1


class Amounts:
    """Differences of look-ups on a run's curves: joules, wall ns, CPU ns and (given its curve) paper 1's joules."""

    def __init__(self, energy: RunEnergy, paper1: Curve | None) -> None:
        self._energy = energy
        self._paper1 = paper1

    def between(self, thread: I64, from_ns: I64, to_ns: I64) -> F64:
        """One row for each span."""
        found = np.zeros((len(thread), 4))
        knots = self._energy.knots
        before, after = knots.place(thread, from_ns), knots.place(thread, to_ns)
        found[:, JOULES] = after.read(self._energy.energy_j) - before.read(self._energy.energy_j)
        found[:, WALL_NS] = to_ns - from_ns
        found[:, CPU_NS] = after.read(self._energy.cpu_ns) - before.read(self._energy.cpu_ns)
        if self._paper1 is not None:
            found[:, PAPER1_J] = self._paper1.at(to_ns) - self._paper1.at(from_ns)
        return found


def items_of_calls(calls: CallTable, spans: Spans, amounts: Amounts) -> Items:
    """Clip every call to the tests it reaches; a fresh one counts as a call where it was entered."""
    first, last = spans.reached(calls.enter_ns, np.maximum(calls.exit_ns - 1, calls.enter_ns))
    call, window = overlaps(first, last)
    offset = np.concatenate([[0], np.cumsum(np.maximum(last - first + 1, 0))])
    caller = calls.parent[call]
    has_caller = (caller >= 0) & (first[caller] <= window) & (window <= last[caller])
    parent = np.where(has_caller, offset[caller] + window - first[caller], -1)
    enter_ns, exit_ns = calls.enter_ns[call], calls.exit_ns[call]
    start_ns, end_ns = spans.start_ns[window], spans.end_ns[window]
    entered = (enter_ns >= start_ns) & (enter_ns < end_ns)
    end, fresh = calls.end[call], ~calls.is_resumed[call]
    thread = calls.thread[call].astype(np.int64)
    return Items(
        window=window,
        thread=thread,
        method=calls.method[call].astype(np.int64),
        level=calls.level[call].astype(np.int64),
        parent=parent,
        counts=np.stack([entered & fresh, entered & (end == THREW), entered & (end == CUT)], axis=1).astype(np.int64),
        amounts=amounts.between(thread, np.clip(enter_ns, start_ns, end_ns), np.clip(exit_ns, start_ns, end_ns)),
        is_self=False,
    )


def sums(index: I64, columns: F64 | I64, size: int) -> F64:
    """Each column's sums by index (0 … size − 1)."""
    return np.stack([np.bincount(index, columns[:, i], size) for i in range(columns.shape[1])], axis=1)
