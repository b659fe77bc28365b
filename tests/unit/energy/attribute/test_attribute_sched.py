"""Level sched: energy of random traces against a plain sum over instants; holes, thread lifetimes and reused tids."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import BIG, LITTLE, MODEL, MS, POLICIES, T0, manifest, ns, parsed, run, thread
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_tables import changed

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.energy.attribute.curves import RowsByTime
from navitas.recording.parse.tables import RunTables
from navitas.recording.parse.trace.trace_tables import (
    CpuWindows,
    Frequencies,
    IdleStates,
    Losses,
    Snapshots,
    Switches,
    Tasks,
    TimeSpans,
    Trace,
)

Slice = tuple[int, float, float, int]
"""(cpu, start ms, end ms, tid)."""
Change = tuple[int, float, int]
"""(cpu, ms, kHz)."""
WATTS = 1e-3
STEADY: list[Change] = [(0, 0, 1_000_000), (2, 0, 2_000_000)]


def made_trace(slices: list[Slice], changes: list[Change], *, until_ms: float, lost: list[tuple[float, float]] = []) -> Trace:  # noqa: B006
    rows = []
    for cpu in range(4):
        own = sorted(each for each in slices if each[0] == cpu)
        for position, (_, start, end, tid) in enumerate(own):
            rows.append((cpu, ns(start), tid))
            if position + 1 == len(own) or own[position + 1][1] > end:
                rows.append((cpu, ns(end), 0))
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)] if rows else [np.empty(0, np.int64)] * 3
    empty, small = np.empty(0, np.int64), np.empty(0, np.int32)
    changes = sorted(changes)
    tids = sorted({101, 102, 103} | {tid for _, _, _, tid in slices})
    tgid = [1 if tid < 200 else 2 for tid in tids]
    size = len(tids)
    return Trace(
        switches=Switches(
            columns[0].astype(np.int32),
            columns[1],
            columns[2].astype(np.int32),
            columns[2].astype(np.int32),
            np.zeros(len(columns[0]), np.uint8),
        ),
        frequencies=Frequencies(
            np.array([c for c, _, _ in changes], np.int32),
            np.array([ns(t) for _, t, _ in changes], np.int64),
            np.array([k for _, _, k in changes], np.int64),
        ),
        idle=IdleStates(small, empty, small),
        tasks=Tasks(
            np.array(tids, np.int32),
            np.array(tgid, np.int32),
            np.full(size, T0),
            np.full(size, ns(until_ms)),
            np.zeros(size, np.int32),
            ("x",),
        ),
        windows=CpuWindows(np.arange(4, dtype=np.int32), np.full(4, T0), np.full(4, ns(until_ms))),
        losses=Losses(
            np.full(len(lost), -1, np.int32),
            np.array([ns(a) for a, _ in lost], np.int64),
            np.array([ns(b) for _, b in lost], np.int64),
        ),
        suspends=TimeSpans(empty, empty),
        snapshots=Snapshots(empty, empty, empty, empty),
        start_ns=T0,
        end_ns=ns(until_ms),
        clock="monotonic",
    )


def by_instants(slices: list[Slice], changes: list[Change], first_khz: dict[int, int]) -> dict[int, float]:
    """Joules by tid: the sum over all spans between changes, directly from AOSP's CPU model."""
    edges = sorted({t for _, a, b, _ in slices for t in (a, b)} | {t for _, t, _ in changes})
    joules: dict[int, float] = defaultdict(float)
    for a, b in itertools.pairwise(edges):
        running = [(cpu, tid) for cpu, start, end, tid in slices if start <= a and b <= end]
        for cpu, tid in running:
            cluster, first = (LITTLE, 0) if cpu < 2 else (BIG, 2)
            own = sorted(change for change in changes if change[0] // 2 * 2 == first and change[1] <= a)
            khz = max(own, key=lambda change: change[1])[2] if own else first_khz[first]
            milliamps = float(np.interp(khz, cluster.freq_khz, cluster.core_ma))
            milliamps += cluster.cluster_ma / sum(1 for other, _ in running if other // 2 * 2 == first) + 10.0 / len(running)
            joules[tid] += milliamps * WATTS * (b - a) / 1e3
    return joules


def random_slices(random: Random, end_ms: int) -> list[Slice]:
    """Slices on four cores; a tid runs on one core at a time."""
    free: dict[int, int] = defaultdict(int)
    slices: list[Slice] = []
    at = [0] * 4
    for _ in range(random.randint(0, 60)):
        cpu = random.randrange(4)
        tid = random.choice([101, 102, 103, 150, 300])
        start = max(at[cpu], free[tid]) + random.choice([0, 0, 1, 7])
        stop = start + random.randint(1, 12)
        if stop > end_ms:
            continue
        slices.append((cpu, start, stop, tid))
        at[cpu] = free[tid] = stop
    return slices


def traced(slices: list[Slice], changes: list[Change], end_ms: float, lost: list[tuple[float, float]] = []) -> RunTables:  # noqa: B006
    """Threads 101 and 102 have samples, 103 has anchors, 150 is an unknown thread of the process, 300 of another process."""

    def used(tid: int, until: float) -> float:
        return sum(max(0.0, min(b, until) - a) for _, a, b, one in slices if one == tid)

    grid = [0.0, end_ms / 3, end_ms]
    threads = [
        thread(1, samples=[(t, used(101, t)) for t in grid]),
        thread(2, samples=[(t, used(102, t)) for t in grid]),
        thread(3, anchors=[(t, used(103, t)) for t in grid]),
    ]
    made = run(threads, [(0, end_ms)], end_ms=end_ms, time_in_state=[])
    return changed(made, trace=made_trace(slices, changes, until_ms=end_ms, lost=lost))


randoms = st.integers(0, 1 << 32).map(Random)


@settings(max_examples=80, deadline=None)
@given(randoms)
def test_energy_equals_the_sum_over_all_instants(random: Random) -> None:
    end_ms = random.randint(20, 150)
    slices = random_slices(random, end_ms)
    changes: list[Change] = sorted(
        {
            (cpu, random.randint(0, end_ms)): (cpu, t, khz)
            for cpu, khz in [(0, 500_000), (0, 1_000_000), (2, 800_000), (2, 2_000_000)] * 3
            for t in [random.randint(0, end_ms)]
        }.values()
    )
    changes = list({(cpu, t): (cpu, t, khz) for cpu, t, khz in changes}.values())
    result = profile_of(parsed(traced(slices, changes, end_ms)), manifest(1, policies=POLICIES), MODEL)
    assert check(result) == []
    if not slices:
        return
    # Without time_in_state, the middle operating point (here the higher one) holds until the first change.
    wanted = by_instants(slices, changes, {0: 1_000_000, 2: 2_000_000})
    test = result.tests[0]
    found = {row.serial: row.energy_j for row in test.threads}
    for serial, tid in ((1, 101), (2, 102), (3, 103)):
        assert found.get(serial, 0.0) == pytest.approx(wanted[tid], rel=1e-9, abs=1e-12)
    assert test.other_processes_j == pytest.approx(wanted[300], rel=1e-9, abs=1e-12)
    assert test.unattributed_j == pytest.approx(wanted[150], rel=1e-9, abs=1e-12)
    guessed = any(str(reason).startswith(tuple("0123456789")) for reason in result.evidence[0].reasons)
    assert result.evidence[0].level == "sched" or guessed


def test_holes_use_the_level_below() -> None:
    slices: list[Slice] = [(0, 0, 40, 101), (2, 60, 100, 101)]
    whole = profile_of(parsed(traced(slices, STEADY, 100)), manifest(1, policies=POLICIES), MODEL)
    holed = profile_of(parsed(traced(slices, STEADY, 100, lost=[(50, 70)])), manifest(1, policies=POLICIES), MODEL)
    assert check(holed) == []
    assert holed.evidence[0].level == "sched"
    assert any("level device" in reason or "level thread-time" in reason for reason in map(str, holed.evidence[0].reasons))
    assert whole.tests[0].threads[0].cpu_ns == 80 * MS
    assert holed.tests[0].threads[0].cpu_ns == pytest.approx(80 * MS, rel=0.2)


def test_a_reused_tid_belongs_to_two_threads() -> None:
    slices: list[Slice] = [(0, 0, 10, 101), (1, 50, 70, 101)]
    made = traced(slices, [], 100)
    assert made.cpu.trace is not None
    tasks = Tasks(
        np.array([101, 101], np.int32),
        np.array([1, 1], np.int32),
        np.array([T0, ns(40)]),
        np.array([ns(20), ns(100)]),
        np.zeros(2, np.int32),
        ("x",),
    )
    first = thread(1, anchors=[(1, 1), (9, 9)])
    second = replace(thread(2, anchors=[(55, 5), (65, 15)]), tid=101)
    again = changed(made, threads=(first, second), trace=replace(made.cpu.trace, tasks=tasks))
    result = profile_of(parsed(again), manifest(1, policies=POLICIES), MODEL)
    spent = {row.serial: row.cpu_ns for row in result.tests[0].threads}
    assert spent == {1: pytest.approx(10 * MS), 2: pytest.approx(20 * MS)}


def test_a_thread_missing_in_the_trace_keeps_its_cpu_time() -> None:
    """A tracer that samples threads counts short-lived threads' time for the process, not for them."""
    slices: list[Slice] = [(0, 0, 60, 102), (1, 5, 30, 150)]
    made = traced(slices, STEADY, 100)
    missed = thread(1, samples=[(5, 0)], anchors=[(10, 5), (30, 25)])
    result = profile_of(parsed(replace(made, threads=(missed, made.threads[1]))), manifest(1, policies=POLICIES), MODEL)
    assert check(result) == []
    assert result.evidence[0].level == "sched"
    assert any(
        reason.startswith("29.4% of the threads' CPU time") and "not show" in reason
        for reason in map(str, result.evidence[0].reasons)
    )
    test = result.tests[0]
    assert {row.serial: row.cpu_ns for row in test.threads} == {1: 25 * MS, 2: 60 * MS}
    assert test.unattributed_j == pytest.approx(0.0, abs=1e-12)


def test_rows_by_time_handle_any_owners_and_times() -> None:
    owner = np.repeat(np.arange(1 << 16), 2)
    rows = RowsByTime(owner, np.tile(np.array([0, 1 << 60]), 1 << 16))
    found = rows.at(np.array([5, 5, 5, 70_000]), np.array([-1, 7, 1 << 61, 7]))
    assert found.tolist() == [-1, 10, 11, -1]


def test_a_core_without_a_policy_uses_the_level_below() -> None:
    slices: list[Slice] = [(0, 0, 100, 101), (2, 20, 60, 103)]
    result = profile_of(parsed(traced(slices, [], 100)), manifest(1, policies=POLICIES[:1]), MODEL)
    assert check(result) == []
    assert result.evidence[0].reasons[0].text.startswith("CPUs 2 ran, but their frequencies are unknown")
    assert {row.serial: row.cpu_ns for row in result.tests[0].threads}[3] == pytest.approx(40 * MS)


def test_a_thread_on_two_cores_at_once_is_reported() -> None:
    sound: list[Slice] = [(0, 0, 40, 101), (1, 40, 60, 101), (2, 0, 40, 102)]
    assert profile_of(parsed(traced(sound, STEADY, 100)), manifest(1, policies=POLICIES), MODEL).evidence[0].reasons == ()
    forged: list[Slice] = [*sound, (3, 10, 12, 101), (3, 20, 22, 101)]
    result = profile_of(parsed(traced(forged, STEADY, 100)), manifest(1, policies=POLICIES), MODEL)
    assert check(result) == []
    assert any(
        reason.startswith("3.8% of the threads' time is on two CPUs at once") for reason in map(str, result.evidence[0].reasons)
    )
