"""Tables of a kernel trace: which thread ran on which core and when, frequencies, and losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from navitas.recording.parse.arrays import I32, I64, U8, ColumnTable
from navitas.recording.parse.rail_readings import EnergyConsumers, RailReadings
from navitas.recording.parse.stack_samples import RawSamples

SLEEPS, RUNNABLE, DEAD = 0, 1, 2
IDLE_TID = 0
ALL_CPUS = -1
UNKNOWN = -1
LEAVES_IDLE = -1
IDLE_MIN_GAP_NS = 5_000_000
TraceClock = Literal["boottime", "monotonic", "global"]


@dataclass(frozen=True, slots=True)
class Switches(ColumnTable):
    """sched_switch events, by cpu, then time. From `t_ns[i]` on, `next_tid[i]` runs on `cpu[i]` (0: the core is idle).

    `prev_tid` is -1 if unknown. `prev_state` is its state as it left: `SLEEPS`, `RUNNABLE` (preempted) or `DEAD`.
    A core that goes offline has a switch to 0.
    """

    cpu: I32
    t_ns: I64
    next_tid: I32
    prev_tid: I32
    prev_state: U8


@dataclass(frozen=True, slots=True)
class Frequencies:
    """cpu_frequency events and polled frequencies, by cpu, then time. From `t_ns[i]` on, `cpu[i]` has `khz[i]`."""

    cpu: I32
    t_ns: I64
    khz: I64


@dataclass(frozen=True, slots=True)
class IdleStates:
    """cpu_idle events, by cpu, then time: the state entered at `t_ns[i]`, or `LEAVES_IDLE`.

    They show when the device was awake. Only a core's first event in every `IDLE_MIN_GAP_NS` is kept.
    """

    cpu: I32
    t_ns: I64
    state: I32


@dataclass(frozen=True, slots=True)
class Tasks(ColumnTable):
    """Lifetimes of threads, by tid, then time. Columns, because a trace may have millions. A reused tid has several rows.

    `tgid` is the process (-1: unknown). `names[name[i]]` is the last name of row i (UTF-8; number -1: none). A row begins at
    the thread's start if the trace has it, otherwise at the trace's start; likewise its end.
    """

    tid: I32
    tgid: I32
    from_ns: I64
    to_ns: I64
    name: I32
    names: NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class Losses(ColumnTable):
    """Missing events of `cpu` (-1: all) from `from_ns` to `to_ns`, in order of `from_ns`. Losses may overlap."""

    cpu: I32
    from_ns: I64
    to_ns: I64


@dataclass(frozen=True, slots=True)
class TimeSpans(ColumnTable):
    """Time spans in order, without overlaps."""

    from_ns: I64
    to_ns: I64


@dataclass(frozen=True, slots=True)
class CpuWindows:
    """For each cpu, in order: the span in which the trace shows what it runs, except during `Losses`."""

    cpu: I32
    from_ns: I64
    to_ns: I64


@dataclass(frozen=True, slots=True)
class Snapshots(ColumnTable):
    """Simultaneous readings of clocks, in order of `trace_ns` (the trace's clock; monotonic after joining). -1: not read."""

    trace_ns: I64
    monotonic_ns: I64
    boottime_ns: I64
    realtime_ns: I64


@dataclass(frozen=True, slots=True)
class Trace:
    """A kernel trace. Times are CLOCK_MONOTONIC ns once joined (`join.to_monotonic`), before that on the trace's own clock.

    `clock` names the trace's own clock: `boottime`, `monotonic`, or `global` (the scheduler's clock, or unknown).
    `suspends` are the spans in which the device was suspended. They have no length after joining, because monotonic stops.
    `rails`, `consumers` and `samples` are on boottime until joined. `process_uids` are the uids of processes, by process id.
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
    consumers: EnergyConsumers | None = None
    process_uids: Mapping[int, int] = field(default_factory=dict)
    samples: RawSamples | None = None


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line (text) or packet (Perfetto) that could not be used: its number from 1, its first 200 characters, and the reason."""

    number: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class RawTrace:
    """A trace on its own clock, the first skipped lines, the number of skipped lines by reason, and other warnings.

    `other_machines` are the numbers of packets of guests and remote devices, by `machine_id`: no table has them.
    """

    trace: Trace
    skipped: tuple[SkippedLine, ...] = ()
    skipped_by_reason: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    other_machines: Mapping[int, int] = field(default_factory=dict)
