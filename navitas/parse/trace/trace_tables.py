"""The tables of a kernel trace: who ran on which core when, at which frequency, and where the trace has holes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from navitas.parse.arrays import I32, I64, U8
from navitas.parse.rail_readings import RailReadings

SLEEPS, RUNNABLE, DEAD = 0, 1, 2
IDLE_TID = 0
ALL_CPUS = -1
UNKNOWN = -1
LEAVES_IDLE = -1
IDLE_APART_NS = 5_000_000
TraceClock = Literal["boottime", "monotonic", "global"]


@dataclass(frozen=True, slots=True)
class Switches:
    """sched_switch, by cpu, then time: from `t_ns[i]` on `next_tid[i]` runs on `cpu[i]` (0: nothing does).

    `prev_tid` is -1 if unknown; `prev_state` is how it left: `SLEEPS`, `RUNNABLE` (it was preempted), or `DEAD`.
    A core that goes offline has a switch to 0 there.
    """

    cpu: I32
    t_ns: I64
    next_tid: I32
    prev_tid: I32
    prev_state: U8

    def __len__(self) -> int:
        return len(self.t_ns)


@dataclass(frozen=True, slots=True)
class Frequencies:
    """cpu_frequency and polls of it, by cpu, then time: from `t_ns[i]` on `cpu[i]` has `khz[i]`."""

    cpu: I32
    t_ns: I64
    khz: I64


@dataclass(frozen=True, slots=True)
class IdleStates:
    """cpu_idle, by cpu, then time: the state entered at `t_ns[i]`, or `LEAVES_IDLE`.

    They show when the device was awake. Of each core's, the first one in every `IDLE_APART_NS` is kept.
    """

    cpu: I32
    t_ns: I64
    state: I32


@dataclass(frozen=True, slots=True)
class Tasks:
    """Lifetimes of threads, by tid, then time, as columns: a trace may have millions. A tid used again has several rows.

    `tgid` is the process (-1 unknown); `names[name[i]]` the last name of row i (UTF-8; number -1: none). A row begins at the
    thread's start where the trace saw it, else at the trace's start; it ends likewise.
    """

    tid: I32
    tgid: I32
    from_ns: I64
    to_ns: I64
    name: I32
    names: NDArray[np.bytes_]

    def __len__(self) -> int:
        return len(self.tid)


@dataclass(frozen=True, slots=True)
class Losses:
    """Where events are missing: `cpu` (-1: all) from `from_ns` to `to_ns`, in order of `from_ns`; they may overlap."""

    cpu: I32
    from_ns: I64
    to_ns: I64

    def __len__(self) -> int:
        return len(self.cpu)


@dataclass(frozen=True, slots=True)
class TimeSpans:
    """Spans of time in order, apart from each other."""

    from_ns: I64
    to_ns: I64

    def __len__(self) -> int:
        return len(self.from_ns)


@dataclass(frozen=True, slots=True)
class CpuWindows:
    """For each cpu (in order, once): the span in which the trace shows what it runs, apart from `Losses`."""

    cpu: I32
    from_ns: I64
    to_ns: I64


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Simultaneous readings of clocks, in order of `trace_ns`, the trace's own clock (after joining: monotonic); -1: not read."""

    trace_ns: I64
    monotonic_ns: I64
    boottime_ns: I64
    realtime_ns: I64

    def __len__(self) -> int:
        return len(self.trace_ns)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the kernel's tracer saw. Times are CLOCK_MONOTONIC ns once joined (`join.to_monotonic`), else the trace's own clock's.

    `clock` names the latter: `boottime`, `monotonic`, or `global` (the scheduler's own, or unknown). `suspends` are the spans in
    which the whole device slept (of no length after joining: monotonic stands still). `rails` are in boottime until joined.
    """

    switches: Switches
    frequencies: Frequencies
    idle: IdleStates
    tasks: Tasks
    windows: CpuWindows
    losses: Losses
    suspends: TimeSpans
    snapshots: Snapshots
    start_ns: int
    end_ns: int
    clock: TraceClock
    rails: RailReadings | None = None


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line (text) or packet (Perfetto) that could not be used: its number from 1, its first 200 characters, and why."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class RawTrace:
    """A trace as read, on its own clock; the first lines that were skipped, how many of each reason, and other warnings."""

    trace: Trace
    skipped: tuple[SkippedLine, ...] = ()
    skipped_by_reason: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
