"""Samples of profilers on a run's clock, threads and methods."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.call_events import NO_CALLS
from navitas.recording.parse.clock_triples import NO_TRIPLES, ClockTriples
from navitas.recording.parse.folded import NO_FOLDED
from navitas.recording.parse.frame_names import stable_class
from navitas.recording.parse.sample_join import joined_samples, merged_samples
from navitas.recording.parse.stack_samples import Frame, RawSamples, SampleClock, Stacks, StackSamples
from navitas.recording.parse.tables import CpuClock, Method, MethodTable, Thread
from navitas.recording.parse.threads import NO_CLOCK

S = 1_000_000_000
RUN = Frame("java", "app.jar", "a.C", "run", "()V")
MAIN = Frame("java", "app.jar", "a.C", "main")
COPY = Frame("native", "/lib/libc.so", "", "memcpy")
NTERP = Frame("native", "/apex/com.android.art/lib64/libart.so", "", "ExecuteNterpImpl")
MAPPED = MethodTable((Method(0, ":app", "a.C", "run", "()V", 7, "main", False),), {})


def raw(
    rows: Sequence[tuple[int, int, Sequence[Frame]]],
    *,
    clock: SampleClock = "monotonic",
    names: Mapping[int, str] | None = None,
    process_of: Mapping[int, int] | None = None,
) -> RawSamples:
    """Samples of (time, tid, frames from the outermost one)."""
    frames = list(dict.fromkeys(frame for _, _, stack in rows for frame in stack))
    parent: list[int] = []
    frame: list[int] = []
    ends: list[int] = []
    for _, _, stack in rows:
        for level, one in enumerate(stack):
            parent.append(len(parent) - 1 if level else -1)
            frame.append(frames.index(one))
        ends.append(len(parent) - 1 if stack else -1)
    times, tids = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    stacks = Stacks(np.array(parent, np.int32), np.array(frame, np.int32))
    return RawSamples(
        times, tids, np.array(ends, np.int32), stacks, tuple(frames), clock, None, names or {}, process_of or {}, lost=2, cut=1
    )


def thread(tid: int, readings: Sequence[int] = (), *, serial: int = -1) -> Thread:
    clock = CpuClock(np.array(readings, np.int64), np.array(readings, np.int64)) if readings else NO_CLOCK
    return Thread(serial, tid, f"t{tid}", "system", NO_CALLS, NO_FOLDED, NO_CLOCK, clock)


def paths(samples: StackSamples, table: MethodTable) -> list[list[str]]:
    """The methods of each sample, outermost first."""
    found = []
    for stack in samples.stack.tolist():
        names: list[str] = []
        at = stack
        while at >= 0:
            method = table.methods[samples.stacks.frame[at]]
            names.insert(0, f"{method.module} {method.class_name}.{method.name}")
            at = int(samples.stacks.parent[at])
        found.append(names)
    return found


def test_samples_are_sorted_and_their_methods_are_those_of_the_maps() -> None:
    made = raw([(9, 5, [MAIN, RUN]), (3, 6, [RUN]), (4, 5, [MAIN, COPY])])
    samples, threads, table = joined_samples(made, [thread(6), thread(5)], NO_TRIPLES, MAPPED)
    assert samples.thread.tolist() == [0, 1, 1] and samples.t_ns.tolist() == [3, 4, 9]
    assert paths(samples, table) == [
        [":app a.C.run"],
        ["app.jar a.C.main", "/lib/libc.so .memcpy"],
        ["app.jar a.C.main", ":app a.C.run"],
    ]
    assert table.methods[0] is MAPPED.methods[0] and [method.id for method in table.methods] == [0, 1, 2]
    assert (samples.lost, samples.cut, samples.unplaced) == (2, 1, 0)
    assert [one.role for one in threads] == ["app", "app"], "as threads with probes"


ROWS = st.tuples(st.integers(0, 4), st.sampled_from([0, 5, 6, 7]), st.sampled_from([[], [RUN], [MAIN, COPY]]), st.integers(1, 3))


@given(st.lists(ROWS, max_size=6))
def test_equal_samples_can_be_one_row_with_their_number(rows: list[tuple[int, int, list[Frame], int]]) -> None:
    alike = [row[:3] for row in rows for _ in range(row[3])]
    counted = replace(raw([row[:3] for row in rows], process_of={7: 9}), count=np.array([row[3] for row in rows], np.int64))
    assert counted.total == len(alike)
    samples, threads, table = joined_samples(counted, [thread(6)], NO_TRIPLES, MAPPED, pid=5)
    expected, others, _ = joined_samples(raw(alike, process_of={7: 9}), [thread(6)], NO_TRIPLES, MAPPED, pid=5)
    assert samples.thread.tolist() == expected.thread.tolist() and samples.t_ns.tolist() == expected.t_ns.tolist()
    assert paths(samples, table) == paths(expected, table) and samples.unplaced == expected.unplaced
    assert [(one.tid, one.role) for one in threads] == [(one.tid, one.role) for one in others]


def test_interpreter_frames_are_left_out_and_samples_without_a_stack_are_unknown() -> None:
    lost = Frame("unknown", "libx.so", "", "")
    system = Frame("kernel", "vmlinux", "", "futex_wait")
    own = Frame("native", "/data/app/libmine.so", "", "ExecuteNterpImpl")
    made = raw([(1, 5, [NTERP, MAIN, NTERP, RUN, NTERP]), (2, 5, [NTERP]), (3, 5, []), (4, 5, [MAIN, lost, system, own])])
    samples, _, table = joined_samples(made, [thread(5)], NO_TRIPLES, MAPPED)
    assert paths(samples, table) == [
        ["app.jar a.C.main", ":app a.C.run"],
        [" .[unknown]"],
        [" .[unknown]"],
        ["app.jar a.C.main", "libx.so .[unknown]", "[kernel] .futex_wait", "/data/app/libmine.so .ExecuteNterpImpl"],
    ]


def test_compiled_and_interpreted_frames_of_a_method_are_one() -> None:
    jit, oat = (Frame("java", module, "a.B", "f", "()I") for module in ("[anon:dalvik-jit-code-cache]", "base.odex"))
    bare = Frame("java", "base.vdex", "a.B", "f", line=12)
    samples, _, table = joined_samples(raw([(1, 5, [bare]), (2, 5, [jit]), (3, 5, [oat])]), [], NO_TRIPLES, MAPPED)
    assert len(set(samples.stacks.frame.tolist())) == 1 and len(table.methods) == 2
    assert table.methods[1].descriptor == "()I"


def test_an_overload_is_found_by_its_line() -> None:
    methods = tuple(Method(i, ":", "a.C", "f", f"({'I' * i})V", 10 * i + 10, "main", False) for i in range(3))
    made = raw([(i, 5, [Frame("java", "", "a.C", "f", line=line)]) for i, line in enumerate((10, 25, 99, 3, 0))])
    samples, _, table = joined_samples(made, [], NO_TRIPLES, MethodTable(methods, {}))
    assert samples.stacks.frame.tolist() == [0, 1, 2, 3, 3]
    assert table.methods[3].line == 3


@pytest.mark.parametrize(
    ("name", "stable"),
    [
        ("a.Foo$$Lambda/0x00007f3c10001000", "a.Foo$$Lambda"),
        ("a.Foo$$Lambda.0x00007f3c10001000", "a.Foo$$Lambda"),
        ("a.Foo$$Lambda$14/0x0000000800c03000", "a.Foo$$Lambda"),
        ("a.Foo$$Lambda$14", "a.Foo$$Lambda"),
        ("java.lang.invoke.LambdaForm$MH/0x0000000800c03000", "java.lang.invoke.LambdaForm$MH"),
        ("jdk.internal.reflect.GeneratedMethodAccessor12", "jdk.internal.reflect.GeneratedMethodAccessor"),
        ("com.sun.proxy.$Proxy7", "com.sun.proxy.$Proxy"),
        ("a.Foo$1", "a.Foo$1"),
        ("a.-$$Lambda$Foo$xQ0aB", "a.-$$Lambda$Foo$xQ0aB"),
        ("a.Foo$$ExternalSyntheticLambda0", "a.Foo$$ExternalSyntheticLambda0"),
    ],
)
def test_names_that_the_runtime_numbers_lose_the_number(name: str, stable: str) -> None:
    assert stable_class(name) == stable


def test_times_join_the_clock_of_the_run() -> None:
    triples = ClockTriples(*(np.array([low, low + 10 * S]) for low in (100 * S, 300 * S, 5000 * S)))
    starts: dict[SampleClock, int] = {"monotonic": 100 * S, "boottime": 300 * S, "realtime": 5000 * S}
    for clock, start in starts.items():
        samples, _, _ = joined_samples(raw([(start + 2, 5, [RUN]), (start + 1, 5, [RUN])], clock=clock), [], triples, MAPPED)
        assert samples.t_ns.tolist() == [100 * S + 1, 100 * S + 2]
        samples, _, _ = joined_samples(raw([(start, 5, [RUN])], clock=clock), [], NO_TRIPLES, MAPPED)
        assert (len(samples), samples.unplaced) == ((1, 0) if clock == "monotonic" else (0, 1))


def test_samples_before_and_after_the_clock_was_set_keep_their_times() -> None:
    """It was set forward by 90 s, between the second reading and the third one."""
    read = ([100 * S, 110 * S, 120 * S], [300 * S, 310 * S, 320 * S], [5000 * S, 5010 * S, 5110 * S])
    triples = ClockTriples(*map(np.array, read))
    samples, _, _ = joined_samples(raw([(5105 * S, 5, [RUN]), (5005 * S, 5, [RUN])], clock="realtime"), [], triples, MAPPED)
    assert (samples.t_ns.tolist(), samples.unplaced) == ([105 * S, 115 * S], 0)


def test_a_thread_whose_id_had_ended_is_another_thread() -> None:
    known = [thread(5, [0, S]), thread(5, [3 * S, 4 * S]), thread(7)]
    rows = [(S // 2, 5, [RUN]), (3 * S + 1, 5, [RUN]), (S + 50_000_000, 5, [RUN]), (9 * S, 5, [COPY]), (9 * S, 7, [COPY])]
    samples, threads, _ = joined_samples(raw(rows, names={5: "later"}), known, NO_TRIPLES, MAPPED)
    assert samples.thread.tolist() == [0, 0, 1, 2, 3]
    assert (threads[3].tid, threads[3].name, threads[3].seen_ns, threads[3].role) == (5, "later", 9 * S, "system")


def test_a_name_that_the_kernel_cut_is_whole() -> None:
    cut = [replace(thread(tid, serial=serial), name="ForkJoinPool-1-") for tid, serial in ((5, -1), (6, -1), (7, 3))]
    names = {5: "ForkJoinPool-1-worker-1", 6: "another name", 7: "ForkJoinPool-1-worker-2"}
    _, threads, _ = joined_samples(raw([(S, tid, [RUN]) for tid in (5, 6, 7)], names=names), cut, NO_TRIPLES, MAPPED)
    assert [own.name for own in threads] == ["ForkJoinPool-1-worker-1", "ForkJoinPool-1-", "ForkJoinPool-1-"]


def test_a_thread_with_the_name_of_its_process_has_that_by_its_profiler() -> None:
    known = [replace(thread(tid), name=name) for tid, name in ((5, "java"), (6, "java"), (7, "java"), (8, "VM Thread"))]
    rows = [(S, tid, [RUN]) for tid in (6, 7, 8)]
    _, threads, _ = joined_samples(raw(rows, names={6: "main", 8: "later"}), known, NO_TRIPLES, MAPPED, pid=5)
    assert [own.name for own in threads] == ["java", "main", "java", "VM Thread"]


def test_a_thread_that_the_first_reading_lists_began_before() -> None:
    known = [thread(5, [2 * S, 3 * S]), thread(7, [3 * S])]
    samples, threads, _ = joined_samples(raw([(S, 5, [RUN]), (S, 7, [RUN])]), known, NO_TRIPLES, MAPPED)
    assert samples.thread.tolist() == [0, 2] and threads[2].seen_ns == S


def test_very_many_threads_of_one_id_take_bounded_memory() -> None:
    known = [thread(5, [i * S, i * S + 1]) for i in range(2000)]
    rows = [(i % 2000 * S + i % 2, 5, [RUN]) for i in range(20_000)]
    made = raw(rows)
    tracemalloc.start()
    samples, threads, _ = joined_samples(made, known, NO_TRIPLES, MAPPED)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (samples.thread == samples.t_ns // S).all() and len(threads) == 2000
    assert peak < 20 << 20


def test_samples_of_other_processes_and_impossible_threads_are_left_out() -> None:
    rows = [(1, 5, [RUN]), (2, 6, [RUN]), (3, 8, [RUN]), (4, 0, [RUN]), (5, 1 << 40, [RUN])]
    made = raw(rows, process_of={5: 50, 6: 60})
    samples, threads, _ = joined_samples(made, [thread(5)], NO_TRIPLES, MAPPED)
    assert [threads[place].tid for place in samples.thread.tolist()] == [5, 8] and samples.unplaced == 2
    samples, threads, _ = joined_samples(made, [], NO_TRIPLES, MAPPED, pid=60)
    assert [threads[place].tid for place in samples.thread.tolist()] == [6, 8]


def test_samples_of_impossible_times_are_unplaced() -> None:
    rows = [(t_ns, 5, [RUN]) for t_ns in (-(1 << 63), -1, 0, 1, (1 << 61) - 1, 1 << 61, (1 << 63) - 1)]
    samples, _, _ = joined_samples(raw(rows), [thread(5, [1, 2, (1 << 61) - 1])], NO_TRIPLES, MAPPED)
    assert samples.t_ns.tolist() == [1, (1 << 61) - 1] and samples.unplaced == 5


def test_no_samples() -> None:
    samples, threads, table = joined_samples(raw([]), [thread(5)], NO_TRIPLES, MAPPED)
    assert len(samples) == 0 and len(threads) == 1 and table == MAPPED


def test_samples_of_several_processes_are_one_table() -> None:
    first, threads, table = joined_samples(raw([(1, 5, [MAIN]), (9, 6, [RUN])]), [], NO_TRIPLES, MAPPED)
    second, threads, table = joined_samples(raw([(4, 5, [COPY]), (2, 6, [RUN, MAIN])]), threads, NO_TRIPLES, table)
    merged = merged_samples([first, second])
    assert merged.thread.tolist() == [0, 0, 1, 1] and merged.t_ns.tolist() == [1, 4, 2, 9]
    names = [[name.rpartition(".")[2] for name in path] for path in paths(merged, table)]
    assert names == [["main"], ["memcpy"], ["run", "main"], ["run"]] and merged.lost == 4


def test_random_samples_keep_their_threads_and_times() -> None:
    random = Random(3)
    rows = [(random.randrange(1000), random.randrange(1, 9), [random.choice([RUN, MAIN, COPY])]) for _ in range(500)]
    samples, threads, table = joined_samples(raw(rows), [thread(3)], NO_TRIPLES, MAPPED)
    places = [threads[place].tid for place in samples.thread.tolist()]
    found = zip(samples.t_ns.tolist(), places, [path[0] for path in paths(samples, table)], strict=True)
    labels = {RUN: ":app a.C.run", MAIN: "app.jar a.C.main", COPY: "/lib/libc.so .memcpy"}
    assert sorted(found) == sorted((t, tid, labels[stack[0]]) for t, tid, stack in rows)
    keys = samples.thread.astype(np.int64) * 1000 + samples.t_ns
    assert (np.diff(keys) >= 0).all()
