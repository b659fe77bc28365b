"""Scheduling slices from the host's tracer, which gives thread and time; the model gives the phone's core."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from navitas.virtual_phone.kernel.host_runs import HostRuns, WatchBegan
from navitas.virtual_phone.kernel.ring_pages import HostEvent, MissedHostEvents
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import Segment
from navitas.virtual_phone.kernel.trace_log import Birth, SchedSlice, SliceRecord
from navitas.virtual_phone.kernel.tracefs import Instance
from navitas.virtual_phone.kernel.virtual_cores import Placements, place_runs

_PROC = Path("/proc")
_DRAIN_NS = 250_000_000
MAX_BYTES = 64 << 20
"""The limit of kept pages: about 400,000 slices."""
_SLICE_BYTES = 160  # two switches and a run time
_PASSES = 2  # the first pass makes the tracer follow the threads; the second finds those started during it


class HostSlices:
    """The host's scheduling slices of watched processes. Beyond `max_bytes`, new pages replace the oldest ones.

    The constructor raises OSError if the host does not permit tracing.
    """

    def __init__(self, spec: PhoneSpec, instance: Instance, pids: Iterable[int], max_bytes: int = MAX_BYTES) -> None:
        self._spec = spec
        self._instance = instance
        self._max_bytes = max_bytes
        self._start_ns = self._drained_ns = time.monotonic_ns()
        self._placements = Placements()
        self._pages: deque[tuple[int, bytes]] = deque()
        self._bytes = 0
        self._dropped: Counter[int] = Counter()
        self._watch_began: list[WatchBegan] = []
        for pid in pids:
            self.watch(pid)

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Record a step of the model, and drain the buffers at intervals."""
        self._placements.note(t0_ns, segments)
        if t0_ns - self._drained_ns >= _DRAIN_NS:
            self._drained_ns = t0_ns
            self._drain()

    def watch(self, pid: int) -> None:
        """Record a process's threads. The tracer adds threads that they start."""
        since_ns = time.monotonic_ns()
        known: set[int] = set()
        for _ in range(_PASSES):
            new = _threads(pid) - known
            if not new:
                break
            self._instance.watch(sorted(new))
            known |= new
        self._watch_began.append(WatchBegan(since_ns, pid, tuple(sorted(known))))

    def stop(self, t_ns: int) -> None:
        """Stop recording, and remove everything from the host (idempotent)."""
        self._instance.stop()
        self._drain()
        self._instance.remove()

    def recorded(self) -> SliceRecord:
        """Return the recorded slices on the phone's cores."""
        host = HostRuns(self._start_ns)
        runs = host.read([*self._watch_began, *self._events()])
        slices = place_runs(self._spec, runs, host.threads, self._placements)
        ran = {run.thread for run in runs}
        threads = {key: thread for key, thread in host.threads.items() if key in ran}
        births = _births(slices, [birth for birth in host.births if ran.issuperset(birth[1:])])
        dropped = sum(self._dropped.values()) // _SLICE_BYTES
        return SliceRecord(slices, threads, births, sorted(host.lost_ns), dropped)

    def _drain(self) -> None:
        for cpu, page in self._instance.drain():
            self._pages.append((cpu, page))
            self._bytes += len(page)
            while self._bytes > self._max_bytes:
                old_cpu, old = self._pages.popleft()
                self._bytes -= len(old)
                self._dropped[old_cpu] += len(old)

    def _events(self) -> Iterator[HostEvent]:
        begun = set()
        while self._pages:
            cpu, page = self._pages.popleft()
            for event in self._instance.reader.events(page):
                if cpu in self._dropped and cpu not in begun:
                    yield MissedHostEvents(event.t_ns)
                begun.add(cpu)
                yield event


def _births(slices: Sequence[SchedSlice], born: Sequence[tuple[int, int, int]]) -> list[Birth]:
    """Return the births on the parents' cores."""
    wanted = {parent for _, _, parent in born}
    of_parent: dict[int, list[SchedSlice]] = {}
    for sched_slice in slices:
        if sched_slice.thread in wanted:
            of_parent.setdefault(sched_slice.thread, []).append(sched_slice)
    births = []
    for t_ns, key, parent in born:
        at = bisect_right(of_parent[parent], t_ns, key=lambda sched_slice: sched_slice.start_ns) - 1
        births.append(Birth(of_parent[parent][max(at, 0)].cpu, t_ns, key, parent))
    return births


def _threads(pid: int) -> set[int]:
    with suppress(OSError):
        return {int(folder.name) for folder in (_PROC / str(pid) / "task").iterdir()}
    return set()
