"""Samples of simpleperf's protobuf reports, and what is refused."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.perfetto_samples import stacks_of

from navitas.base.errors import RecordingError
from navitas.base.protobuf_writer import content, number
from navitas.recording.parse.samples_simpleperf import read_simpleperf

LIBC, ODEX = "/apex/com.android.runtime/lib64/bionic/libc.so", "/data/app/org.example/oat/arm64/base.odex"


def record(of: int, body: bytes) -> bytes:
    """A record: 1 a sample, 2 lost samples, 3 a file, 4 a thread, 5 what was recorded."""
    data = content(of, body)
    return struct.pack("<I", len(data)) + data


def sample(t_ns: int, tid: int, chain: list[tuple[int, int]], *, event: int = 0, count: int = 250_000, error: int = 0) -> bytes:
    """A sample. Its chain has files and symbols, innermost first."""
    entries = b"".join(
        content(3, number(1, 0x1000 + i) + number(2, file) + number(3, name)) for i, (file, name) in enumerate(chain)
    )
    tail = number(4, count) + number(5, event) + (content(6, number(3, error)) if error else b"")
    return record(1, number(1, t_ns) + number(2, tid) + entries + tail)


META = record(5, content(1, "cpu-clock:u") + content(1, "sched:sched_switch") + content(2, "org.example"))
FILES = record(3, number(1, 0) + content(2, LIBC) + content(3, "memcpy") + content(3, "_Z4workPc")) + record(
    3, number(1, 1) + content(2, ODEX) + content(3, "void org.example.Main.run()")
)
THREADS = record(4, number(1, 501) + number(2, 500) + content(3, "worker")) + record(4, number(1, 500) + number(2, 500))


def report(*records: bytes, version: int = 1) -> bytes:
    """A file of simpleperf."""
    return b"SIMPLEPERF" + struct.pack("<H", version) + b"".join(records) + struct.pack("<I", 0)


def test_samples_threads_and_functions_are_read(tmp_path: Path) -> None:
    samples = [sample(1_000_000, 501, [(0, 0), (0, 1), (1, 0)]), sample(1_250_000, 500, [(0, -1), (1, 0)], error=6)]
    lost = record(2, number(1, 9) + number(2, 4))
    (path := tmp_path / "samples.simpleperf").write_bytes(report(META, *samples, lost, FILES, THREADS))
    found = read_simpleperf(path)
    assert (found.t_ns.tolist(), found.tid.tolist(), found.clock) == ([1_000_000, 1_250_000], [501, 500], "monotonic")
    assert stacks_of(found) == [["org.example.Main.run", "work(char*)", "memcpy"], ["org.example.Main.run", ""]]
    assert (found.process_of, found.thread_names) == ({501: 500, 500: 500}, {501: "worker"})
    assert (found.lost, found.cut, found.period_ns) == (4, 1, 250_000)
    unknown = next(frame for frame in found.frames if frame.kind == "unknown")
    assert unknown.module == LIBC


def test_samples_off_the_cpu_are_left_out(tmp_path: Path) -> None:
    (path := tmp_path / "s").write_bytes(report(META, sample(1, 5, [(0, 0)], event=1), sample(2, 5, []), FILES))
    found = read_simpleperf(path)
    assert found.t_ns.tolist() == [2] and found.stack.tolist() == [-1]
    assert (found.others, found.engine) == ({"sched:sched_switch": 1}, "simpleperf")


def test_stacks_that_were_not_unwound_are_counted(tmp_path: Path) -> None:
    every = [sample(error + 1, 5, [(0, 0)], error=error) for error in (0, 3, 6, 8)]
    (path := tmp_path / "s").write_bytes(report(META, *every, FILES))
    assert (read_simpleperf(path).broken, read_simpleperf(path).cut) == (2, 1)


def test_call_chains_are_not_kept(tmp_path: Path) -> None:
    def long(i: int) -> bytes:
        entry = number(1, i) + number(2, 0) + number(3, 0) + content(15, "x" * 10_000)
        return record(1, number(1, i) + number(2, 5) + content(3, entry) + number(4, 1) + number(5, 0))

    (path := tmp_path / "s").write_bytes(report(META, *map(long, range(1, 2001)), FILES))
    tracemalloc.start()
    found = read_simpleperf(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 2000 and len(found.stacks) == 1
    assert peak < 4 << 20, "of 20 MB"


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"SIMPLE", "not a report of simpleperf"),
        (report(version=2), "in version 2; version 1 is read"),
        (report(META, sample(1, 5, []))[:-4], "cut off after 2 records, so the names of functions at its end are missing"),
        (report(META, sample(1, 5, []))[:-10], "cut off after 2 records"),
        (b"SIMPLEPERF\1\0" + struct.pack("<I", 1 << 31), "record 1 is damaged: it has 2,147,483,648 bytes"),
        (report(struct.pack("<I", 3) + b"\x0a\x7f\0"), "record 1 is damaged"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes, cause: str) -> None:
    (path := tmp_path / "s").write_bytes(data)
    with pytest.raises(RecordingError) as error:
        read_simpleperf(path)
    assert cause in error.value.message and str(path) in error.value.message


@given(st.lists(st.tuples(st.integers(1, 6), st.binary(max_size=30)), max_size=8))
def test_any_record_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, records: list[tuple[int, bytes]]) -> None:
    path = tmp_path_factory.mktemp("any") / "s"
    path.write_bytes(report(META, *(record(of, body) for of, body in records), FILES))
    try:
        found = read_simpleperf(path)
    except RecordingError:
        return
    assert len(found.stack) == len(found.t_ns) and (found.stack < len(found.stacks)).all()
