"""The typed tables that parsing yields and attribution consumes; all times are CLOCK_MONOTONIC ns (int64)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

from navitas.parse.arrays import I32, I64, U8
from navitas.parse.rail_readings import RailReadings
from navitas.parse.reasons import Reason
from navitas.parse.run_queue import RunQueue
from navitas.parse.trace.trace_tables import Trace

TID_LIMIT = 1 << 22
"""The kernel's own limit (PID_MAX_LIMIT); a number beyond is no thread's."""
ENTER, EXIT, THROW, RESUME = 0, 1, 2, 3
Role = Literal["app", "gc", "jit", "profiler", "system"]


@dataclass(frozen=True, slots=True)
class CpuClock:
    """A thread's cumulative CPU time: `cpu_ns[i]` had been used at `t_ns[i]`; both non-decreasing."""

    t_ns: I64
    cpu_ns: I64


@dataclass(frozen=True, slots=True)
class CallEvents:
    """Full events of one thread in order: time, kind (`ENTER`, `EXIT`, `THROW`, `RESUME`) and method id.

    `RESUME` is the entry that continues a suspended call: time goes on, no call is counted.
    """

    t_ns: I64
    kind: U8
    method: I32

    def __len__(self) -> int:
        return len(self.t_ns)

    @property
    def span_ns(self) -> tuple[int, int]:
        """Times of the first and the last event; (0, 0) without any."""
        return (int(self.t_ns[0]), int(self.t_ns[-1])) if len(self.t_ns) else (0, 0)

    def blocks(self, events: int) -> Iterator[CallEvents]:
        """The events in blocks of about so many."""
        for low in range(0, len(self.t_ns), events):
            part = slice(low, low + events)
            yield CallEvents(self.t_ns[part], self.kind[part], self.method[part])

    def whole(self) -> CallEvents:
        """All events at once."""
        return self


class CallStream(Protocol):
    """The calls of a thread, as many as they may be: in memory (`CallEvents`), or read from the recording block by block."""

    def __len__(self) -> int: ...

    @property
    def span_ns(self) -> tuple[int, int]: ...

    def blocks(self, events: int) -> Iterator[CallEvents]: ...

    def whole(self) -> CallEvents: ...


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded calls of one thread: one row a call-tree node and epoch (epochs end at anchors).

    `node` numbers are the thread's own; a node's `parent` is -1 at the root; `self_ns` excludes callees.
    """

    epoch_start_ns: I64
    epoch_end_ns: I64
    node: I32
    parent: I32
    method: I32
    calls: I64
    throws: I64
    self_ns: I64


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread of one run. `serial` is the runtime's number, or -1 for a thread without probes.

    `anchors` are exact readings of the thread's own clock; `samples` come from schedstat and may lag 4 ms.
    `lost_events` counts what the thread is known to have lost. `residency` is its own time_in_state, a table a policy.
    """

    serial: int
    tid: int
    name: str
    role: Role
    calls: CallStream
    folded: Folded
    anchors: CpuClock
    samples: CpuClock
    lost_events: int = 0
    residency: tuple[TimeInState, ...] = ()


@dataclass(frozen=True, slots=True)
class Marker:
    """A listener's mark: `kind` run_start, test_start, test_finish or run_end; `test` is `class#method`."""

    t_ns: int
    kind: Literal["run_start", "test_start", "test_finish", "run_end"]
    test: str
    status: Literal["passed", "failed", "ignored", "assumption", "unknown"]


@dataclass(frozen=True, slots=True)
class TimeInState:
    """Cumulative residency at a policy's frequencies: `ns[i, j]` spent at `freq_khz[j]` until `t_ns[i]`.

    Of the policy, idle time included (kernel: cpufreq-stats), or of one thread that ran there (Android: cpufreq_times).
    """

    policy: int
    t_ns: I64
    freq_khz: I64
    ns: I64


@dataclass(frozen=True, slots=True)
class CpuStat:
    """/proc/stat: `busy_ns[i, k]` had CPU `cpus[k]` run anything but idle and iowait until `t_ns[i]` (10 ms ticks)."""

    cpus: tuple[int, ...]
    t_ns: I64
    busy_ns: I64


@dataclass(frozen=True, slots=True)
class CallCost:
    """What the two probes of a call took on the device, in ns: the part that lies inside the call as it is recorded, and the part
    that its caller bears; of calls that returned and of those that ended by an exception. `spread_ns`: the standard deviation of
    their sum from one batch of calls to another.
    """

    inside_ns: float
    outside_ns: float
    thrown_inside_ns: float
    thrown_outside_ns: float
    spread_ns: float


@dataclass(frozen=True, slots=True)
class ProbeCost:
    """The cost of calls that are recorded as events, and of folded ones, as calibrated at the start of the run."""

    events: CallCost
    folded: CallCost


@dataclass(frozen=True, slots=True)
class Window:
    """A test's time window within its run; `end_ns` of a cut test is the last time known."""

    test_id: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class RunTables:
    """All that is known of one run (one process). Empty tables where a source is missing; nothing is None but these.

    `tick_ns` is the period of the ticks that timed the calls, None where every call's time was read; `trace` what the kernel's
    tracer saw, on the run's clock; `reasons` say why parts of it are missing; `probe_cost` what probes took,
    where that was calibrated. `run_queue`: how long the app's threads waited for a CPU, where the kernel counts it.
    """

    run_id: int
    start_ns: int
    end_ns: int
    threads: tuple[Thread, ...]
    windows: tuple[Window, ...]
    markers: tuple[Marker, ...]
    time_in_state: tuple[TimeInState, ...]
    process_cpu: CpuClock | None
    cpu_stat: CpuStat | None
    rails: RailReadings | None
    tick_ns: float | None = None
    trace: Trace | None = None
    reasons: tuple[Reason, ...] = ()
    probe_cost: ProbeCost | None = None
    run_queue: RunQueue | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the recording; `id` is its index in `MethodTable.methods`. `file`: the name of its source file."""

    id: int
    module: str
    class_name: str
    name: str
    descriptor: str
    line: int | None
    source: str
    is_test_source: bool
    file: str | None = None

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Module, class, name and descriptor: what is the same in other builds and in other modules' maps."""
        return self.module, self.class_name, self.name, self.descriptor


@dataclass(frozen=True, slots=True)
class MethodTable:
    """All maps of a recording side by side: event id + `base[map_id]` is the index into `methods`."""

    methods: tuple[Method, ...]
    base: dict[str, int]
    included: dict[str, str] = field(default_factory=dict)
    """Maps that are not here themselves: each id, and the map in which its method ids mean the same."""
