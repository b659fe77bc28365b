"""Level thread-freq: a thread is charged by its own time_in_state; all other CPU time, by the remainder."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from attribution_maker import MODEL, MS, POLICIES, clock, cpu_stat, manifest, parsed, residency, run, thread
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_tables import changed
from traces import METHODS, random_run

from navitas.energy.analyze.conserve import check
from navitas.energy.analyze.load import profile_of
from navitas.recording.parse.tables import CpuStat, RunTables, Thread, TimeInState

GRID = [float(t) for t in range(0, 1001, 100)]
LITTLE_W, BIG_W = (50 + 4 + 10) / 1e3, (300 + 8 + 10) / 1e3


def shared_by_turns() -> RunTables:
    """Two threads take turns of 10 ms: one always on a little core at its highest frequency, one on a big one."""
    samples = [(t, t / 2) for t in GRID]
    little = residency(0, [500_000, 1_000_000], [(t, [0, t / 2]) for t in GRID])
    big = residency(2, [800_000, 2_000_000], [(t, [0, t / 2]) for t in GRID])
    none = (
        residency(2, [800_000, 2_000_000], [(t, [0, 0]) for t in GRID]),
        residency(0, [500_000, 1_000_000], [(t, [0, 0]) for t in GRID]),
    )
    threads = [
        replace(thread(1, samples=samples), residency=(little, none[0])),
        replace(thread(2, samples=samples), residency=(none[1], big)),
    ]
    whole = [
        residency(0, [500_000, 1_000_000], [(t, [0, t]) for t in GRID]),
        residency(2, [800_000, 2_000_000], [(t, [0, t]) for t in GRID]),
    ]
    stat = cpu_stat([(t, [t / 2, 0, t / 2, 0]) for t in GRID])
    return run(threads, time_in_state=whole, process=clock((t, t) for t in GRID), stat=stat)


def test_each_thread_is_charged_for_the_cores_that_it_ran_on() -> None:
    test = profile_of(parsed(shared_by_turns()), manifest(1, policies=POLICIES), MODEL).tests[0]
    joules = {row.serial: row.energy_j for row in test.threads}
    assert joules[1] == pytest.approx(0.5 * LITTLE_W, rel=0.1)
    assert joules[2] == pytest.approx(0.5 * BIG_W, rel=0.1)


def test_a_cluster_that_is_faster_while_the_thread_is_there_costs_what_the_thread_used() -> None:
    """In turns of 100 ms, a thread runs on a little core and on a big one, which is slow in between. It is read once."""
    big_ms = [100 * (turn // 2) for turn in range(len(GRID))]
    rests_ms = [t - ms for t, ms in zip(GRID, big_ms, strict=True)]
    little = residency(0, [500_000, 1_000_000], [(0.0, [0, 0]), (1000.0, [0, 500])])
    big = residency(2, [800_000, 2_000_000], [(0.0, [0, 0]), (1000.0, [0, 500])])
    whole = [
        residency(0, [500_000, 1_000_000], [(t, [0, t]) for t in GRID]),
        residency(2, [800_000, 2_000_000], [(t, [rests, ms]) for t, rests, ms in zip(GRID, rests_ms, big_ms, strict=True)]),
    ]
    stat = cpu_stat([(t, [rests, 0, ms, 0]) for t, rests, ms in zip(GRID, rests_ms, big_ms, strict=True)])
    own = replace(thread(1, samples=[(t, t) for t in GRID]), residency=(little, big))
    made = run([own], time_in_state=whole, process=clock((t, t) for t in GRID), stat=stat)
    (row,) = profile_of(parsed(made), manifest(1, policies=POLICIES), MODEL).tests[0].threads
    assert row.energy_j == pytest.approx(0.5 * LITTLE_W + 0.5 * BIG_W, rel=0.02)


def test_the_rest_is_assigned_to_the_remaining_time_of_clusters() -> None:
    made = shared_by_turns()
    alone = changed(made, threads=made.threads[:1], process=clock((t, t / 2) for t in GRID))
    result = profile_of(parsed(alone), manifest(1, policies=POLICIES), MODEL)
    assert result.evidence[0].level == "thread-freq"
    assert result.tests[0].other_processes_j == pytest.approx(0.5 * BIG_W, rel=0.1)


def test_noise_of_ticks_gives_the_rest_no_time_on_big_cores() -> None:
    """A thread always runs on a big core, and another process half of the time on a little one."""
    noise_ms = [0.0, *([20.0, -20.0] * 5)[: len(GRID) - 2], 0.0]
    none = residency(0, [500_000, 1_000_000], [(t, [0, 0]) for t in GRID])
    big = residency(2, [800_000, 2_000_000], [(t, [0, t]) for t in GRID])
    whole = [residency(0, [500_000, 1_000_000], [(t, [0, t]) for t in GRID]), big]
    stat = cpu_stat([(t, [t / 2, 0, t + noise, 0]) for t, noise in zip(GRID, noise_ms, strict=True)])
    own = replace(thread(1, samples=[(t, t) for t in GRID]), residency=(none, big))
    made = run([own], time_in_state=whole, process=clock((t, t) for t in GRID), stat=stat)
    (test,) = profile_of(parsed(made), manifest(1, policies=POLICIES), MODEL).tests
    assert test.other_processes_j == pytest.approx(0.5 * LITTLE_W, rel=0.25)


def test_time_without_readings_is_reported() -> None:
    made = shared_by_turns()
    half = replace(
        made, threads=(replace(made.threads[0], residency=tuple(cut(t) for t in made.threads[0].residency)), made.threads[1])
    )
    evidence = profile_of(parsed(half), manifest(1, policies=POLICIES), MODEL).evidence[0]
    assert any(reason.startswith("25.0%") and "level thread-time" in reason for reason in map(str, evidence.reasons))
    assert evidence.level == "thread-freq"
    most = replace(half, threads=(half.threads[0], replace(half.threads[1], residency=())))
    assert profile_of(parsed(most), manifest(1, policies=POLICIES), MODEL).evidence[0].level == "thread-time"


def test_impossible_readings_keep_memory_bounded_and_energy_conserved() -> None:
    made = shared_by_turns()
    at = made.start_ns
    for stat in (
        CpuStat((0,), np.array([at, at]), np.array([[0], [MS]])),
        CpuStat((0,), np.array([at, at + MS]), np.array([[0], [1 << 62]])),
    ):
        analysis = profile_of(parsed(changed(made, stat=stat)), manifest(1, policies=POLICIES), MODEL)
        assert check(analysis) == [] and np.isfinite(analysis.totals.energy_j)


def cut(table: TimeInState) -> TimeInState:
    return TimeInState(table.policy, table.t_ns[:6], table.freq_khz, table.ns[:6])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32).map(Random))
def test_energy_is_conserved(random: Random) -> None:
    made = random_run(random)
    threads = tuple(with_residency(random, one, made) for one in made.threads)
    result = profile_of(parsed(replace(made, threads=threads), methods=METHODS), manifest(3, policies=POLICIES), MODEL)
    assert check(result) == []
    explained = result.evidence[0].level == "thread-freq" or any(
        "at level thread-time" in why.text for why in result.evidence[0].reasons
    )
    assert explained or not any(one.residency for one in threads)


def with_residency(random: Random, one: Thread, made: RunTables) -> Thread:
    """The policies' tables with fewer readings: no ticks may violate conservation."""
    if random.random() < 0.3:
        return one
    step = random.randint(1, 4)
    tables = (
        TimeInState(t.policy, t.t_ns[::step], t.freq_khz, t.ns[::step] // (10 * MS) * 10 * MS // 3)
        for t in made.cpu.time_in_state
    )
    return replace(one, residency=tuple(tables))
