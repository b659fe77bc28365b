"""Stacks without times: collapsed ones and those of pprof, and what is refused."""

from __future__ import annotations

import codecs
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import perfetto_writer as pw
from support.perfetto_samples import stacks_of
from support.perfetto_writer import PerfettoWriter

from navitas.base.errors import RecordingError
from navitas.base.protobuf_writer import content, number
from navitas.recording.parse.samples_pprof import is_pprof, read_pprof
from navitas.recording.parse.samples_stacks import DEEPEST
from navitas.recording.parse.samples_untimed import is_collapsed, read_collapsed, timed_by_trace
from navitas.recording.parse.trace.perfetto import read_perfetto

COLLAPSED = """[main tid=500];java/lang/Thread.run;a/B.work 3
[pool-1 thread-2 tid=501];a/B$$Lambda.run;std::vector<int, std::allocator<int> >::push_back 2
app-500/500;Main.main_[0];ksys_read_[k];[unknown] 1
"""


def test_collapsed_stacks_are_read_as_often_as_they_count(tmp_path: Path) -> None:
    (path := tmp_path / "app.txt").write_text(COLLAPSED)
    assert is_collapsed(path.read_bytes())
    found = read_collapsed(path)
    assert (found.clock, found.period_ns, found.total) == ("none", None, 6)
    assert found.count is not None and found.count.tolist() == [3, 2, 1]
    assert found.tid.tolist() == [500, 501, 500]
    assert stacks_of(found) == [
        ["java.lang.Thread.run", "a.B.work"],
        ["a.B$$Lambda.run", "std::vector<int, std::allocator<int> >::push_back"],
        ["Main.main", "ksys_read", ""],
    ]
    assert [frame.kind for frame in found.frames] == ["java", "java", "java", "native", "java", "kernel", "unknown"]
    assert found.thread_names == {500: "app", 501: "pool-1 thread-2"} and found.process_of == {500: 500}


def test_a_library_stands_for_its_functions_without_a_symbol(tmp_path: Path) -> None:
    (path := tmp_path / "app.txt").write_text("main;/usr/lib/libz.so.1.2 2\n")
    frame = read_collapsed(path).frames[1]
    assert (frame.kind, frame.module, frame.name) == ("unknown", "/usr/lib/libz.so.1.2", "")


def test_a_first_stack_of_one_frame_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    (path := tmp_path / "app.txt").write_bytes(codecs.BOM_UTF8 + b"main 3\n[main tid=5];a/B.work 2\n")
    assert is_collapsed(path.read_bytes())
    found = read_collapsed(path)
    assert found.tid.tolist() == [0, 5] and found.count is not None and found.count.tolist() == [3, 2]


def test_a_stack_deeper_than_the_head_of_its_file_is_read_and_cut(tmp_path: Path) -> None:
    frames = "".join(f"org/example/Parser.parse{i % 7};" for i in range(60_000))
    (path := tmp_path / "app.txt").write_text(f"[main tid=5];{frames}org/example/Parser.end 3\n[main tid=5];a/B.work 2\n")
    assert is_collapsed(path.read_bytes()[: 1 << 16])
    found = read_collapsed(path)
    assert (found.total, found.cut, found.tid.tolist()) == (5, 1, [5, 5])
    deep, other = stacks_of(found)
    assert len(deep) == DEEPEST and deep[-1] == "org.example.Parser.end" and other == ["a.B.work"]


@pytest.mark.parametrize("begin", ['{"frames": ["', "a\tb;", "\x00;", "x" * 2000 + ";"])
def test_other_long_lines_do_not_begin_as_stacks(begin: str) -> None:
    assert is_collapsed(b"Lorg/example/A;" * 1000)
    assert not is_collapsed(begin.encode() + b"Lorg/example/A;" * 1000)


def test_stacks_that_were_never_sampled_are_left_out(tmp_path: Path) -> None:
    (path := tmp_path / "app.txt").write_text("main;run 0\nmain;work 2\n")
    found = read_collapsed(path)
    assert (len(found), found.total) == (1, 2) and stacks_of(found) == [["main", "work"]]


def test_a_file_of_a_recording_names_the_thread_of_stacks_without_one(tmp_path: Path) -> None:
    (path := tmp_path / "samples-77.collapsed").write_text("a/B.work 2\n")
    assert read_collapsed(path).tid.tolist() == [77]


@pytest.mark.parametrize(
    ("text", "message"),
    [("a;b 1\nnothing\n", "line 2 is no collapsed stack"), ("a;b 30000000\n", "30,000,000 samples, and at most")],
)
def test_other_texts_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (path := tmp_path / "x").write_text(text)
    with pytest.raises(RecordingError, match=message):
        read_collapsed(path)


def test_samples_of_a_thread_share_a_time_at_which_it_runs(tmp_path: Path) -> None:
    writer = PerfettoWriter()
    begun = [9_000_000, 11_000_000, 14_000_000]
    switches = [pw.switch(t_ns, ("swapper/0", 0, 0), ("app", 500)) for t_ns in begun]
    writer.bundle(0, [one for t_ns, begin in zip(begun, switches, strict=True) for one in (begin, _ended(t_ns + 500_000))])
    trace = read_perfetto(bytes(writer)).trace
    (path := tmp_path / "app.txt").write_text("[a tid=500];f 2\n[b tid=501];f 1\n")
    timed = timed_by_trace(read_collapsed(path), trace)
    assert timed.clock == "monotonic" and timed.t_ns.tolist() == [11_000_000, 0]
    assert timed_by_trace(timed, trace) is timed


def _ended(t_ns: int) -> bytes:
    return pw.switch(t_ns, ("app", 500, 1), ("swapper/0", 0))


TEXTS = ["", "samples", "count", "cpu", "nanoseconds", "a.B.work", "B.java", "_Z4workPc", "/lib/libx.so", "tid", "alloc_space"]


def profile(*kinds: tuple[str, str], values: tuple[int, ...], period: int = 0, tid: int = 0) -> bytes:
    """A profile of one stack: a native function that a method of Java calls."""
    at = TEXTS.index
    types = b"".join(content(1, number(1, at(kind)) + number(2, at(unit))) for kind, unit in kinds)
    label = content(3, number(1, at("tid")) + number(3, tid)) if tid else b""
    sample = content(2, number(1, 2) + number(1, 1) + b"".join(number(2, value) for value in values) + label)
    places = content(3, number(1, 1) + number(5, at("/lib/libx.so")))
    places += content(4, number(1, 1) + content(4, number(1, 1) + number(2, 12))) + content(
        4, number(1, 2) + number(2, 1) + content(4, number(1, 2))
    )
    functions = content(5, number(1, 1) + number(2, at("a.B.work")) + number(4, at("B.java")))
    functions += content(5, number(1, 2) + number(2, at("_Z4workPc")))
    texts = b"".join(content(6, text) for text in TEXTS)
    return types + sample + places + functions + texts + (number(12, period) if period else b"")


SAMPLES, CPU = ("samples", "count"), ("cpu", "nanoseconds")


@pytest.mark.parametrize(
    ("data", "count", "tid"),
    [
        (profile(SAMPLES, CPU, values=(3, 30_000_000), period=10_000_000, tid=501), 3, 501),
        (profile(CPU, values=(30_000_000,), period=10_000_000), 3, 0),
        (profile(SAMPLES, values=(4,)), 4, 0),
    ],
)
def test_profiles_of_cpu_time_are_read(tmp_path: Path, data: bytes, count: int, tid: int) -> None:
    (path := tmp_path / "p").write_bytes(data)
    assert is_pprof(data)
    found = read_pprof(path)
    assert stacks_of(found) == [["a.B.work", "work(char*)"]] and found.total == count
    assert found.tid.tolist() == [tid] and found.clock == "none" and not np.any(found.t_ns)
    java, native = found.frames
    assert (java.file, java.line, native.module) == ("B.java", 12, "/lib/libx.so")


@pytest.mark.parametrize(
    "first",
    [
        number(9, 1_537_130_863_468_834_518),  # Go's pprof
        number(10, 1) + number(12, 10_000_000) + number(13, 2),
        content(3, number(1, 1) + number(2, 4_194_304)),  # Go's runtime
        content(11, number(1, 3)) + content(13, b"\x01\x02"),
    ],
)
def test_a_profile_is_known_whatever_field_is_its_first(tmp_path: Path, first: bytes) -> None:
    data = first + profile(SAMPLES, CPU, values=(3, 30_000_000))
    assert is_pprof(data) and all(is_pprof(data[:size]) for size in range(len(first), len(data)))
    (path := tmp_path / "p").write_bytes(data)
    counts = read_pprof(path).count
    assert counts is not None and counts.tolist() == [3]


@pytest.mark.parametrize("head", [b"", b"\x0a\x7f" + bytes(200), b"Heap\n", b"java 12 1.5: cycles:\n", b"\x08\x01", bytes(16)])
def test_other_files_are_no_profile(head: bytes) -> None:
    assert not is_pprof(head)


@pytest.mark.parametrize(
    ("name", "file", "kind", "shown"),
    [
        (b"math/rand.(*Rand).Intn", b"/usr/lib/go/rand.go", "native", "math/rand.(*Rand).Intn"),
        (b"net/http.(*conn).serve", b"", "native", "net/http.(*conn).serve"),
        (b"org/example/Main.run", b"", "java", "run"),
        (b"org.example.Main.run", b"Main.kt", "java", "run"),
    ],
)
def test_names_of_go_are_not_those_of_java(tmp_path: Path, name: bytes, file: bytes, kind: str, shown: str) -> None:
    data = profile(SAMPLES, values=(1,))
    for old, new in (("a.B.work", name), ("B.java", file)):
        data = data.replace(content(6, old.encode()), content(6, new))
    (path := tmp_path / "p").write_bytes(data)
    frame = read_pprof(path).frames[0]
    assert (frame.kind, frame.name) == (kind, shown)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (profile(("alloc_space", "count"), values=(3,)), r"a profile of alloc_space \(count\), not of CPU time"),
        (profile(SAMPLES, ("alloc_space", "count"), values=(3, 4)), "not of CPU time"),
        (profile(CPU, values=(3,)), "not of CPU time"),
        (profile(SAMPLES, values=((1 << 63) - 1,)), "samples, and at most 20,000,000 are read"),
        (b"\x0a\x04\xff\xff", "no profile of pprof"),
    ],
)
def test_other_profiles_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (path := tmp_path / "p").write_bytes(data)
    with pytest.raises(RecordingError, match=message):
        read_pprof(path)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    (path := tmp_path_factory.mktemp("any") / "p").write_bytes(profile(SAMPLES, values=(1,)) + data)
    for reader in (read_pprof, read_collapsed):
        try:
            found = reader(path)
        except RecordingError:
            continue
        assert len(found.stack) == len(found.t_ns)
