"""The exact record of a run: switches, frequencies and the kernel's ticks."""

from __future__ import annotations

from dataclasses import dataclass, field

from truth.phone import Phone
from truth.work import Thread

RUNNABLE, SLEEPS, DEAD, MOVED = "R", "S", "X", "R+"


@dataclass(frozen=True, slots=True)
class Switch:
    """From `t_ns` on, `cpu` runs `following` (None: idle). `state` is the state in which `previous` left it."""

    t_ns: int
    cpu: int
    previous: Thread | None
    state: str
    following: Thread | None


@dataclass(slots=True)
class Record:
    """All events in order of time. Times are in ns from the run's start; `end_ns` is its length.

    `frequencies` are (time, cluster, operating point), `ticks` (time, CPU, thread, operating point) of CPUs that were not idle.
    """

    phone: Phone
    tick_ns: int
    threads: list[Thread] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    frequencies: list[tuple[int, int, int]] = field(default_factory=list)
    ticks: list[tuple[int, int, Thread, int]] = field(default_factory=list)
    marks: list[tuple[int, str]] = field(default_factory=list)
    end_ns: int = 0

    @property
    def window(self) -> tuple[int, int]:
        """Start and end of the test."""
        times = {kind: t_ns for t_ns, kind in self.marks}
        return times["test_start"], times["test_finish"]
