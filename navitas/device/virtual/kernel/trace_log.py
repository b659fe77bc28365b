"""What a tracer notes of the kernel model: who ran where from when to when, and the frequencies, within a bound."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from navitas.device.virtual.kernel.spec import PhoneSpec
from navitas.device.virtual.kernel.task import Segment, Task

MOST_STINTS = 2_000_000
_PROC = Path("/proc")
# Threads that came and went unseen, from the highest number down that a kernel gives.
_LAST_TID = 4_194_303


class Stint(NamedTuple):
    """Thread `tid` runs on core `cpu`; CLOCK_MONOTONIC ns."""

    cpu: int
    start_ns: int
    end_ns: int
    tid: int


class Change(NamedTuple):
    """From `t_ns` on core `cpu` has `khz`."""

    cpu: int
    t_ns: int
    khz: int


class Switch(NamedTuple):
    """Core `cpu` turns from one thread to another; 0 is the idle one."""

    cpu: int
    t_ns: int
    prev_tid: int
    next_tid: int


class Idle(NamedTuple):
    """Core `cpu` enters an idle state, or leaves it (-1)."""

    cpu: int
    t_ns: int
    state: int


class TraceLog:
    """A trace from `start_ns` to `end_ns`. The oldest stints give way to new ones once there are `limit`; `dropped` counts them.

    `threads` are those that ran: tid to process and name.
    """

    def __init__(self, spec: PhoneSpec, start_ns: int, khz: Sequence[int], limit: int = MOST_STINTS) -> None:
        self.start_ns = self.end_ns = start_ns
        self.stints: deque[Stint] = deque(maxlen=limit)
        self.changes: list[Change] = []
        self.threads: dict[int, tuple[int, str]] = {}
        self.dropped = 0
        self.cpus = spec.cpus
        self._spec = spec
        self._khz = [-1] * len(khz)
        self._tids: dict[Task, int] = {}
        self._set(start_ns, khz)

    def step(self, t0_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """Note a step of the model."""
        self._set(t0_ns, [cluster.freq_khz[index] for cluster, index in zip(self._spec.clusters, freq_index, strict=True)])
        for segment in sorted(segments):
            if segment.end_ns > segment.start_ns:
                self.dropped += len(self.stints) == self.stints.maxlen
                start_ns, end_ns = t0_ns + segment.start_ns, t0_ns + segment.end_ns
                self.stints.append(Stint(self.cpus[segment.core], start_ns, end_ns, self._tid(segment.task)))

    def end(self, t_ns: int) -> None:
        """The trace ends: threads have had time to take their names."""
        self.end_ns = t_ns
        for task, tid in self._tids.items():
            self.threads[tid] = (task.pid, _comm(task) or self.threads[tid][1])

    def events(self) -> Iterator[Switch | Change | Idle]:
        """What the kernel's tracer would have seen, core by core, in order of time: threads sleep where their stints end."""
        by_cpu: dict[int, list[Stint]] = {}
        for stint in self.stints:
            by_cpu.setdefault(stint.cpu, []).append(stint)
        changes: dict[int, list[Change]] = {}
        for change in self.changes:
            changes.setdefault(change.cpu, []).append(change)
        for cpu in self.cpus:
            found: list[Switch | Change | Idle] = [*_of_core(by_cpu.get(cpu, []))]
            yield from sorted([*changes.get(cpu, []), *found], key=lambda event: event.t_ns)

    def _tid(self, task: Task) -> int:
        tid = self._tids.get(task)
        if tid is None:
            tid = self._tids[task] = task.tid if task.tid > 0 else _LAST_TID - len(self._tids)
            self.threads[tid] = (task.pid, _comm(task))
        return tid

    def _set(self, t_ns: int, khz: Sequence[int]) -> None:
        for k, (cluster, value) in enumerate(zip(self._spec.clusters, khz, strict=True)):
            if value != self._khz[k]:
                self._khz[k] = value
                self.changes += [Change(cpu, t_ns, value) for cpu in cluster.cpus]


def _comm(task: Task) -> str:
    """A thread's name now; empty when it has ended."""
    if task.tid <= 0:
        return ""
    try:
        return (_PROC / str(task.pid) / "task" / str(task.tid) / "comm").read_text("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""


def _of_core(stints: Sequence[Stint]) -> Iterator[Switch | Idle]:
    running, until_ns = 0, 0
    for cpu, start_ns, end_ns, tid in stints:
        if running and start_ns > until_ns:
            yield Switch(cpu, until_ns, running, 0)
            yield Idle(cpu, until_ns, 0)
            running = 0
        if not running:
            yield Idle(cpu, start_ns, -1)
        if tid != running:
            yield Switch(cpu, start_ns, running, tid)
        running, until_ns = tid, end_ns
    if running:
        yield Switch(stints[-1].cpu, until_ns, running, 0)
        yield Idle(stints[-1].cpu, until_ns, 0)
