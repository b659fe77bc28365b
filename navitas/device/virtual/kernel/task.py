"""What the kernel model runs: tasks, and the stretches of time they spend on cores."""

from __future__ import annotations

from typing import NamedTuple


class Task(NamedTuple):
    """A thread of a process; `tid` ≤ 0 stands for threads that came and went unseen (stream number, negated)."""

    pid: int
    tid: int


class Segment(NamedTuple):
    """`task` runs on core `core` from `start_ns` to `end_ns`, both counted from the start of the step."""

    start_ns: int
    end_ns: int
    core: int
    task: Task
