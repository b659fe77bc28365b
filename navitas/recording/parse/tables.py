"""Tables that parsing returns and attribution uses. All times are CLOCK_MONOTONIC ns (int64)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, Protocol

import numpy as np

from navitas.recording.parse.arrays import I32, I64, U8, ColumnTable
from navitas.recording.parse.clock_triples import NO_TRIPLES, ClockTriples
from navitas.recording.parse.communication_records import Communications
from navitas.recording.parse.device_states import DeviceStates, NotedEvents, RadioTimes
from navitas.recording.parse.hook_calls import Handoffs, HookCalls
from navitas.recording.parse.io_counters import IoCounters
from navitas.recording.parse.rail_readings import EnergyConsumers, RailReadings
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.run_queue import RunQueue
from navitas.recording.parse.sampled_cost import NO_SAMPLES, ProbeSamples
from navitas.recording.parse.stack_samples import StackSamples
from navitas.recording.parse.trace.trace_tables import Trace

TID_LIMIT = 1 << 22
"""The kernel's limit of thread ids (PID_MAX_LIMIT). No thread has this id or a higher one."""
TIME_LIMIT_NS = 1 << 61
"""No time of a sample is this or later: sums and differences of times below it do not overflow."""
ENTER, EXIT, THROW, RESUME = 0, 1, 2, 3
Role = Literal["app", "gc", "vm", "jit", "profiler", "system"]


@dataclass(frozen=True, slots=True)
class CpuClock:
    """A thread's cumulative CPU time: `cpu_ns[i]` at `t_ns[i]`. Both columns are non-decreasing."""

    t_ns: I64
    cpu_ns: I64


@dataclass(frozen=True, slots=True)
class CallEvents(ColumnTable):
    """Full events of one thread in order: time, kind (`ENTER`, `EXIT`, `THROW`, `RESUME`) and method id.

    `RESUME` is the entry that continues a suspended call. Time continues; no new call is counted.
    """

    t_ns: I64
    kind: U8
    method: I32

    @property
    def span_ns(self) -> tuple[int, int]:
        """Times of the first and the last event; (0, 0) if there are none."""
        return (int(self.t_ns[0]), int(self.t_ns[-1])) if len(self.t_ns) else (0, 0)

    def blocks(self, events: int) -> Iterator[CallEvents]:
        """Yield the events in blocks of `events` events."""
        for low in range(0, len(self.t_ns), events):
            part = slice(low, low + events)
            yield CallEvents(self.t_ns[part], self.kind[part], self.method[part])

    def whole(self) -> CallEvents:
        """Return all events in one table."""
        return self


class CallStream(Protocol):
    """The calls of a thread, in any number: in memory (`CallEvents`), or read from the recording block by block."""

    def __len__(self) -> int: ...

    @property
    def span_ns(self) -> tuple[int, int]: ...

    def blocks(self, events: int) -> Iterator[CallEvents]: ...

    def whole(self) -> CallEvents: ...


@dataclass(frozen=True, slots=True)
class Folded(ColumnTable):
    """Folded calls of one thread, with one row per call-tree node and epoch. Epochs end at anchors.

    `node` numbers are unique within the thread. `parent` is -1 at the root. `self_ns` excludes callees.
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
    """One thread of one run. `serial` is the runtime's number for it, or -1 for a thread without probes.

    `anchors` are exact readings of the thread's own clock. `samples` come from schedstat and may lag by 4 ms.
    `lost_events` is the number of events known to be lost. `residency` is its time_in_state, one table per policy. `seen_ns` is
    the time of its first stack sample, if nothing else shows the thread.
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
    seen_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Mounts:
    """The times at which threads carried virtual threads, by carrier, then start. Those of a carrier do not overlap.

    `carrier` and `thread` are indexes of the run's threads. `unseen_ns` is the CPU time of the carriers that is less certain:
    the end of a thread's first mount is not recorded.
    """

    carrier: I64
    thread: I64
    start_ns: I64
    end_ns: I64
    unseen_ns: int = 0


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker from the test listener. `kind` is run_start, test_start, test_finish or run_end; `test` is `class#method`."""

    t_ns: int
    kind: Literal["run_start", "test_start", "test_finish", "run_end"]
    test: str
    status: Literal["passed", "failed", "ignored", "assumption", "unknown"]


@dataclass(frozen=True, slots=True)
class TimeInState:
    """Cumulative residency at a policy's frequencies: `ns[i, j]` at `freq_khz[j]` until `t_ns[i]`.

    Either of the policy, including idle time (kernel: cpufreq-stats), or of one thread on that policy
    (Android: cpufreq_times). `restarts` is how often the kernel's counters began again at 0.
    """

    policy: int
    t_ns: I64
    freq_khz: I64
    ns: I64
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class CpuStat:
    """/proc/stat: CPU `cpus[k]` was busy (neither idle nor iowait) for `busy_ns[i, k]` until `t_ns[i]` (10 ms ticks).

    `restarts` is how often the kernel's counters began again at 0, by CPU.
    """

    cpus: tuple[int, ...]
    t_ns: I64
    busy_ns: I64
    restarts: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallCost:
    """Cost of the two probes of a call on the device, in ns.

    `inside_ns` is inside the recorded call, and `outside_ns` adds to its caller. `thrown_*` are for calls that ended by an
    exception. `spread_ns` is the standard deviation of their sum between batches of calls. `samples` are what the sum is from;
    none if it is from the calibration.
    """

    inside_ns: float
    outside_ns: float
    thrown_inside_ns: float
    thrown_outside_ns: float
    spread_ns: float
    samples: ProbeSamples = NO_SAMPLES


@dataclass(frozen=True, slots=True)
class ProbeCost:
    """Cost of calls recorded as events and of folded calls, as calibrated before and after the tests of the run."""

    events: CallCost
    folded: CallCost


@dataclass(frozen=True, slots=True)
class Window:
    """A test's time window within its run. `end_ns` of a cut test is the last known time."""

    test_id: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class BlockCounts(ColumnTable):
    """Records in time order. Each has what the counters of a method counted on a thread since the record before.

    `thread[i]` is a place in `RunTables.threads` (-1: a thread that is not listed), and `method[i]` a row of the method table.
    The counts of record i are `counts[start[i] : start[i + 1]]`, and were read at `t_ns[i]`. `collections[j]` garbage collections
    ended between the times `collected_ns[j - 1]` and `collected_ns[j]`.
    """

    thread: I32
    t_ns: I64
    method: I32
    start: I64
    counts: I64
    collected_ns: I64
    collections: I64


@dataclass(frozen=True, slots=True)
class CallTables:
    """How the calls of a run were recorded, what hooked calls did, and which blocks ran.

    `probe_cost` is the cost of probes, None if it was not calibrated. `tick_ns` is the period of the ticks that timed the calls,
    None if each call read the clock. `hooks` and `handoffs` are None if the app recorded none, `block_counts` if the build has
    no block counters. `samples` are stack samples of threads, None if none were taken.
    """

    probe_cost: ProbeCost | None = None
    tick_ns: float | None = None
    hooks: HookCalls | None = None
    handoffs: Handoffs | None = None
    block_counts: BlockCounts | None = None
    samples: StackSamples | None = None


@dataclass(frozen=True, slots=True)
class CpuTables:
    """When and at which frequencies cores ran. Threads have their own clocks (`Thread`).

    `process` is the CPU time of the app, `stat` that of all processes by CPU. `trace` is the kernel trace on the run's clock, and
    `reasons` explain which parts of it are missing. `run_queue` is the time that the app's threads waited for a CPU, None if the
    kernel does not count it. `mounts` are None if no thread is known to have carried a virtual thread.
    """

    time_in_state: tuple[TimeInState, ...] = ()
    process: CpuClock | None = None
    stat: CpuStat | None = None
    trace: Trace | None = None
    reasons: tuple[Reason, ...] = ()
    run_queue: RunQueue | None = None
    mounts: Mounts | None = None


@dataclass(frozen=True, slots=True)
class DeviceTables:
    """States, counters and measured energy of the device. `consumers` are readings of its own power statistics."""

    rails: RailReadings | None = None
    consumers: EnergyConsumers | None = None
    io_counters: tuple[IoCounters, ...] = ()
    states: DeviceStates | None = None
    radio_times: tuple[RadioTimes, ...] = ()


@dataclass(frozen=True, slots=True)
class AppTables:
    """The app's tests, and what its modules did.

    `communications` are those between its modules, None if it recorded none. `history_events` are its alarms and jobs by
    batterystats, None if unknown.
    """

    windows: tuple[Window, ...] = ()
    markers: tuple[Marker, ...] = ()
    communications: Communications | None = None
    history_events: NotedEvents | None = None


@dataclass(frozen=True, slots=True)
class RunTables:
    """All data of one run (one process). Tables are empty where a source is missing; only the fields that allow it are None."""

    run_id: int
    start_ns: int
    end_ns: int
    threads: tuple[Thread, ...] = ()
    clocks: ClockTriples = NO_TRIPLES
    calls: CallTables = CallTables()
    cpu: CpuTables = CpuTables()
    devices: DeviceTables = DeviceTables()
    app: AppTables = AppTables()

    @property
    def without_clock(self) -> tuple[bool, ...]:
        """Whether nothing shows the CPU time of each thread: neither a clock nor a thread that carried it."""
        mounted = set() if self.cpu.mounts is None else set(self.cpu.mounts.thread.tolist())
        return tuple(
            not (len(thread.anchors.t_ns) or len(thread.samples.t_ns) or place in mounted)
            for place, thread in enumerate(self.threads)
        )

    @property
    def with_paths(self) -> tuple[Thread, ...]:
        """The threads with calls or stack samples."""
        samples = self.calls.samples
        numbers = np.arange(len(self.threads) + 1, dtype=np.int32)
        start = [] if samples is None else np.searchsorted(samples.thread, numbers).tolist()
        sampled = {number for number, (low, high) in enumerate(pairwise(start)) if high > low}
        return tuple(
            thread
            for number, thread in enumerate(self.threads)
            if len(thread.calls) or len(thread.folded.node) or number in sampled
        )

    @property
    def has_components(self) -> bool:
        """Whether the use of components other than the CPU was recorded. It is not in older recordings."""
        return self.calls.hooks is not None or self.devices.states is not None or bool(self.devices.io_counters)


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the recording. `id` is its index in `MethodTable.methods`; `file` is the name of its source file.

    `api_kind` is the `HookKind` of a method of an API that uses a component, else 0.
    """

    id: int
    module: str
    class_name: str
    name: str
    descriptor: str
    line: int | None
    source: str
    is_test_source: bool
    file: str | None = None
    api_kind: int = 0

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Module, class, name and descriptor. They are the same in other builds and in other modules' maps."""
        return self.module, self.class_name, self.name, self.descriptor


@dataclass(frozen=True, slots=True)
class MethodTable:
    """All maps of a recording in one table: `base[map_id]` is the index of a map's first method in `methods`."""

    methods: tuple[Method, ...]
    base: dict[str, int]
    included: dict[str, str] = field(default_factory=dict)
    """Ids of maps that are not in the table, each with the id of the map in which its method ids have the same meaning."""
    first_api: int | None = None
    """The row of the first method of the platform, if their calls were recorded. They are the last rows."""
    hashes: dict[tuple[str, str], str] = field(default_factory=dict)
    """SHA-256 of class files before instrumentation, by module and class, as far as maps have it."""
    places: dict[str, I32] = field(default_factory=dict, compare=False)
    """By map id: 1 + the place in the map of each method id, or 0. Maps whose ids are 0 … n−1 have no entry."""
