"""Place the host's runs on the phone's cores, where the kernel model has each thread at that time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from navitas.virtual_phone.kernel.host_runs import HostRun
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import KernelTask, Segment
from navitas.virtual_phone.kernel.trace_log import Leaves, SchedSlice, TracedThread

_UNSEEN, _ANY = 0, -1  # instead of a tid: threads that the model never saw; all threads of a process


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
