"""Scheduling slices from the host's tracer, which gives thread and time; the model gives the phone's core."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from navitas.virtual_phone.kernel.host_runs import HostRun, HostRuns, WatchBegan
from navitas.virtual_phone.kernel.ring_pages import Born, HostEvent, MissedHostEvents
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.trace_log import Birth, Leaves, SchedSlice, SliceRecord, TracedThread
from navitas.virtual_phone.kernel.tracefs import Instance

_UNSEEN, _ANY = 0, -1  # instead of a tid: threads that the model never saw; all threads of a process
_PROC = Path("/proc")
_DRAIN_NS = 250_000_000
MAX_BYTES = 64 << 20
"""The limit of kept pages: about 400,000 slices."""
_SLICE_BYTES = 160  # two switches and a run time
_PASSES = 2  # the first pass makes the tracer follow the threads; the second finds those started during it


class Placements:
    """The cores that the model assigned to each task over time. Between two assignments, the nearer one applies."""

    def __init__(self) -> None:
        self._spans: dict[KernelTask, list[tuple[int, int]]] = {}
        self._last_ns: dict[KernelTask, int] = {}

    def note(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Record the segments of a step that began at `t0_ns`."""
        for segment in segments:
            pid, tid = segment.task
            task = KernelTask(pid, max(tid, _UNSEEN))
            for known in (task, KernelTask(pid, _ANY)):
                spans = self._spans.setdefault(known, [])
                start_ns = t0_ns + segment.start_ns
                if not spans or spans[-1][1] != segment.core:
                    spans.append(((self._last_ns[known] + start_ns) // 2 if spans else 0, segment.core))
                self._last_ns[known] = t0_ns + segment.end_ns

    def cores(self, task: KernelTask, start_ns: int, end_ns: int) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and core (-1: any) of each piece of a run."""
        candidates = (task, KernelTask(task.pid, _UNSEEN), KernelTask(task.pid, _ANY))
        spans = next((self._spans[known] for known in candidates if known in self._spans), None)
        if spans is None:
            yield start_ns, end_ns, -1
            return
        at = max(bisect_right(spans, start_ns, key=lambda span: span[0]) - 1, 0)
        while start_ns < end_ns:
            until_ns = min(end_ns, spans[at + 1][0]) if at + 1 < len(spans) else end_ns
            if until_ns > start_ns:
                yield start_ns, until_ns, spans[at][1]
            start_ns, at = max(until_ns, start_ns), at + 1


def place_runs(
    spec: PhoneSpec, runs: Iterable[HostRun], threads: dict[int, TracedThread], placements: Placements
) -> list[SchedSlice]:
    """Return slices in order of time, without overlap on one core. Each thread keeps its total time.

    If a thread's core is taken, it gets a free core of the same cluster, else any free core. If all are taken, it waits.
    """
    pieces = []
    for run in runs:
        thread = threads[run.thread]
        for start_ns, end_ns, core in placements.cores(KernelTask(thread.pid, thread.tid), run.start_ns, run.end_ns):
            leaves = run.leaves if end_ns == run.end_ns else Leaves.RUNNABLE
            pieces.append((start_ns, end_ns, run.thread, core, leaves))
    pieces.sort(key=lambda piece: piece[:2])
    choices = _choices(spec)
    until = [0] * len(spec.cpus)
    thread_until: dict[int, int] = {}
    slices = []
    for start_ns, end_ns, thread_key, wanted, leaves in pieces:
        begin_ns = max(start_ns, thread_until.get(thread_key, 0))
        free = next((core for core in choices[wanted] if until[core] <= begin_ns), None)
        core = min(choices[wanted], key=until.__getitem__) if free is None else free
        begin_ns = max(begin_ns, until[core])
        until[core] = thread_until[thread_key] = begin_ns + end_ns - start_ns
        slices.append(SchedSlice(spec.cpus[core], begin_ns, until[core], thread_key, leaves))
    return slices


def _choices(spec: PhoneSpec) -> dict[int, list[int]]:
    """Return, for each wanted core, the order in which cores are tried."""
    clusters = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
    every = range(len(clusters))
    choices = {core: sorted(every, key=lambda other: (other != core, clusters[other] != clusters[core])) for core in every}
    return {**choices, -1: list(every)}


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
        self._early_births: list[Born] = []
        self._watch_began: list[WatchBegan] = []
        self._is_stopped = False
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
        """Stop recording, and release the instance (idempotent)."""
        if not self._is_stopped:
            self._is_stopped = True
            self._instance.stop()
            self._drain()
            self._instance.release()

    def recorded(self) -> SliceRecord:
        """Return the recorded slices on the phone's cores."""
        host = HostRuns(self._start_ns)
        runs = host.read([*self._watch_began, *self._early_births, *self._events()])
        slices = place_runs(self._spec, runs, host.threads, self._placements)
        ran = {run.thread for run in runs}
        threads = {key: thread for key, thread in host.threads.items() if key in ran}
        complete_ns = max(host.lost_ns, default=0)
        births = _births(slices, [birth for birth in host.births if birth[0] >= complete_ns and ran.issuperset(birth[1:])])
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
                # Without them, threads that began then are of no process.
                self._early_births += [event for event in self._instance.reader.events(old) if isinstance(event, Born)]

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
