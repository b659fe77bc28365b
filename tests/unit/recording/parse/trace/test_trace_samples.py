"""Stack samples of Perfetto traces, written as traced_perf writes them. Hostile ones do no harm."""

from __future__ import annotations

import tracemalloc
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import perfetto_writer as pw
from support.perfetto_samples import CLEARED, CPU_CLOCK, CYCLES, MONOTONIC_RAW, PAGE_FAULTS, SampleWriter, stacks_of
from support.perfetto_writer import PerfettoWriter

from navitas.base.protobuf_writer import content, number
from navitas.recording.parse.clock_triples import ClockTriples
from navitas.recording.parse.samples_stacks import DEEPEST
from navitas.recording.parse.stack_samples import RawSamples
from navitas.recording.parse.tables import TID_LIMIT
from navitas.recording.parse.trace import perfetto_packets, perfetto_samples
from navitas.recording.parse.trace.join import to_monotonic
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.perfetto_sample_wire import SKIPPED, plain_samples

MS = 1_000_000
BOOT = 5_000_000 * MS
TASK, WORKER = (500, 500), (500, 501)
LIBC, ODEX, JIT = "system/lib64/libc.so", "data/app/org.example/oat/arm64/base.odex", "[anon:dalvik-jit-code-cache]"
MAIN = [("__libc_init", LIBC), ("void org.example.Main.run(int)", ODEX)]
SORT = [*MAIN, ("org.example.Sorter.sort", JIT)]
READ = [*MAIN, ("_ZN7android6Parcel4readEi", "system/lib64/libbinder.so"), ("do_el0_svc", "kernel")]


def _trace(clock: int = 0, **begin: int) -> tuple[PerfettoWriter, SampleWriter]:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000, (MONOTONIC_RAW, BOOT - 9000))
    writer = SampleWriter(trace)
    writer.begin(clock=clock, **(begin or {"frequency": 1000}))
    return trace, writer


def _read(trace: PerfettoWriter) -> RawSamples:
    found = read_perfetto(bytes(trace)).trace.samples
    assert found is not None
    return found


def test_threads_times_and_stacks_are_read() -> None:
    trace, writer = _trace()
    trace.tree({500: "org.example.app"}, [(501, 500, "worker"), (502, 500, "other")])
    for i, stack in enumerate([SORT, READ, SORT]):
        writer.sample(BOOT + i * MS, WORKER if i == 1 else TASK, stack)
    found = _read(trace)
    assert (found.t_ns - BOOT).tolist() == [0, MS, 2 * MS] and found.clock == "boottime"
    assert found.tid.tolist() == [500, 501, 500] and found.process_of == {500: 500, 501: 500}
    assert found.thread_names == {500: "org.example.app", 501: "worker"}
    assert found.period_ns == MS and (found.lost, found.cut) == (0, 0)
    run = ["__libc_init", "org.example.Main.run"]
    sort, read = [*run, "org.example.Sorter.sort"], [*run, "android::Parcel::read(int)", "do_el0_svc"]
    assert stacks_of(found) == [sort, read, sort]
    assert len(found.stacks) == 5, "stacks share their outer frames"
    kinds = {frame.name: (frame.kind, frame.module) for frame in found.frames}
    assert kinds["run"] == kinds["sort"] == ("java", "") and kinds["do_el0_svc"] == ("kernel", "[kernel]")
    assert kinds["__libc_init"] == ("native", "/system/lib64/libc.so")
    assert {frame.build_id for frame in found.frames if frame.kind == "native"} == {bytes(range(20)).hex()}


def test_samples_of_the_profilers_clock_become_boottime_and_then_monotonic() -> None:
    trace, writer = _trace(MONOTONIC_RAW)
    trace.bundle(0, [pw.switch(BOOT, ("swapper/0", 0, 0), ("app", 500)), pw.switch(BOOT + 9 * MS, ("app", 500, 1), ("b", 0))])
    writer.sample(BOOT - 9000 + MS, TASK, SORT)
    raw = read_perfetto(bytes(trace))
    assert raw.trace.samples is not None and raw.trace.samples.t_ns.tolist() == [BOOT + MS]
    none = np.empty(0, np.int64)
    joined = to_monotonic(raw, ClockTriples(none, none, none)).trace
    assert joined is not None and joined.samples is not None
    assert joined.samples.t_ns.tolist() == [BOOT - 70 + MS] and joined.samples.clock == "monotonic"


def test_interned_numbers_belong_to_a_sequence_until_its_state_is_cleared() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, SORT)
    trace.sequence = 2
    other = SampleWriter(trace)
    other.begin(frequency=1000)
    other.sample(BOOT + 1, WORKER, READ)
    trace.sequence = 1
    writer.sample(BOOT + 2, TASK, SORT)
    trace.packet(number(13, CLEARED))
    writer.sample(BOOT + 3, TASK, SORT)  # Its stack is unknown now: its numbers mean nothing.
    trace.packet(content(66, number(3, 500) + number(4, 1)), t_ns=BOOT + 4, dropped=True)
    names = [stack[-1:] for stack in stacks_of(_read(trace))]
    assert names == [["org.example.Sorter.sort"], ["do_el0_svc"], ["org.example.Sorter.sort"], [], []]


def test_the_room_of_a_cleared_state_is_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfetto_samples, "_INTERNED_LIMIT", 40)
    monkeypatch.setattr(perfetto_samples, "_INTERNED_BYTES", 400)
    trace, writer = _trace()
    for i in range(10):
        writer.begin(frequency=1000)
        writer.sample(BOOT + i, TASK, SORT)
    raw = read_perfetto(bytes(trace))
    assert raw.warnings == () and raw.trace.samples is not None
    assert {stack[-1] for stack in stacks_of(raw.trace.samples)} == {"org.example.Sorter.sort"}
    for i in range(30):
        writer.sample(BOOT + 10 + i, TASK, [(f"f{i}", LIBC)])
    assert len(read_perfetto(bytes(trace)).warnings) == 1
    monkeypatch.setattr(perfetto_samples, "_INTERNED_LIMIT", 1000)
    monkeypatch.setattr(perfetto_samples, "_INTERNED_BYTES", 1000)
    assert read_perfetto(bytes(trace)).warnings == ()
    monkeypatch.setattr(perfetto_samples, "_FRAMES_BYTES", 200)
    raw = read_perfetto(bytes(trace))
    assert len(raw.warnings) == 1 and raw.trace.samples is not None
    assert sum(len(frame.module) + len(frame.class_name) + len(frame.name) for frame in raw.trace.samples.frames) < 200


def test_what_is_missing_is_counted_or_unknown() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, [("ERROR INVALID_MAP", "ERROR"), ("", LIBC)], error=5)
    writer.sample(BOOT + 1, TASK, SORT, error=6)
    writer.sample(BOOT + 2, TASK, [], skipped=2)
    writer.sample(None, TASK, SORT)
    writer.lost(7)
    raw = read_perfetto(bytes(trace))
    found = raw.trace.samples
    assert found is not None and (found.lost, found.cut, found.broken, found.engine) == (7, 1, 2, "linux.perf")
    assert [[frame.kind for frame in found.frames][:2], [frame.module for frame in found.frames][:2]] == [
        ["unknown", "unknown"],
        ["", "/system/lib64/libc.so"],
    ]
    assert found.stack[2] == -1 and len(found) == 3
    assert raw.skipped_by_reason == {"stack samples have no time, or one of an unknown clock": 1}


@pytest.mark.parametrize(
    ("begin", "period_ns"),
    [({"frequency": 250}, 4 * MS), ({"period": 5 * MS}, 5 * MS), ({"frequency": 100, "counter": CYCLES}, None), ({}, MS)],
)
def test_the_period_is_that_of_a_clock(begin: dict[str, int], period_ns: int | None) -> None:
    trace, writer = _trace(**begin)
    writer.sample(BOOT, TASK, SORT)
    assert _read(trace).period_ns == period_ns


@pytest.mark.parametrize(
    ("timebase", "event"),
    [
        (number(4, PAGE_FAULTS), "event SW_PAGE_FAULTS"),
        (content(3, content(1, "sched/sched_waking")), "trace point sched/sched_waking"),
    ],
)
def test_samples_of_events_other_than_time_are_left_out(timebase: bytes, event: str) -> None:
    trace, writer = _trace()
    writer.begin_by(timebase)
    writer.sample(BOOT, TASK, SORT)
    raw = read_perfetto(bytes(trace))
    assert raw.trace.samples is None
    assert raw.warnings == (f"1 stack samples were left out: the {event} takes them, not time",)


def test_generic_stack_samples_are_read_if_they_are_of_time() -> None:
    trace = PerfettoWriter()
    names = content(5, number(1, 1) + content(2, "work")) + content(6, number(1, 1) + number(2, 1) + number(6, 12))
    names += content(7, number(1, 9) + number(2, 1))
    for unit, sequence in ((1, 1), (4, 2)):
        trace.sequence = sequence
        defaults = content(59, content(100, content(2, content(2, "counter") + number(3, unit))))
        trace.packet(number(13, CLEARED) + content(12, names) + defaults)
        task, inline = content(1, number(2, 500) + number(3, 501)), content(1, content(1, "run")) + content(1, content(1, "sort"))
        trace.packet(content(135, task + number(6, 9) + number(11, 1000)), t_ns=BOOT + sequence)
        trace.packet(content(135, task + content(5, inline)), t_ns=BOOT + sequence)
    found = _read(trace)
    assert (found.t_ns - BOOT).tolist() == [1, 1] and found.process_of == {501: 500}
    assert stacks_of(found) == [["work"], ["run", "sort"]] and found.frames[0].line == 12


def test_symbols_at_the_end_name_addresses_with_their_inlined_calls() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, [("", "data/lib/libgame.so")])
    lines = b"".join(
        content(2, content(1, name) + content(2, "a.cc") + number(3, line)) for name, line in (("in", 7), ("out", 9))
    )
    module = content(1, "/data/lib/libgame.so") + content(2, writer.build_id) + content(3, number(1, 0x1000) + lines)
    trace.packet(content(61, module))
    found = _read(trace)
    assert stacks_of(found) == [["out", "in"]]
    assert [(frame.name, frame.file, frame.line) for frame in found.frames] == [("out", "a.cc", 9), ("in", "a.cc", 7)]


def test_paths_and_inlined_calls_have_at_most_64_parts() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, [("", "/".join(["part"] * 100)), ("", LIBC)])
    lines = b"".join(content(2, content(1, f"f{i}") + number(3, i + 1)) for i in range(100))
    trace.packet(content(61, content(2, writer.build_id) + content(3, number(1, 0x1000) + lines)))
    found = _read(trace)
    assert {frame.module for frame in found.frames} == {"/" + "/".join(["part"] * 64), "/system/lib64/libc.so"}
    assert {frame.name for frame in found.frames} == {f"f{i}" for i in range(64)}


def test_code_outside_of_files_has_no_module() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, [("", ""), ("", LIBC), ("", "[vdso]")])
    assert {frame.module for frame in _read(trace).frames} == {"", "/system/lib64/libc.so", "[vdso]"}


def test_paths_of_mappings_need_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfetto_samples, "_INTERNED_BYTES", 2000)
    trace, _ = _trace()
    names = content(17, number(1, 1) + content(2, "x" * 500)) + content(5, number(1, 1) + content(2, "f"))
    names += b"".join(
        content(19, number(1, i) + number(7, 1))
        + content(6, number(1, i) + number(2, 1) + number(3, i))
        + content(7, number(1, i) + number(2, i))
        for i in range(1, 9)
    )
    trace.packet(content(12, names))
    for i in range(1, 9):
        trace.packet(content(66, number(2, 500) + number(3, 500) + number(4, i)), t_ns=BOOT + i)
    raw = read_perfetto(bytes(trace))
    assert raw.trace.samples is not None and len(raw.warnings) == 1
    modules = [raw.trace.samples.frames[row].module for row in raw.trace.samples.stacks.frame.tolist()]
    assert sorted(map(len, modules)) == [0, 501]


def test_a_trace_without_samples_has_none() -> None:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    assert read_perfetto(bytes(trace)).trace.samples is None


def test_endless_stacks_are_cut_and_take_bounded_memory() -> None:
    trace, writer = _trace()
    deep = [(f"f{i % 7}", LIBC) for i in range(3 * DEEPEST)]
    writer.sample(BOOT, TASK, deep)
    found = _read(trace)
    assert found.cut == 1 and len(stacks_of(found)[0]) == DEEPEST and stacks_of(found)[0][-1] == deep[-1][0]


@given(st.lists(st.tuples(st.sampled_from([12, 13, 66, 135, 59, 61]), st.binary(max_size=40)), max_size=12))
def test_any_content_does_no_harm(packets: list[tuple[int, bytes]]) -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, SORT)
    for of, body in packets:
        trace.packet(content(of, body) if of != 13 else number(13, body[0] if body else 0), t_ns=BOOT + 5)
    found = _read(trace)
    assert stacks_of(found)[0][-1] == "org.example.Sorter.sort"
    assert np.all(found.stacks.parent < np.arange(len(found.stacks)))


def test_many_samples_share_their_stacks() -> None:
    trace, writer = _trace()
    for i in range(20_000):
        writer.sample(BOOT + i, TASK, SORT if i % 3 else READ)
    data = bytes(trace)
    tracemalloc.start()
    found = read_perfetto(data).trace.samples
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None and len(found) == 20_000 and len(found.stacks) == 5
    assert peak < 40 << 20


def test_packets_of_traced_perf_need_no_object() -> None:
    trace, writer = _trace()
    writer.sample(BOOT, TASK, SORT, error=6)
    writer.sample(BOOT + 1, WORKER, [], skipped=3)
    writer.sample(BOOT + 2, TASK, SORT, error=6)
    packets = trace.packets[-3:]
    ends = np.cumsum(list(map(len, packets))).tolist()
    (found,) = plain_samples(memoryview(b"".join(packets)), [0, *ends[:-1]], ends)
    assert (found.low, found.high, found.timestamp.tolist()) == (1, 3, [BOOT + 1, BOOT + 2])
    assert (found.pid.tolist(), found.tid.tolist()) == ([500, 500], [501, 500])
    assert found.unwind_error.tolist() == [0, 6] and found.stack_iid[0] == SKIPPED < found.stack_iid[1]


FIELDS = st.one_of(
    st.tuples(st.sampled_from([8, 10, 13, 41, 42, 58, 79, 98]), st.integers(0, 1 << 40)).map(lambda field: number(*field)),
    st.tuples(st.sampled_from([1, 12, 59, 66, 200]), st.binary(max_size=12)).map(lambda field: content(*field)),
    st.binary(max_size=3),
)


TIDS = st.sampled_from([0, 500, 501, TID_LIMIT])
SAMPLES = st.builds(
    lambda task, stack, error, skipped: (task, stack, {"error": error, "skipped": skipped}),
    st.tuples(TIDS, TIDS),
    st.sampled_from([SORT, READ]),
    st.sampled_from([0, 0, 1, 5, 6]),
    st.sampled_from([None, None, 1, 4, 9]),
)
PACKETS = st.tuples(SAMPLES, st.none() | st.tuples(st.booleans(), FIELDS))
COUNTERS, CLOCKS = st.sampled_from([CPU_CLOCK, PAGE_FAULTS]), st.sampled_from([0, MONOTONIC_RAW])


@given(st.lists(PACKETS, max_size=8), COUNTERS, CLOCKS, st.booleans())
def test_many_packets_are_read_as_protobuf_reads_each(packets: Any, counter: int, clock: int, is_packed: bool) -> None:
    trace, writer = _trace(clock=clock, counter=counter)
    for i, ((task, stack, others), odd) in enumerate(packets):
        writer.sample(BOOT + i, task, stack, **others)
        if odd is not None:
            begins, field = odd
            trace.packets[-1] = field + trace.packets[-1] if begins else trace.packets[-1] + field
    if is_packed:
        inner, trace = trace, PerfettoWriter()
        trace.packets.append(content(50, zlib.compress(bytes(inner))))
    data = bytes(trace)
    many = read_perfetto(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perfetto_packets, "plain_samples", lambda *_: ())
        single = read_perfetto(data)
    assert many.skipped == single.skipped and many.warnings == single.warnings and many.other_machines == single.other_machines
    found, expected = many.trace.samples, single.trace.samples
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert found.t_ns.tolist() == expected.t_ns.tolist() and found.tid.tolist() == expected.tid.tolist()
        assert stacks_of(found) == stacks_of(expected) and found.process_of == expected.process_of
        assert (found.lost, found.cut, found.broken) == (expected.lost, expected.cut, expected.broken)
