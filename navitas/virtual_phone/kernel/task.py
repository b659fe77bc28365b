"""The work of the kernel model: tasks, and segments of time on cores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class KernelTask(NamedTuple):
    """A thread of a process. `tid` ≤ 0 represents threads that were never seen (stream number, negated)."""

    pid: int
    tid: int


class Segment(NamedTuple):
    """`task` runs on core `core` from `start_ns` to `end_ns`, relative to the start of the step."""

    start_ns: int
    end_ns: int
    core: int
    task: KernelTask


@dataclass(slots=True)
class CpuUsage:
    """The usage of tasks in an interval: CPU ns, and ns for which they were ready but waited for a CPU of the host."""

    runs: dict[KernelTask, int] = field(default_factory=dict)
    waits: dict[KernelTask, int] = field(default_factory=dict)

    def add(self, other: CpuUsage) -> None:
        """Add another usage to this one."""
        for mine, its in ((self.runs, other.runs), (self.waits, other.waits)):
            for task, ns in its.items():
                mine[task] = mine.get(task, 0) + ns
