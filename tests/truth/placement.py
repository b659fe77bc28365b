"""The choice of a thread's core: energy-aware on a lightly loaded phone, otherwise any idle core (kernel: fair.c)."""

from __future__ import annotations

from collections.abc import Sequence

from truth.cores import Core, rest
from truth.work import Thread

# A thread fits a core if it leaves a fifth of it idle.
_FITS = 0.8
_GRANULARITY_NS = 1_000_000
_SLICE_NS = 3_000_000


class Placement:
    """The placement rules for all cores of the phone."""

    def __init__(self, cores: Sequence[Core]) -> None:
        self.cores = cores
        capacities = sorted({core.capacity for core in cores})
        self._groups = [[core for core in cores if core.capacity == capacity] for capacity in capacities]

    def on_wake(self, thread: Thread, now_ns: int) -> Core:
        """A core of the smallest cluster that the thread fits: its last core if idle, otherwise the least busy one."""
        rest(thread, now_ns)
        need = max(thread.util, thread.estimate)
        for group in self._groups:
            for core in group:
                core.sync(now_ns)
            fitting = [core for core in group if core.demand + need <= _FITS * core.capacity and not _is_realtime(core)]
            if fitting:
                return min(fitting, key=lambda core: (core.running > 0, core.cpu != thread.core, core.demand))
        idle = [core for core in self.cores if not core.running]
        if idle:
            return max(idle, key=lambda core: (core.capacity, core.cpu == thread.core))
        return min(self.cores, key=lambda core: (core.running, -core.capacity, core.cpu != thread.core))

    def preempts(self, thread: Thread, core: Core) -> bool:
        """Whether a thread that wakes up preempts the running one."""
        current = core.current
        if current is None or thread.realtime != current.realtime:
            return current is None or thread.realtime
        return not thread.realtime and current.vruntime - thread.vruntime > _GRANULARITY_NS

    def is_over(self, core: Core) -> bool:
        """Whether the running thread's time slice ends at this tick."""
        return bool(core.queue) and core.current is not None and not core.current.realtime and core.slice_ns >= _SLICE_NS

    def to_pull(self, core: Core) -> tuple[Core, Thread] | None:
        """The thread that an idle core pulls from the core with most waiting threads; None if no thread fits."""
        longest = max(self.cores, key=lambda other: len(other.queue))
        for thread in longest.queue:
            if core.capacity >= longest.capacity or max(thread.util, thread.estimate) <= _FITS * core.capacity:
                return longest, thread
        return None

    def bigger_for(self, core: Core) -> Core | None:
        """An idle, faster core for a running thread that does not fit its core (kernel: misfit)."""
        thread = core.current
        if thread is None or max(thread.util, thread.estimate) <= _FITS * core.capacity:
            return None
        idle = [other for other in self.cores if not other.running and other.capacity > core.capacity]
        return min(idle, key=lambda other: (other.capacity < thread.util, other.capacity), default=None)


def _is_realtime(core: Core) -> bool:
    return core.current is not None and core.current.realtime
