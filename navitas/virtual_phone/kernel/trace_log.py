"""A kernel trace of the phone: scheduling slices and frequencies; and its clocks, which are the host's."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from navitas.virtual_phone.kernel.scheduler import Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Moment(NamedTuple):
    """One moment on three clocks, in ns."""

    monotonic_ns: int
    boottime_ns: int
    realtime_ns: int

    @property
    def ahead_ns(self) -> int:
        """The difference of boottime and monotonic."""
        return self.boottime_ns - self.monotonic_ns


def now() -> Moment:
    """Return the present moment."""
    return Moment(time.monotonic_ns(), time.clock_gettime_ns(_BOOTTIME), time.time_ns())


class Leaves(Enum):
    """How a thread left its core."""

    RUNNABLE = "R"
    SLEEPING = "S"
    DEAD = "X"


class TracedThread(NamedTuple):
    """A thread that ran. Its name is empty if unknown."""

    tid: int
    pid: int
    name: str


class SchedSlice(NamedTuple):
    """A thread runs on core `cpu`; CLOCK_MONOTONIC ns. `thread` is its key: a tid, or a larger number if the tid was reused."""

    cpu: int
    start_ns: int
    end_ns: int
    thread: int
    leaves: Leaves = Leaves.SLEEPING


class Change(NamedTuple):
    """From `t_ns` on, core `cpu` runs at `khz`."""

    cpu: int
    t_ns: int
    khz: int


class CoreSwitch(NamedTuple):
    """Core `cpu` switches from one thread to another; 0 is the idle thread."""

    cpu: int
    t_ns: int
    prev: int
    next: int
    leaves: Leaves


class Idle(NamedTuple):
    """Core `cpu` enters an idle state, or leaves it (-1)."""

    cpu: int
    t_ns: int
    state: int


class Birth(NamedTuple):
    """`parent`, which runs on core `cpu`, starts another thread of its process."""

    cpu: int
    t_ns: int
    thread: int
    parent: int


class LostEvents(NamedTuple):
    """Events of core `cpu` before `t_ns` are missing."""

    cpu: int
    t_ns: int


Event = CoreSwitch | Change | Idle | Birth | LostEvents


@dataclass(slots=True)
class SliceRecord:
    """Recorded slices (without overlap on one core), threads by key, and births.

    Before each time in `lost_ns`, events are missing on every core. `dropped` counts slices that newer ones have replaced.
    """

    slices: Sequence[SchedSlice] = ()
    threads: dict[int, TracedThread] = field(default_factory=dict)
    births: list[Birth] = field(default_factory=list)
    lost_ns: list[int] = field(default_factory=list)
    dropped: int = 0


class SliceSource(Protocol):
    """Records scheduling slices from its construction until `stop`."""

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Record a step of the model, which began at `t0_ns`."""
        ...

    def watch(self, pid: int) -> None:
        """Record a new process of the phone."""
        ...

    def stop(self, t_ns: int) -> None:
        """Stop recording, and release the host's resources (idempotent)."""
        ...

    def recorded(self) -> SliceRecord:
        """Return the record. Takes time in proportion to its size."""
        ...


class TraceLog:
    """A trace from `start_ns` to `end_ns`: slices from a source, frequencies from the model."""

    def __init__(self, spec: PhoneSpec, start_ns: int, khz: Sequence[int], source: SliceSource) -> None:
        self.start_ns = self.end_ns = start_ns
        self.changes: list[Change] = []
        self.cpus = spec.cpus
        self.source = source
        self._spec = spec
        self._khz = [-1] * len(khz)
        self.recorded = SliceRecord()
        """The record of an ended trace, since `settle`."""
        self._set(start_ns, khz)

    def step(self, t0_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """Record a step of the model."""
        self._set(t0_ns, [cluster.freq_khz[index] for cluster, index in zip(self._spec.clusters, freq_index, strict=True)])
        self.source.step(t0_ns, segments)

    def end(self, t_ns: int) -> None:
        """End the trace."""
        self.end_ns = t_ns
        self.source.stop(t_ns)

    def settle(self) -> None:
        """Make the record of an ended trace readable. Takes time in proportion to its size."""
        self.recorded = self.source.recorded()

    def events(self) -> Iterator[Event]:
        """Yield the events that the kernel's tracer would have recorded, core by core, in order of time."""
        slices: dict[int, list[SchedSlice]] = {cpu: [] for cpu in self.cpus}
        for sched_slice in self.recorded.slices:
            slices[sched_slice.cpu].append(sched_slice)
        others: dict[int, list[Event]] = {cpu: [LostEvents(cpu, t_ns) for t_ns in self.recorded.lost_ns] for cpu in self.cpus}
        recorded: list[Change | Birth] = [*self.changes, *self.recorded.births]
        for event in recorded:
            others[event.cpu].append(event)
        for cpu in self.cpus:
            yield from sorted([*others[cpu], *_of_core(slices[cpu])], key=lambda event: event.t_ns)

    def _set(self, t_ns: int, khz: Sequence[int]) -> None:
        for k, (cluster, value) in enumerate(zip(self._spec.clusters, khz, strict=True)):
            if value != self._khz[k]:
                self._khz[k] = value
                self.changes += [Change(cpu, t_ns, value) for cpu in cluster.cpus]


def _of_core(slices: Sequence[SchedSlice]) -> Iterator[CoreSwitch | Idle]:
    running, until_ns, leaves = 0, 0, Leaves.RUNNABLE
    for sched_slice in slices:
        if running and sched_slice.start_ns > until_ns:
            yield from _to_idle(sched_slice.cpu, until_ns, running, leaves)
            running = 0
        if not running:
            yield Idle(sched_slice.cpu, sched_slice.start_ns, -1)
        if sched_slice.thread != running:
            yield CoreSwitch(
                sched_slice.cpu, sched_slice.start_ns, running, sched_slice.thread, leaves if running else Leaves.RUNNABLE
            )
        running, until_ns, leaves = sched_slice.thread, sched_slice.end_ns, sched_slice.leaves
    if running:
        yield from _to_idle(slices[-1].cpu, until_ns, running, leaves)


def _to_idle(cpu: int, t_ns: int, running: int, leaves: Leaves) -> Iterator[CoreSwitch | Idle]:
    yield CoreSwitch(cpu, t_ns, running, 0, leaves)
    yield Idle(cpu, t_ns, 0)
