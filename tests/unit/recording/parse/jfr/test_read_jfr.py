"""Samples of JFR files: as async-profiler writes them, over several chunks, and damaged in every way."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.jfr_writer import RUNNABLE, SAMPLE, SLEEPING, WALL, JfrText, event, metadata, sample, varint

from navitas.base.errors import RecordingError
from navitas.recording.parse.jfr.jfr_file import HEADER
from navitas.recording.parse.jfr.jfr_varints import all_varints, varint_at, varints_at
from navitas.recording.parse.jfr.read_jfr import read_jfr
from navitas.recording.parse.jfr.stack_forest import MOST_FRAMES, JoinedStacks
from navitas.recording.parse.stack_samples import RawSamples

RUN, WORK, MAIN = ("a/b/C", "run", "()V"), ("a/b/C$D", "work", "(I)J"), ("a/b/Main", "main", "([Ljava/lang/String;)V")
SIN, READ, LOST = ("", "libmSin", "()L;"), ("libc.so.6", "read", "()L;"), ("", "unknown", "()L;")
SYSCALL = ("", "do_syscall_64", "(Lk;)L;")


def profile(**changes: object) -> JfrText:
    text = JfrText(
        stacks={
            1: [(WORK, 2), (RUN, 1), (MAIN, 1)],
            2: [(SIN, 4), (WORK, 3), (RUN, 2), (MAIN, 1)],
            7: [(SYSCALL, 6), (READ, 4), (MAIN, 1)],
            9: [(LOST, 4)],
        },
        threads={4001: "main", 4002: "worker-é", 4003: "[tid=4003]"},
        events=b"".join(
            [sample(2_000_000, 4001, 1), sample(3_000_000, 4002, 2), sample(4_000_000, 4001, 7), sample(4_500_000, 4003, 9)]
        ),
        start_ticks=1_000_000,
    )
    return replace(text, **changes)  # type: ignore[arg-type]


def read(tmp_path: Path, data: bytes) -> RawSamples:
    path = tmp_path / "samples.jfr"
    path.write_bytes(data)
    return read_jfr(path)


def stack_of(raw: RawSamples, row: int) -> list[str]:
    names = []
    while row >= 0:
        frame = raw.frames[raw.stacks.frame[row]]
        names.append(f"{frame.kind} {frame.module}|{frame.class_name}.{frame.name}{frame.descriptor}")
        row = int(raw.stacks.parent[row])
    return names


def test_samples_have_thread_time_and_stack(tmp_path: Path) -> None:
    raw = read(tmp_path, profile().chunk())
    assert raw.t_ns.tolist() == [2_000_000, 4_000_000, 3_000_000, 4_500_000], "by thread"
    assert raw.tid.tolist() == [4001, 4001, 4002, 4003]
    assert (raw.clock, raw.period_ns, raw.lost, raw.cut) == ("monotonic", 1e6, 0, 0)
    assert raw.thread_names == {4001: "main", 4002: "worker-é"}
    assert raw.process_of == dict.fromkeys((4001, 4002, 4003), 4000)
    main = "java |a.b.Main.main([Ljava/lang/String;)V"
    assert [stack_of(raw, row) for row in raw.stack.tolist()] == [
        ["java |a.b.C$D.work(I)J", "java |a.b.C.run()V", main],
        ["kernel [kernel]|.do_syscall_64", "native libc.so.6|.read", main],
        ["native |.libmSin", "java |a.b.C$D.work(I)J", "java |a.b.C.run()V", main],
        ["unknown |.unknown"],
    ]
    assert (raw.stacks.parent < np.arange(len(raw.stacks))).all(), "callers come first"


def test_a_library_stands_for_its_functions_without_a_symbol(tmp_path: Path) -> None:
    text = profile(stacks={1: [(("", "/usr/lib/libz.so.1.2", "()L;"), 4), (MAIN, 1)]}, events=sample(2_000_000, 4001, 1))
    raw = read(tmp_path, text.chunk())
    assert stack_of(raw, int(raw.stack[0])) == ["unknown libz.so.1.2|.", "java |a.b.Main.main([Ljava/lang/String;)V"]
    assert raw.broken == 0


def test_frames_of_one_method_are_one_frame(tmp_path: Path) -> None:
    """Interpreted, compiled and inlined frames are frames of the same method."""
    raw = read(tmp_path, profile().chunk())
    assert sorted(frame.name for frame in raw.frames) == ["do_syscall_64", "libmSin", "main", "read", "run", "unknown", "work"]
    assert len(raw.stacks) == 7  # main, its run and work and libmSin, read below main with a system call, unknown


def test_chunks_are_joined(tmp_path: Path) -> None:
    """Ids of a chunk are its own; the profiler's settings are in the first one."""
    second = JfrText({1: [(RUN, 1), (MAIN, 1)]}, {4009: "late"}, sample(9_000_000, 4009, 1), settings={})
    raw = read(tmp_path, profile().chunk() + second.chunk())
    assert raw.clock == "monotonic"
    assert stack_of(raw, int(raw.stack[-1])) == ["java |a.b.C.run()V", "java |a.b.Main.main([Ljava/lang/String;)V"]
    assert raw.t_ns[-1] == 9_000_000
    assert raw.thread_names[4009] == "late"
    assert len(raw.stacks) == 7


def test_ticks_of_another_clock_are_wall_time(tmp_path: Path) -> None:
    settings = {"engine": "perf_events", "event": "cpu", "clock": "tsc", "interval": "1000000"}
    raw = read(tmp_path, profile(settings=settings, ticks_per_s=3_000_000_000).chunk())
    assert raw.clock == "realtime"
    assert (raw.t_ns - 1_700_000_000_000_000_000).tolist() == [333_333, 1_000_000, 666_667, 1_166_667]


def test_the_period_is_the_requested_cpu_time(tmp_path: Path) -> None:
    settings = {"engine": "ctimer", "event": "ctimer", "clock": "monotonic", "interval": "1000000"}
    assert read(tmp_path, profile(settings=settings).chunk()).period_ns == 1e6
    assert read(tmp_path, profile(settings=settings | {"engine": "wall", "event": "wall"}).chunk()).period_ns is None
    assert read(tmp_path, profile(settings=settings | {"event": "cycles"}).chunk()).period_ns is None
    absurd = {"interval": "9" * 5000, "jstackdepth": "9" * 5000}
    assert read(tmp_path, profile(settings=settings | absurd).chunk()).period_ns is None


def test_samples_of_wall_time_count_if_there_are_no_others(tmp_path: Path) -> None:
    wall = sample(5_000_000, 4002, 1, WALL, RUNNABLE)
    assert read(tmp_path, profile(events=profile().events + wall).chunk()).t_ns.tolist()[-1] == 4_500_000
    alone = read(tmp_path, profile(events=wall).chunk())
    assert (alone.t_ns.tolist(), alone.period_ns) == ([5_000_000], None)


def test_wall_clock_samples_in_the_event_of_cpu_samples_are_known_by_their_state(tmp_path: Path) -> None:
    """As async-profiler before 4.0 writes them, and later ones with `nobatch`."""
    ran = sample(5_000_000, 4002, 1, state=RUNNABLE)
    slept = sample(6_000_000, 4002, 2, state=SLEEPING)
    assert read(tmp_path, profile(events=profile().events + ran + slept).chunk()).t_ns.tolist()[-1] == 4_500_000
    alone = read(tmp_path, profile(events=ran + slept).chunk())
    assert (alone.t_ns.tolist(), alone.period_ns, alone.lost) == ([5_000_000], None, 0)


@pytest.mark.parametrize("kind", [SAMPLE, WALL])
def test_samples_of_threads_that_slept_are_left_out(kind: int, tmp_path: Path) -> None:
    slept = b"".join(sample(1_000_000 * ms, 4001, 7, kind, SLEEPING) for ms in range(5, 50))
    assert len(read(tmp_path, profile(events=sample(2_000_000, 4001, 1, kind, RUNNABLE) + slept).chunk())) == 1
    assert len(read(tmp_path, profile(events=slept).chunk())) == 0


def test_a_jdk_calls_threads_that_ran_runnable(tmp_path: Path) -> None:
    """So did async-profiler before 3.0, which had no name for the state of CPU samples."""
    states = {RUNNABLE: "STATE_RUNNABLE", SLEEPING: "STATE_SLEEPING"}
    raw = read(tmp_path, profile(events=sample(2_000_000, 4001, 1, state=RUNNABLE), states=states).chunk())
    assert (len(raw), raw.period_ns) == (1, 1e6)


def test_what_has_no_stack_or_thread_is_counted(tmp_path: Path) -> None:
    events = sample(2_000_000, 4001, 55) + sample(3_000_000, 4444, 1)
    raw = read(tmp_path, profile(events=events, truncated=frozenset({1})).chunk())
    assert (raw.stack.tolist(), raw.tid.tolist(), raw.lost, raw.cut) == ([-1], [4001], 1, 1)


def test_stacks_with_a_gap_are_counted(tmp_path: Path) -> None:
    gap = ("", "[not_walkable_Java]", "()L;")
    stacks = {1: [(WORK, 2), (MAIN, 1)], 2: [(SIN, 4), (gap, 4)], 3: [(LOST, 4), (MAIN, 1)]}
    events = b"".join(sample(1_000_000 * i, 4001, i % 3 + 1) for i in range(1, 10))
    raw = read(tmp_path, profile(stacks=stacks, events=events).chunk())
    assert (raw.broken, raw.lost, raw.engine) == (3, 0, "perf_events"), "a frame without a symbol is no gap"


def test_stacks_at_the_limit_of_depth_count_as_cut(tmp_path: Path) -> None:
    settings = profile().settings | {"jstackdepth": "3"}
    assert read(tmp_path, profile(settings=settings).chunk()).cut == 3
    deep = [(RUN, 1)] * (MOST_FRAMES + 5) + [(MAIN, 1)]
    raw = read(tmp_path, profile(stacks={1: deep}, events=sample(2_000_000, 4001, 1), settings={}).chunk())
    assert (raw.cut, len(raw.stacks)) == (1, MOST_FRAMES)


def test_a_file_without_samples_is_empty(tmp_path: Path) -> None:
    raw = read(tmp_path, profile(events=b"", stacks={}).chunk())
    assert (len(raw), len(raw.stacks), raw.frames) == (0, 0, ())


def test_samples_of_a_chunk_that_was_not_finished_are_lost(tmp_path: Path) -> None:
    raw = read(tmp_path, profile().chunk() + profile().chunk(finished=False))
    assert (len(raw), raw.lost) == (4, 4)
    with pytest.raises(RecordingError, match="did not finish the file"):
        read(tmp_path, profile().chunk(finished=False))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "0 bytes are too few"),
        (b"PK\3\4" + bytes(100), "no chunk of JFR begins here"),
        (profile().chunk() + b"FLR\0", "too few for a chunk"),
        (HEADER.pack(b"FLR\0", 3, 0, 68, 68, 68, 0, 0, 0, 1, 1), "version 3.0 is not supported"),
        (HEADER.pack(b"FLR\0", 2, 0, 68, 68, 68, 0, 0, 0, 1, 0), "without compressed integers"),
        (HEADER.pack(b"FLR\0", 2, 0, 4, 68, 68, 0, 0, 0, 1, 1), "header is damaged"),
        (HEADER.pack(b"FLR\0", 2, 0, 68, 900, 68, 0, 0, 0, 1, 1), "points outside"),
        (profile(events=b"\0" * 50).chunk(), "has the length 0"),
        (profile(events=event(101, b"") + b"\xff\xff\xff\xff\x07").chunk(), "longer than the chunk"),
    ],
)
def test_damaged_files_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(RecordingError, match=message) as caught:
        read(tmp_path, data)
    assert "samples.jfr" in caught.value.message
    assert caught.value.remedy


def test_a_loop_of_checkpoints_ends(tmp_path: Path) -> None:
    good = bytearray(profile().chunk())
    constants = HEADER.unpack(good[: HEADER.size])[4]
    at = constants + 5 + 1 + len(varint(1_000_000)) + 1
    assert good[at] == 0
    good[at] = 1  # the checkpoint before begins after this one
    with pytest.raises(RecordingError, match="constants are damaged"):
        read(tmp_path, bytes(good))


def test_any_changed_byte_gives_samples_or_a_named_error(tmp_path: Path) -> None:
    good, chance = profile().chunk(), random.Random(3)
    for _ in range(400):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            raw = read(tmp_path, bytes(data[: chance.choice((len(data), chance.randrange(len(data))))]))
        except RecordingError:
            continue
        assert len(raw.t_ns) == len(raw.tid) == len(raw.stack)
        assert ((raw.stack >= -1) & (raw.stack < len(raw.stacks))).all()


def test_varints() -> None:
    numbers = [0, 1, 127, 128, 300, 1 << 40, (1 << 56) - 1, (1 << 63) - 1, -1, -(1 << 63)]
    data = b"".join(map(varint, numbers))
    at = np.cumsum([0, *(len(varint(one)) for one in numbers[:-1])])
    values, after = varints_at(np.frombuffer(data + bytes(9), np.uint8), at.astype(np.int64))
    assert values.tolist() == numbers
    assert after.tolist() == [*at[1:], len(data)]
    assert [varint_at(memoryview(data), int(one))[0] for one in at] == numbers
    small = [one for one in numbers if 0 <= one < 1 << 56]
    values, after = all_varints(np.frombuffer(b"".join(map(varint, small)) + b"\xff", np.uint8))
    assert values.tolist() == small


def test_a_forest_joins_equal_callers() -> None:
    forest = JoinedStacks()
    rows, cut = forest.add(np.array([0, 2, 5, 5, 6]), np.array([1, 0, 2, 1, 0, 1]))
    assert (rows.tolist(), cut) == ([2, 3, -1, 1], 0)
    again, _ = forest.add(np.array([0, 3]), np.array([2, 1, 0]))
    assert again.tolist() == [3]
    assert (forest.stacks().parent.tolist(), forest.stacks().frame.tolist()) == ([-1, -1, 0, 2], [0, 1, 1, 2])


def test_a_full_forest_keeps_the_outer_frames_and_counts_the_stacks() -> None:
    forest = JoinedStacks(rows_limit=3)
    rows, cut = forest.add(np.array([0, 2, 5, 6]), np.array([1, 0, 3, 2, 0, 4]))
    assert len(forest.stacks()) == 3 and cut == 1
    assert (forest.stacks().frame[rows].tolist(), forest.stacks().parent.tolist()) == ([1, 0, 4], [-1, -1, 0])
    again, cut = forest.add(np.array([0, 2, 4]), np.array([1, 0, 5, 9]))
    assert (again.tolist(), cut) == ([rows[0], -1], 1)


def test_metadata_of_the_writer_is_an_event() -> None:
    assert metadata()[5] == 0
