"""How long threads ran, and how long they were ready to run and waited for a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class Slices:
    """Between `begin_ns[i]` and `end_ns[i]` threads ran for `ran_ns[i]` and waited for a CPU for `waited_ns[i]`."""

    begin_ns: I64
    end_ns: I64
    ran_ns: I64
    waited_ns: I64

    @classmethod
    def joined(cls, parts: Sequence[Slices]) -> Slices:
        """All slices of all parts."""
        columns = [(part.begin_ns, part.end_ns, part.ran_ns, part.waited_ns) for part in parts]
        return cls(*map(np.concatenate, zip(*columns, strict=True))) if columns else cls(*(np.empty(0, np.int64),) * 4)

    def rows(self, low: int, high: int) -> Slices:
        """The slices low … high - 1."""
        own = slice(low, high)
        return Slices(self.begin_ns[own], self.end_ns[own], self.ran_ns[own], self.waited_ns[own])


@dataclass(frozen=True, slots=True)
class RunQueue:
    """CPU time and waiting time of an app: until `t_ns[i]` its threads had run for `ran_ns[i]` and waited for `waited_ns[i]`.

    All threads of the app count for `ran_ns`. `waited_ns` leaves out the profiler's and the JIT compiler's.
    """

    t_ns: I64
    ran_ns: F64
    waited_ns: F64


def run_queue(ran: Slices, waited: Slices) -> RunQueue | None:
    """The sums of all slices over time; None without any waiting, since some kernels do not count it and say 0."""
    if not waited.waited_ns.any():
        return None
    t_ns = np.unique(np.concatenate([ran.begin_ns, ran.end_ns, waited.begin_ns, waited.end_ns]))
    return RunQueue(t_ns, _summed(t_ns, ran, ran.ran_ns), _summed(t_ns, waited, waited.waited_ns))


def _summed(t_ns: I64, slices: Slices, amounts: I64) -> F64:
    """The running total at each time; a slice's amount is spread evenly over it."""
    pace = amounts / np.maximum(slices.end_ns - slices.begin_ns, 1)
    rate = np.bincount(np.searchsorted(t_ns, slices.begin_ns), pace, len(t_ns))
    rate -= np.bincount(np.searchsorted(t_ns, slices.end_ns), pace, len(t_ns))
    steps = np.cumsum(rate)[:-1] * np.diff(t_ns)
    # Rates that cancel each other leave rounding errors below zero.
    return np.concatenate([[0.0], np.cumsum(np.maximum(steps, 0.0))])
