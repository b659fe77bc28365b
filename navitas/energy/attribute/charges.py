"""Energy that belongs to the call that caused it, such as the tail of a radio, or the time until a device is stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.curves import Curve, distinct
from navitas.recording.parse.arrays import F64, I64, ColumnTable


@dataclass(frozen=True, slots=True)
class Charges(ColumnTable):
    """Energy by its cause. `thread` is an index in `RunTables.threads`, `t_ns` the time of the causing call.

    `path` is the call path of the causing call (a number of `Paths`, `OUTSIDE` if it is unknown). `received_bytes` and
    `sent_bytes` are what the call moved; of storage, what it read and wrote.
    """

    thread: I64
    t_ns: I64
    path: I64
    energy_j: F64
    received_bytes: F64
    sent_bytes: F64

    def scaled(self, ratio: float) -> Charges:
        """All energies multiplied by a ratio."""
        return replace(self, energy_j=self.energy_j * ratio)

    def by_thread(self, threads: int) -> F64:
        """Joules of each thread."""
        return np.bincount(self.thread, self.energy_j, threads).astype(np.float64)

    def added_to(self, curve: Curve, thread: int) -> Curve:
        """A thread's curve with a step of 1 ns at each of its charges, so that a charge counts in the window that holds it."""
        own = self.thread == thread
        if not own.any():
            return curve
        at, place = np.unique(self.t_ns[own], return_inverse=True)
        step_j = np.cumsum(np.bincount(place, self.energy_j[own]))
        t_ns = distinct(np.concatenate([curve.t_ns, at, at + 1]))
        before = np.searchsorted(at, t_ns, side="left")  # charges before each time
        return Curve(t_ns, curve.at(t_ns) + np.concatenate([[0.0], step_j])[before])


NO_CHARGES = Charges(*(np.empty(0, np.int64),) * 3, *(np.empty(0),) * 3)


def charges_of_time(thread: I64, t_ns: I64, path: I64, energy_j: F64) -> Charges:
    """Charges of calls that move no bytes."""
    none = np.zeros(len(thread))
    return Charges(thread, t_ns, path, energy_j, none, none)
