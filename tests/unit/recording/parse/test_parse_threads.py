"""Join threads: serials with reused tids, samples that lag, threads that only the sampler saw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.call_events import NO_CALLS
from navitas.recording.parse.counters import Readings
from navitas.recording.parse.folded import NO_FOLDED
from navitas.recording.parse.roles import role_of
from navitas.recording.parse.schedstat import parse_schedstat
from navitas.recording.parse.tables import CpuClock, Role, Thread
from navitas.recording.parse.threads import ProbedThread, join_threads

MS = 1_000_000
Points = list[tuple[float, float]]


def clock(points: Points) -> CpuClock:
    return CpuClock(
        np.array([round(t * MS) for t, _ in points], np.int64), np.array([round(c * MS) for _, c in points], np.int64)
    )


def probed(serial: int, tid: int, anchors: Points) -> ProbedThread:
    return ProbedThread(serial, tid, f"t{serial}", NO_CALLS, NO_FOLDED, clock(anchors), 0)


def join(threads: list[ProbedThread], *records: dict[int, float]) -> tuple[Thread, ...]:
    """Records are 20 ms apart, from 0. Each gives the CPU ms of the tids that it lists."""
    texts = ["".join(f"{tid} {round(cpu * MS)} 0 1 comm{tid}\n" for tid, cpu in record.items()).encode() for record in records]
    times = [i * 20 * MS for i in range(len(records))]
    lives, _ = parse_schedstat(Readings(times, texts))
    return join_threads(threads, lives, np.array(times, np.int64))


def points(thread: Thread) -> Points:
    return list(zip((thread.samples.t_ns / MS).tolist(), (thread.samples.cpu_ns / MS).tolist(), strict=True))


def test_samples_are_clipped_to_the_neighbouring_anchors() -> None:
    (thread,) = join([probed(1, 7, [(10, 5), (30, 15), (50, 35)])], {7: 1}, {7: 4}, {7: 40}, {7: 50})
    assert points(thread) == [(0, 1), (20, 5), (40, 35), (60, 50)]
    (thread,) = join([probed(1, 7, [(10, 5), (30, 15)])], {7: 9}, {7: 9}, {7: 12})
    assert points(thread) == [(0, 5), (20, 9), (40, 15)]


def test_a_thread_that_started_between_records_had_used_nothing() -> None:
    (thread,) = join([probed(1, 7, [(55, 5), (56, 6)])], {1: 0}, {1: 1}, {1: 2}, {1: 3})[:1]
    assert points(thread) == [(40, 0)]
    (thread,) = join([probed(1, 7, [(42, 5), (43, 6)])], {1: 0}, {1: 1}, {1: 2}, {1: 3})[:1]
    assert points(thread) == [(20, 0)]


def test_a_thread_of_the_first_record_has_no_known_start() -> None:
    assert points(join([probed(1, 7, [(5, 300), (6, 301)])], {1: 0})[0]) == []
    assert points(join([probed(1, 0, [(55, 5), (56, 6)])], {1: 0}, {1: 1})[0]) == []


def test_samples_before_the_first_anchor_belong_to_the_thread() -> None:
    (thread,) = join([probed(1, 7, [(50, 30), (70, 45)])], {7: 1}, {7: 12}, {7: 22}, {7: 36})
    assert points(thread) == [(0, 1), (20, 12), (40, 22), (60, 36)]


def test_a_falling_clock_means_a_reused_tid() -> None:
    threads = join([probed(1, 7, [(5, 1), (25, 10)]), probed(2, 7, [(45, 1), (65, 12)])], {7: 0}, {7: 9}, {7: 0.5}, {7: 11})
    assert [points(thread) for thread in threads] == [[(0, 0), (20, 9)], [(20, 0), (40, 0.5), (60, 11)]]


def test_a_tid_may_be_reused_without_a_falling_clock() -> None:
    threads = join([probed(1, 7, [(1, 0.5), (4, 1)]), probed(2, 7, [(30, 1), (65, 20)])], {7: 0.2}, {}, {7: 8}, {7: 18})
    assert [thread.serial for thread in threads] == [1, 2]
    assert points(threads[0])[0] == (0, 0.2)
    assert points(threads[1])[-2:] == [(40, 8), (60, 18)]
    assert points(threads[0])[-1][1] <= 1


def test_a_tid_reused_by_a_thread_without_probes() -> None:
    threads = join([probed(1, 7, [(1, 0), (25, 20)])], {7: 0}, {7: 15}, {}, {7: 3}, {7: 10})
    assert [(thread.serial, thread.name, points(thread)) for thread in threads] == [
        (1, "t1", [(0, 0), (20, 15)]),
        (-1, "comm7", [(40, 0), (60, 3), (80, 10)]),
    ]


def test_threads_that_only_the_sampler_saw_have_no_probes() -> None:
    (thread,) = join([], {9: 1}, {9: 4})
    assert (thread.serial, thread.tid, thread.name, thread.role, points(thread)) == (-1, 9, "comm9", "system", [(0, 1), (20, 4)])
    assert len(thread.calls) == len(thread.anchors.t_ns) == len(thread.folded.node) == 0


def test_without_data_there_are_no_threads() -> None:
    assert join([]) == ()


def test_thousands_of_one_shot_threads_on_few_tids() -> None:
    """Each thread uses 100 µs, ten start per ms, on 50 tids in turn. No thread gets another's time."""
    threads = [probed(i + 1, 100 + i % 50, [(i, 0.02), (i + 0.2, 0.1)]) for i in range(3000)]
    records = [{100 + i % 50: 0.05} for i in range(0, 3000, 20)]
    joined = join(threads, *records)
    assert len(joined) == 3000
    assert all(thread.samples.cpu_ns.max(initial=0) <= 10 * MS for thread in joined)
    assert sum(int(thread.samples.cpu_ns.max(initial=0)) for thread in joined) <= 3000 * MS // 10


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.lists(st.tuples(st.integers(0, 200), st.integers(0, 50)), min_size=1, max_size=4)),
        max_size=5,
    ),
    st.lists(st.dictionaries(st.integers(1, 3), st.integers(0, 60), max_size=3), max_size=10),
)
def test_any_join_is_consistent(specs: list[tuple[int, list[tuple[int, int]]]], records: list[dict[int, int]]) -> None:
    threads = [
        probed(i + 1, tid, list(zip(sorted(t for t, _ in anchors), sorted(c for _, c in anchors), strict=True)))
        for i, (tid, anchors) in enumerate(specs)
    ]
    for thread in join(threads, *[{tid: float(cpu) for tid, cpu in record.items()} for record in records]):
        assert (np.diff(thread.samples.t_ns) >= 0).all() and (np.diff(thread.samples.cpu_ns) >= 0).all()
        anchors = thread.anchors
        if len(anchors.t_ns) > 1 and (np.diff(anchors.t_ns) > 0).all():
            inside = (thread.samples.t_ns >= anchors.t_ns[0]) & (thread.samples.t_ns < anchors.t_ns[-1])
            place = np.searchsorted(anchors.t_ns, thread.samples.t_ns[inside], "right")
            assert (thread.samples.cpu_ns[inside] >= anchors.cpu_ns[place - 1]).all()
            assert (thread.samples.cpu_ns[inside] <= anchors.cpu_ns[place]).all()


@pytest.mark.parametrize(
    ("name", "has_probes", "role"),
    [
        ("GC Thread#0", False, "gc"),
        ("G1 Main Marker", False, "gc"),
        ("ZDriver", False, "gc"),
        ("ZDriverMinor", False, "gc"),
        ("ZWorkerYoung#0", False, "gc"),
        ("ZUncommitter", False, "gc"),
        ("ZUncommitter#0", False, "gc"),
        ("ZUnmapper", False, "gc"),
        ("XWorker#3", False, "gc"),
        ("RuntimeWorker#1", False, "gc"),
        ("Shenandoah Cont", False, "gc"),
        ("Safepoint Clean", False, "gc"),
        ("CMS Main Thread", False, "gc"),
        ("XStatistics", False, "system"),
        ("HeapTaskDaemon", False, "gc"),
        ("Heap thread poo", False, "gc"),
        ("HeapTrimmerDaem", False, "gc"),
        ("FinalizerDaemon", False, "system"),
        ("C2 CompilerThre", False, "jit"),
        ("C1 CompilerThread0", False, "jit"),
        ("Jit thread pool", False, "jit"),
        ("navitas-writer", False, "profiler"),
        ("navitas-sampler", True, "profiler"),
        ("JVMCI CompilerT", False, "jit"),
        ("VM Thread", False, "vm"),
        ("VM Thread", True, "app"),
        ("RenderThread", False, "system"),
        ("main", True, "app"),
        ("GC Thread#0", True, "app"),
        ("pool-1-thread-1", False, "system"),
        ("", False, "system"),
    ],
)
def test_roles(name: str, has_probes: bool, role: Role) -> None:
    assert role_of(name, has_probes) == role
