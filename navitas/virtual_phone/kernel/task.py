"""What the kernel model runs: tasks, and the stretches of time they spend on cores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class KernelTask(NamedTuple):
    """A thread of a process; `tid` ≤ 0 stands for threads that came and went unseen (stream number, negated)."""

    pid: int
    tid: int


class Segment(NamedTuple):
    """`task` runs on core `core` from `start_ns` to `end_ns`, both counted from the start of the step."""

    start_ns: int
    end_ns: int
    core: int
    task: KernelTask


@dataclass(slots=True)
class CpuUsage:
    """What tasks used in a while: CPU ns, and ns they were ready to run but waited for a CPU of the host."""

    runs: dict[KernelTask, int] = field(default_factory=dict)
    waits: dict[KernelTask, int] = field(default_factory=dict)

    def add(self, other: CpuUsage) -> None:
        """Add another usage to this one."""
        for mine, its in ((self.runs, other.runs), (self.waits, other.waits)):
            for task, ns in its.items():
                mine[task] = mine.get(task, 0) + ns
