"""Small tables for tests of attribution: two clusters of two CPUs, round currents, 1 V."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from navitas.power.model import ClusterPower, CpuPower, PowerModel
from navitas.recording.manifest import DeviceEntry, Manifest, Policy, PowerProfileEntry, Project, Test
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.recording.parse.tables import (
    ENTER,
    EXIT,
    AppTables,
    CallEvents,
    CpuClock,
    CpuStat,
    CpuTables,
    Folded,
    Method,
    MethodTable,
    RunTables,
    Thread,
    TimeInState,
    Window,
)

MS = 1_000_000
T0 = 5_000_000_000_000
POLICIES = [Policy(id=0, cpus=[0, 1]), Policy(id=2, cpus=[2, 3])]
LITTLE = ClusterPower((0, 1), np.array([500_000, 1_000_000]), np.array([20.0, 50.0]), 4.0)
BIG = ClusterPower((2, 3), np.array([800_000, 2_000_000]), np.array([60.0, 300.0]), 8.0)
MODEL = PowerModel("made", 1.0, 1000.0, CpuPower(2.0, 5.0, 10.0, (LITTLE, BIG)))
# One cluster of one core at one frequency: every core-second costs 100 mA × 1 V = 0.1 J, nothing else.
PLAIN = PowerModel(
    "plain", 1.0, None, CpuPower(0.0, 0.0, 0.0, (ClusterPower((0, 1, 2, 3), np.array([1_000]), np.array([100.0]), 0.0),))
)
J_PER_MS = 1e-4

Event = tuple[float, int, int]
# Lost: the exits of 2 and 3, and the entry of 5.
WITH_LOSSES: list[Event] = [
    *((0, ENTER, 1), (100, ENTER, 2), (200, ENTER, 3)),
    *((500, EXIT, 5), (600, EXIT, 1), (700, ENTER, 4), (800, EXIT, 4)),
]
Reading = tuple[float, float]


def ns(ms: float) -> int:
    return T0 + round(ms * MS)


def clock(readings: Iterable[Reading]) -> CpuClock:
    """Readings of (ms, CPU ms)."""
    pairs = [(ns(t), round(cpu * MS)) for t, cpu in readings]
    return CpuClock(np.array([t for t, _ in pairs], np.int64), np.array([cpu for _, cpu in pairs], np.int64))


def calls(events: Sequence[Event]) -> CallEvents:
    """Events of (ms, kind, method)."""
    return CallEvents(
        np.array([ns(t) for t, _, _ in events], np.int64),
        np.array([kind for _, kind, _ in events], np.uint8),
        np.array([method for _, _, method in events], np.int32),
    )


def folded(rows: Iterable[tuple[float, float, int, int, int, int, int, float]] = ()) -> Folded:
    """Rows of (start ms, end ms, node, parent, method, calls, throws, self ms)."""
    columns: list[list[int]] = [[] for _ in range(8)]
    for start, end, node, parent, method, count, throws, own in rows:
        for column, value in zip(
            columns, (ns(start), ns(end), node, parent, method, count, throws, round(own * MS)), strict=True
        ):
            column.append(value)
    kinds = (np.int64, np.int64, np.int32, np.int32, np.int32, np.int64, np.int64, np.int64)
    return Folded(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def thread(
    serial: int,
    events: Sequence[Event] = (),
    anchors: Iterable[Reading] = (),
    samples: Iterable[Reading] = (),
    *,
    name: str | None = None,
    folds: Folded | None = None,
) -> Thread:
    label = name or f"thread-{serial}"
    return Thread(serial, 100 + serial, label, "app", calls(events), folds or folded(), clock(anchors), clock(samples))


def residency(policy: int, freqs: Sequence[int], readings: Sequence[tuple[float, Sequence[float]]]) -> TimeInState:
    """Readings of (ms, ms at each frequency)."""
    spent = np.array([[round(ms * MS) for ms in states] for _, states in readings], np.int64)
    return TimeInState(policy, np.array([ns(t) for t, _ in readings], np.int64), np.array(freqs, np.int64), spent)


def cpu_stat(readings: Sequence[tuple[float, Sequence[float]]], cpus: Sequence[int] = (0, 1, 2, 3)) -> CpuStat:
    """Readings of (ms, busy ms of each CPU)."""
    busy = np.array([[round(ms * MS) for ms in row] for _, row in readings], np.int64)
    return CpuStat(tuple(cpus), np.array([ns(t) for t, _ in readings], np.int64), busy)


def run(
    threads: Sequence[Thread],
    windows: Sequence[tuple[float, float]] = ((0, 1000),),
    *,
    end_ms: float = 1000.0,
    time_in_state: Sequence[TimeInState] | None = None,
    process: CpuClock | None = None,
    stat: CpuStat | None = None,
) -> RunTables:
    """One run from 0 ms; test i has the i-th window. Without residencies, all CPUs have one frequency."""
    plain = [residency(0, [1_000], [(t, [t]) for t in (0.0, end_ms / 2, end_ms)])]
    return RunTables(
        run_id=0,
        start_ns=T0,
        end_ns=ns(end_ms),
        threads=tuple(threads),
        cpu=CpuTables(tuple(plain if time_in_state is None else time_in_state), process, stat),
        app=AppTables(tuple(Window(i, ns(a), ns(b)) for i, (a, b) in enumerate(windows))),
    )


def manifest(
    tests: int = 1, *, policies: Sequence[Policy] = (Policy(id=0, cpus=[0, 1, 2, 3]),), status: str = "passed"
) -> Manifest:
    listed = [{"id": i, "run": 0, "module": ":", "class": "a.CTest", "method": f"t{i}", "repeat": 0} for i in range(tests)]
    return Manifest(
        navitas_version="0",
        created_utc="2026-01-01T00:00:00Z",
        state="complete",
        project=Project(name="made", build_tool="gradle"),
        device=DeviceEntry(
            kind="virtual", serial="s", model="m", fingerprint="f", sdk=33, cpus=[0, 1, 2, 3], policies=list(policies)
        ),
        maps=[],
        power_profile=PowerProfileEntry(file="p.xml", sha256="0", source="made", voltage_v=1.0, voltage_source="default"),
        settings={},
        sources=[],
        runs=[],
        tests=[Test.model_validate({**test, "status": status}) for test in listed],
        files=[],
    )


def method_table(size: int = 10) -> MethodTable:
    return MethodTable(tuple(Method(i, ":", "a.C", f"m{i}", "()V", i, "main", False) for i in range(size)), {})


def parsed(*runs: RunTables, methods: int = 10) -> ParsedRecording:
    return ParsedRecording(method_table(methods), runs, (), ())


def nested(*spans: tuple[float, float, int]) -> list[Event]:
    """Events of calls given as (start ms, end ms, method), outer ones first."""
    events = [(a, ENTER, m) for a, _, m in spans] + [(b, EXIT, m) for _, b, m in reversed(spans)]
    return sorted(events, key=lambda event: event[0])
