"""A kernel trace of the phone: who ran where from when to when, and the frequencies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import Segment


class Leaves(Enum):
    """How a thread left its core."""

    RUNNABLE = "R"
    SLEEPING = "S"
    DEAD = "X"


class TracedThread(NamedTuple):
    """A thread that ran; its name is empty where nobody told it."""

    tid: int
    pid: int
    name: str


class Stint(NamedTuple):
    """A thread runs on core `cpu`; CLOCK_MONOTONIC ns. `thread` is its key: a tid, or more where that was given twice."""

    cpu: int
    start_ns: int
    end_ns: int
    thread: int
    leaves: Leaves = Leaves.SLEEPING


class Change(NamedTuple):
    """From `t_ns` on core `cpu` has `khz`."""

    cpu: int
    t_ns: int
    khz: int


class CoreSwitch(NamedTuple):
    """Core `cpu` turns from one thread to another; 0 is the idle one."""

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
    """Of core `cpu` events before `t_ns` are missing."""

    cpu: int
    t_ns: int


Event = CoreSwitch | Change | Idle | Birth | LostEvents


@dataclass(slots=True)
class Noted:
    """What was noted of threads: stints (on one core one after the other), threads by key, births.

    Up to each time in `lost_ns` something is missing on every core; `dropped` counts what had to give way to newer stints.
    """

    stints: Sequence[Stint] = ()
    threads: dict[int, TracedThread] = field(default_factory=dict)
    births: list[Birth] = field(default_factory=list)
    lost_ns: list[int] = field(default_factory=list)
    dropped: int = 0


class StintSource(Protocol):
    """Notes who runs where, from its making on until `stop`."""

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """The model took a step, which began at `t0_ns`."""
        ...

    def watch(self, pid: int) -> None:
        """A process has come to the phone."""
        ...

    def stop(self, t_ns: int) -> None:
        """Note nothing more, and let go of the host (idempotent)."""
        ...

    def noted(self) -> Noted:
        """What was noted; takes as long as there is much of it."""
        ...


class TraceLog:
    """A trace from `start_ns` to `end_ns`: stints of a source, frequencies of the model."""

    def __init__(self, spec: PhoneSpec, start_ns: int, khz: Sequence[int], source: StintSource) -> None:
        self.start_ns = self.end_ns = start_ns
        self.changes: list[Change] = []
        self.cpus = spec.cpus
        self.source = source
        self._spec = spec
        self._khz = [-1] * len(khz)
        self._noted = Noted()
        self._set(start_ns, khz)

    @property
    def threads(self) -> dict[int, TracedThread]:
        """Who ran, by key."""
        return self._noted.threads

    @property
    def dropped(self) -> int:
        """How many stints had to give way to newer ones."""
        return self._noted.dropped

    def step(self, t0_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """Note a step of the model."""
        self._set(t0_ns, [cluster.freq_khz[index] for cluster, index in zip(self._spec.clusters, freq_index, strict=True)])
        self.source.step(t0_ns, segments)

    def end(self, t_ns: int) -> None:
        """The trace ends."""
        self.end_ns = t_ns
        self.source.stop(t_ns)

    def settle(self) -> None:
        """After its end: make what was noted readable. Takes as long as there is much of it."""
        self._noted = self.source.noted()

    def events(self) -> Iterator[Event]:
        """What the kernel's tracer would have seen, core by core, in order of time."""
        stints: dict[int, list[Stint]] = {cpu: [] for cpu in self.cpus}
        for stint in self._noted.stints:
            stints[stint.cpu].append(stint)
        others: dict[int, list[Event]] = {cpu: [LostEvents(cpu, t_ns) for t_ns in self._noted.lost_ns] for cpu in self.cpus}
        noted: list[Change | Birth] = [*self.changes, *self._noted.births]
        for event in noted:
            others[event.cpu].append(event)
        for cpu in self.cpus:
            yield from sorted([*others[cpu], *_of_core(stints[cpu])], key=lambda event: event.t_ns)

    def _set(self, t_ns: int, khz: Sequence[int]) -> None:
        for k, (cluster, value) in enumerate(zip(self._spec.clusters, khz, strict=True)):
            if value != self._khz[k]:
                self._khz[k] = value
                self.changes += [Change(cpu, t_ns, value) for cpu in cluster.cpus]


def _of_core(stints: Sequence[Stint]) -> Iterator[CoreSwitch | Idle]:
    running, until_ns, leaves = 0, 0, Leaves.RUNNABLE
    for stint in stints:
        if running and stint.start_ns > until_ns:
            yield from _to_idle(stint.cpu, until_ns, running, leaves)
            running = 0
        if not running:
            yield Idle(stint.cpu, stint.start_ns, -1)
        if stint.thread != running:
            yield CoreSwitch(stint.cpu, stint.start_ns, running, stint.thread, leaves if running else Leaves.RUNNABLE)
        running, until_ns, leaves = stint.thread, stint.end_ns, stint.leaves
    if running:
        yield from _to_idle(stints[-1].cpu, until_ns, running, leaves)


def _to_idle(cpu: int, t_ns: int, running: int, leaves: Leaves) -> Iterator[CoreSwitch | Idle]:
    yield CoreSwitch(cpu, t_ns, running, 0, leaves)
    yield Idle(cpu, t_ns, 0)
