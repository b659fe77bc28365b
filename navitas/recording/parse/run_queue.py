"""Running time and waiting time of threads. A waiting thread is ready to run and has no CPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.recording.parse.arrays import F64, I64, ColumnTable, cumulative


@dataclass(frozen=True, slots=True)
class Slices(ColumnTable):
    """Between `begin_ns[i]` and `end_ns[i]`, a thread ran for `ran_ns[i]` and waited for a CPU for `waited_ns[i]`."""

    begin_ns: I64
    end_ns: I64
    ran_ns: I64
    waited_ns: I64


NO_SLICES = Slices(*np.empty((4, 0), np.int64))


@dataclass(frozen=True, slots=True)
class RunQueue:
    """Cumulative CPU time and waiting time of an app: `ran_ns[i]` and `waited_ns[i]` at `t_ns[i]`.

    `ran_ns` counts all threads of the app. `waited_ns` excludes the profiler's and the JIT compiler's threads.
    """

    t_ns: I64
    ran_ns: F64
    waited_ns: F64


def run_queue(ran: Slices, waited: Slices) -> RunQueue | None:
    """Return the sums of all slices over time.

    Returns None if all waiting times are 0, because some kernels do not count waiting time.
    """
    if not waited.waited_ns.any():
        return None
    t_ns = np.unique(np.concatenate([ran.begin_ns, ran.end_ns, waited.begin_ns, waited.end_ns]))
    return RunQueue(t_ns, _summed(t_ns, ran, ran.ran_ns), _summed(t_ns, waited, waited.waited_ns))


def _summed(t_ns: I64, slices: Slices, amounts: I64) -> F64:
    """Return the running total at each time. Each slice's amount is spread evenly over the slice."""
    pace = amounts / np.maximum(slices.end_ns - slices.begin_ns, 1)
    rate = np.bincount(np.searchsorted(t_ns, slices.begin_ns), pace, len(t_ns))
    rate -= np.bincount(np.searchsorted(t_ns, slices.end_ns), pace, len(t_ns))
    steps = np.cumsum(rate)[:-1] * np.diff(t_ns)
    # Rates that cancel each other leave small negative rounding errors.
    return cumulative(np.maximum(steps, 0.0))
