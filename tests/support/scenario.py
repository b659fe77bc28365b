"""A declarative run: calls, CPU use and frequencies over time. Times are in ms from the start of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Intervals = tuple[tuple[float, float, float], ...]
"""(start_ms, end_ms, share of a core, or watts)."""

PROFILE_XML = b"""<?xml version="1.0" encoding="utf-8"?>
<device name="Android">
  <item name="battery.capacity">3000</item>
  <item name="cpu.suspend">2</item>
  <item name="cpu.idle">5</item>
  <item name="cpu.active">10</item>
  <array name="cpu.clusters.cores"><value>2</value><value>2</value></array>
  <item name="cpu.cluster_power.cluster0">4</item>
  <item name="cpu.cluster_power.cluster1">8</item>
  <array name="cpu.core_speeds.cluster0"><value>500000</value><value>1000000</value></array>
  <array name="cpu.core_power.cluster0"><value>20</value><value>50</value></array>
  <array name="cpu.core_speeds.cluster1"><value>800000</value><value>2000000</value></array>
  <array name="cpu.core_power.cluster1"><value>60</value><value>300</value></array>
</device>
"""


@dataclass(frozen=True)
class Call:
    """A call of `a.b.C#method` with its callees. With `end_ms` None it never ended (cut)."""

    method: str
    start_ms: float
    end_ms: float | None
    callees: tuple[Call, ...] = ()
    throws: bool = False


@dataclass(frozen=True)
class Message:
    """A communication between modules (chunk type 10), among the events of its thread."""

    ms: float
    kind: int
    module: str = ""
    token: int = 0
    flags: int = 0
    period_ms: int = 0
    target: str = ""
    action: str = ""


@dataclass(frozen=True)
class MountSpec:
    """A thread of this name carries a virtual thread. With `is_seen`, the end is recorded."""

    carrier: str
    start_ms: float
    end_ms: float
    is_seen: bool = True


@dataclass(frozen=True)
class ThreadSpec:
    """A thread. Without `probed`, only the sampler sees it. With `folded`, it folds from its first call.

    A virtual thread (`mounts` is not None) has no clock. Its `busy` must be that of its carriers while they carry it.
    """

    name: str
    calls: tuple[Call, ...] = ()
    busy: Intervals = ()
    cpu: int = 0
    tid: int | None = None
    probed: bool = True
    folded: bool = False
    cpu_before_ms: float = 0.0
    born_ms: float = 0.0
    dies_ms: float = float("inf")
    lost: int = 0
    waiting: Intervals = ()
    """When it was ready to run and waited for a CPU."""
    messages: tuple[Message, ...] = ()
    mounts: tuple[MountSpec, ...] | None = None

    def cpu_ns(self, at_ms: float) -> int:
        """CPU time used until `at_ms`."""
        return round(1e6 * (self.cpu_before_ms + overlap(self.busy, at_ms)))

    def waited_ns(self, at_ms: float) -> int:
        """Time spent waiting until `at_ms`."""
        return round(1e6 * overlap(self.waiting, at_ms))


@dataclass(frozen=True)
class TestSpec:
    """A test `a.b.CTest#method`. With `end_ms` None it was cut."""

    __test__ = False
    name: str
    start_ms: float
    end_ms: float | None
    status: str = "passed"


@dataclass(frozen=True)
class PolicySpec:
    """A cluster. `mix` has shares of time per frequency in intervals; at other times it runs at the lowest frequency."""

    id: int
    cpus: tuple[int, ...]
    freq_khz: tuple[int, ...]
    mix: tuple[tuple[float, float, Mapping[int, float]], ...] = ()

    def ns_in_state(self, at_ms: float) -> tuple[int, ...]:
        """Residency per frequency since the run's start."""
        spent = dict.fromkeys(self.freq_khz, 0.0)
        covered = 0.0
        for start, end, shares in self.mix:
            part = overlap(((start, end, 1.0),), at_ms)
            covered += part
            for freq, share in shares.items():
                spent[freq] += part * share
        spent[self.freq_khz[0]] += at_ms - covered
        return tuple(round(1e6 * ms) for ms in spent.values())


POLICIES = (PolicySpec(0, (0, 1), (500_000, 1_000_000)), PolicySpec(2, (2, 3), (800_000, 2_000_000)))


@dataclass(frozen=True)
class Scenario:
    """One run. `others` are other processes' CPU shares per CPU, and `rails` watts per rail.

    `clock_set` says when realtime was set, and by how many seconds.
    """

    duration_ms: float
    threads: tuple[ThreadSpec, ...] = ()
    tests: tuple[TestSpec, ...] = ()
    policies: tuple[PolicySpec, ...] = POLICIES
    others: Mapping[int, Intervals] = field(default_factory=dict)
    rails: Mapping[str, Intervals] = field(default_factory=dict)
    sample_ms: float = 20.0
    shell_ms: float = 200.0
    anchor_ms: float = 1.0
    events_per_chunk: int = 1000
    transport: str = "files"
    repeat: int = 0
    exit: str = "complete"
    clock_set: tuple[tuple[float, float], ...] = ()

    @property
    def cpus(self) -> tuple[int, ...]:
        return tuple(cpu for policy in self.policies for cpu in policy.cpus)

    def methods(self) -> list[str]:
        """Every called method, sorted."""
        return sorted({call.method for thread in self.threads for top in thread.calls for call in walk(top)})

    def clock_ns(self, at_ms: float) -> int:
        """Return how far realtime has been set until `at_ms`."""
        return round(1e9 * sum(seconds for ms, seconds in self.clock_set if ms <= at_ms))

    def busy_ns(self, cpu: int, at_ms: float) -> int:
        """Return the busy time of a core until `at_ms`."""
        own = sum(overlap(thread.busy, at_ms) for thread in self.threads if thread.cpu == cpu and thread.mounts is None)
        return round(1e6 * (own + overlap(self.others.get(cpu, ()), at_ms)))


def overlap(intervals: Intervals, at_ms: float) -> float:
    """Return ∫ share dt from the start to `at_ms`."""
    return sum(max(0.0, min(end, at_ms) - start) * share for start, end, share in intervals)


def walk(call: Call) -> Iterator[Call]:
    """Yield a call and all calls below it."""
    yield call
    for callee in call.callees:
        yield from walk(callee)


def call(method: str, start_ms: float, end_ms: float | None, *callees: Call, throws: bool = False) -> Call:
    """Shorthand: `call("a.B#run", 0, 10, call("a.B#sort", 2, 8))`."""
    return Call(method, start_ms, end_ms, callees, throws)
