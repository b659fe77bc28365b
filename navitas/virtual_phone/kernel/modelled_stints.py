"""Stints as the kernel model placed them: CPU time of its steps, within a bound."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import KernelTask, Segment
from navitas.virtual_phone.kernel.trace_log import Noted, Stint, TracedThread

MOST_STINTS = 2_000_000
_PROC = Path("/proc")
# Threads that came and went unseen, from the highest number down that a kernel gives.
_LAST_TID = 4_194_303


class ModelledStints:
    """What the model ran. The oldest stints give way to new ones once there are `limit`."""

    def __init__(self, spec: PhoneSpec, limit: int = MOST_STINTS) -> None:
        self._cpus = spec.cpus
        self._stints: deque[Stint] = deque(maxlen=limit)
        self._threads: dict[int, TracedThread] = {}
        self._tids: dict[KernelTask, int] = {}
        self._dropped = 0

    def step(self, t0_ns: int, segments: Sequence[Segment]) -> None:
        """Note a step of the model."""
        for segment in sorted(segments):
            if segment.end_ns > segment.start_ns:
                self._dropped += len(self._stints) == self._stints.maxlen
                start_ns, end_ns = t0_ns + segment.start_ns, t0_ns + segment.end_ns
                self._stints.append(Stint(self._cpus[segment.core], start_ns, end_ns, self._tid(segment.task)))

    def watch(self, pid: int) -> None:
        """The model tells of it."""

    def stop(self, t_ns: int) -> None:
        """Threads have had time to take their names."""
        for task, tid in self._tids.items():
            self._threads[tid] = TracedThread(tid, task.pid, comm(task) or self._threads[tid].name)

    def noted(self) -> Noted:
        """What was noted."""
        lost_ns = [self._stints[0].start_ns] if self._dropped else []
        return Noted(self._stints, self._threads, lost_ns=lost_ns, dropped=self._dropped)

    def _tid(self, task: KernelTask) -> int:
        tid = self._tids.get(task)
        if tid is None:
            tid = self._tids[task] = task.tid if task.tid > 0 else _LAST_TID - len(self._tids)
            self._threads[tid] = TracedThread(tid, task.pid, comm(task))
        return tid


def comm(task: KernelTask) -> str:
    """A thread's name now; empty when it has ended."""
    if task.tid <= 0:
        return ""
    try:
        return (_PROC / str(task.pid) / "task" / str(task.tid) / "comm").read_text("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""
