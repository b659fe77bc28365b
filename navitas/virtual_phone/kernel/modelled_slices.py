"""Scheduling slices from the kernel model's steps, up to a limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.trace_log import SchedSlice, SliceRecord, TracedThread

MAX_SLICES = 2_000_000
_PROC = Path("/proc")
# Threads that were never seen get numbers from the kernel's highest tid downwards.
_LAST_TID = 4_194_303


class ModelledSlices:
    """The model's scheduling slices. Beyond `limit`, new slices replace the oldest ones."""

    def __init__(self, spec: PhoneSpec, limit: int = MAX_SLICES) -> None:
        self._cpus = spec.cpus
        self._slices: deque[SchedSlice] = deque(maxlen=limit)
        self._threads: dict[int, TracedThread] = {}
        self._tids: dict[KernelTask, int] = {}
        self._dropped = 0

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Record a step of the model."""
        for segment in sorted(segments):
            if segment.end_ns > segment.start_ns:
                self._dropped += len(self._slices) == self._slices.maxlen
                start_ns, end_ns = t0_ns + segment.start_ns, t0_ns + segment.end_ns
                self._slices.append(SchedSlice(self._cpus[segment.core], start_ns, end_ns, self._tid(segment.task)))

    def watch(self, pid: int) -> None:
        """Do nothing: the model reports its own tasks."""

    def stop(self, t_ns: int) -> None:
        """Read the threads' names, which they have set by now."""
        for task, tid in self._tids.items():
            self._threads[tid] = TracedThread(tid, task.pid, comm(task) or self._threads[tid].name)

    def recorded(self) -> SliceRecord:
        """Return the recorded slices."""
        lost_ns = [self._slices[0].start_ns] if self._dropped else []
        return SliceRecord(self._slices, self._threads, lost_ns=lost_ns, dropped=self._dropped)

    def _tid(self, task: KernelTask) -> int:
        tid = self._tids.get(task)
        if tid is None:
            tid = self._tids[task] = task.tid if task.tid > 0 else _LAST_TID - len(self._tids)
            self._threads[tid] = TracedThread(tid, task.pid, comm(task))
        return tid


def comm(task: KernelTask) -> str:
    """Return a thread's present name; empty if it has ended."""
    if task.tid <= 0:
        return ""
    try:
        return (_PROC / str(task.pid) / "task" / str(task.tid) / "comm").read_text("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""
