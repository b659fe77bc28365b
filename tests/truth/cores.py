"""A core: its running thread, its waiting threads, and its utilization (kernel: PELT, CFS run queue)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log

from truth.phone import FULL_CAPACITY
from truth.work import Thread

_DECAY_PER_NS = log(2) / 32e6
_WEIGHT_PER_NICE = 1.25


def decayed(value: float, span_ns: int, running: float) -> float:
    """The utilization after `span_ns` in which a thread ran at this share of full speed (0: it slept or waited)."""
    keep = exp(-_DECAY_PER_NS * span_ns)
    return value * keep + FULL_CAPACITY * running * (1.0 - keep)


@dataclass(slots=True, eq=False)
class Core:
    """One CPU; `speed` is work per ns, `capacity` its computing power at the highest frequency."""

    cpu: int
    cluster: int
    capacity: float
    speed: float = 0.0
    current: Thread | None = None
    queue: list[Thread] = field(default_factory=list)
    since_ns: int = 0
    slice_ns: int = 0
    util: float = 0.0
    min_vruntime: float = 0.0
    version: int = 0

    @property
    def running(self) -> int:
        """The number of threads that run or wait on this core."""
        return len(self.queue) + (self.current is not None)

    @property
    def demand(self) -> float:
        """The utilization that the governor sees: the recent one, or the runnable threads' previous need (kernel: util_est)."""
        expected = sum(thread.estimate for thread in self.queue)
        if self.current is not None:
            expected += self.current.estimate
        return max(self.util, expected)

    def sync(self, now_ns: int) -> None:
        """Update the core and its thread to the current time."""
        span_ns = now_ns - self.since_ns
        if not span_ns:
            return
        self.since_ns = now_ns
        thread = self.current
        if thread is None:
            self.util = decayed(self.util, span_ns, 0.0)
            return
        self.util = decayed(self.util, span_ns, self.speed)
        thread.util = decayed(thread.util, span_ns, self.speed)
        thread.util_ns = now_ns
        thread.cpu_ns += span_ns
        self.slice_ns += span_ns
        thread.remaining -= span_ns * self.work_rate(thread)
        thread.vruntime += span_ns * _WEIGHT_PER_NICE**thread.nice
        self.min_vruntime = max(self.min_vruntime, min([thread.vruntime, *(other.vruntime for other in self.queue)]))

    def work_rate(self, thread: Thread) -> float:
        """The work that a thread does on this core per ns."""
        return self.speed * (thread.ipc[self.cluster] if thread.ipc else 1.0)

    def attach(self, thread: Thread, now_ns: int) -> None:
        """Add a runnable thread, with its utilization and its position in the queue."""
        rest(thread, now_ns)
        self.sync(now_ns)
        self.util += thread.util
        thread.core = self.cpu

    def detach(self, thread: Thread, now_ns: int) -> None:
        """Remove a thread that moves to another core."""
        rest(thread, now_ns)
        self.sync(now_ns)
        self.util = max(0.0, self.util - thread.util)
        thread.vruntime -= self.min_vruntime

    def next(self) -> Thread | None:
        """The waiting thread that runs next."""
        return min(self.queue, key=lambda thread: (not thread.realtime, thread.vruntime), default=None)


def rest(thread: Thread, now_ns: int) -> None:
    """Decay the utilization of a thread that does not run, until the current time."""
    if now_ns > thread.util_ns:
        thread.util = decayed(thread.util, now_ns - thread.util_ns, 0.0)
        thread.util_ns = now_ns


def remember(thread: Thread) -> None:
    """Update a thread's need when it goes to sleep: rises at once, falls by a quarter (kernel: util_est_update)."""
    thread.estimate = max(thread.util, thread.estimate + (thread.util - thread.estimate) / 4)
