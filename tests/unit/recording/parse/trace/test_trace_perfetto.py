"""Perfetto traces, written byte by byte. Their content is read, missing data is reported, and invalid bytes do no harm."""

from __future__ import annotations

import tracemalloc
import zlib
from itertools import pairwise, zip_longest
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import perfetto_writer as pw
from support.perfetto_writer import PerfettoWriter
from support.trace_tasks import task_name, threads_of

from navitas.base.errors import RecordingError
from navitas.recording.parse.trace.perfetto import read_perfetto
from navitas.recording.parse.trace.perfetto_columns import decode
from navitas.recording.parse.trace.perfetto_wire import scan_bundle
from navitas.recording.parse.trace.trace_tables import DEAD, RUNNABLE, SLEEPS

BOOT = 5_000_000_000_000
MS = 1_000_000


def _whole() -> PerfettoWriter:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000)
    trace.tree({500: "org.example.app"}, [(501, 500, "RenderThread")])
    trace.polled_frequencies(BOOT, [300_000, 0, 900_000])
    trace.compact(
        0,
        [(BOOT + 1 * MS, 1, 500, "example.app"), (BOOT + 3 * MS, 0x100, 501, "RenderThread"), (BOOT + 4 * MS, 1, 0, "swapper/0")],
    )
    trace.bundle(
        2,
        [
            pw.idle(BOOT + 1 * MS, 2, -1),
            pw.switch(BOOT + 1 * MS + 5, ("swapper/2", 0, 0), ("example.app", 500)),
            pw.frequency(BOOT + 2 * MS, 2, 1_800_000),
            pw.new_task(BOOT + 2 * MS, 500, 777, "example.app", thread=True),
            pw.switch(BOOT + 3 * MS, ("example.app", 500, 0), ("example.app", 777)),
            pw.renamed(BOOT + 4 * MS, 777, "worker-1"),
            pw.exited(BOOT + 5 * MS, 777, "worker-1"),
            pw.switch(BOOT + 6 * MS, ("worker-1", 777, 0x10), ("swapper/2", 0)),
            pw.idle(BOOT + 6 * MS + 9, 2, 1),
        ],
    )
    trace.rails(["CPU_BIG", "CPU_LITTLE"], [(0, 5_000_000, 100), (1, 5_000_000, 7), (0, 5_000_250, 1_100), (1, 5_000_250, 9)])
    return trace


def test_all_used_fields_are_read() -> None:
    raw = read_perfetto(bytes(_whole()))
    trace = raw.trace
    assert raw.warnings == () and raw.skipped == () and trace.clock == "boottime"
    assert trace.switches.cpu.tolist() == [0, 0, 0, 2, 2, 2]
    assert trace.switches.next_tid.tolist() == [500, 501, 0, 500, 777, 0]
    assert trace.switches.prev_tid.tolist() == [-1, 500, 501, 0, 500, 777]
    assert trace.switches.prev_state.tolist() == [SLEEPS, RUNNABLE, SLEEPS, RUNNABLE, RUNNABLE, DEAD]
    assert (trace.switches.t_ns - BOOT).tolist() == [1 * MS, 3 * MS, 4 * MS, 1 * MS + 5, 3 * MS, 6 * MS]
    assert list(zip(trace.frequencies.cpu, trace.frequencies.khz, strict=True)) == [(0, 300_000), (2, 900_000), (2, 1_800_000)]
    assert trace.idle.state.tolist() == [-1, 1]
    tasks = {int(tid): (int(trace.tasks.tgid[row]), task_name(trace.tasks, row)) for row, tid in enumerate(trace.tasks.tid)}
    assert tasks == {500: (500, "example.app"), 501: (500, "RenderThread"), 777: (500, "worker-1")}
    row = trace.tasks.tid.tolist().index(777)
    assert (trace.tasks.from_ns[row] - BOOT, trace.tasks.to_ns[row] - BOOT) == (2 * MS, 6 * MS)
    assert threads_of(trace.tasks, 500) == [500, 501, 777]
    assert trace.snapshots.monotonic_ns.tolist() == [BOOT - 70]
    assert trace.rails is not None and trace.rails.names == ("CPU_BIG", "CPU_LITTLE")
    assert np.allclose(np.diff(trace.rails.energy_j, axis=0), [[1e-3, 2e-6]])
    assert len(trace.losses) == 0


def test_compressed_packets_give_the_same_tables(tmp_path: Path) -> None:
    trace = _whole()
    plain = read_perfetto(bytes(trace))
    trace.compress()
    path = tmp_path / "trace.pftrace"
    path.write_bytes(bytes(trace))
    packed = read_perfetto(path)
    assert packed.trace.switches.t_ns.tolist() == plain.trace.switches.t_ns.tolist()
    assert packed.skipped == ()


@pytest.mark.parametrize("way", ["plain", "compressed", "in turns"])
def test_packets_of_other_machines_are_left_out_and_counted(way: str) -> None:
    """A guest's cores, threads and clocks have the same numbers as the host's."""
    host, guest = _whole(), PerfettoWriter(sequence=2, machine=7)
    guest.snapshot(BOOT - 900, BOOT - 900, 1)
    guest.tree({500: "guest"}, [(777, 500, "guest thread")])
    guest.polled_frequencies(BOOT + 2 * MS, [100_000] * 8)
    guest.compact(0, [(BOOT + 2 * MS, 1, 400, "guest")], lost=True, dropped=True)
    guest.bundle(7, [pw.frequency(BOOT + 2 * MS, 2, 100_000), pw.switch(BOOT + 2 * MS, ("a", 0, 0), ("b", 9))])
    guest.packet(pw.content(1, pw.number(99, 5)))  # fields of newer versions, which protobuf skips
    count = len(guest.packets)
    if way == "compressed":
        guest.compress()
    both = PerfettoWriter(packets=[*guest.packets, *host.packets])
    if way == "in turns":
        turns = zip_longest(host.packets, guest.packets)
        both.packets = [packet for turn in turns for packet in turn if packet is not None]
    raw, expected = read_perfetto(bytes(both)), read_perfetto(bytes(host))
    assert raw.other_machines == {7: count} and raw.warnings == ()
    for name in ("switches", "frequencies", "idle", "losses", "windows", "snapshots", "tasks"):
        for own, other in zip(_columns(getattr(raw.trace, name)), _columns(getattr(expected.trace, name)), strict=True):
            assert own == other, name


def _columns(table: object) -> list[object]:
    return [np.asarray(getattr(table, name)).tolist() for name in table.__slots__]  # type: ignore[attr-defined]


def test_a_cut_file_keeps_its_complete_packets() -> None:
    trace = _whole()
    trace.compact(0, [(BOOT + 9 * MS, 1, 501, "RenderThread")])
    raw = read_perfetto(bytes(trace)[:-3])
    assert len(raw.trace.switches) == 6
    assert any("cut" in warning for warning in raw.warnings)
    assert dict(zip(raw.trace.windows.cpu.tolist(), (raw.trace.windows.to_ns - BOOT).tolist(), strict=True)) == {
        0: 4 * MS,
        2: 6 * MS + 9,
    }


def test_losses_of_all_kinds_are_spans() -> None:
    trace = PerfettoWriter()
    trace.ftrace_stats(1, {0: 10, 1: 5, 2: 0})
    for cpu in (0, 1, 2):
        trace.compact(cpu, [(BOOT + cpu, 1, 500 + cpu, "a")])
    trace.compact(0, [(BOOT + 10 * MS, 1, 0, "swapper/0")], lost=True)
    trace.compact(1, [(BOOT + 11 * MS, 1, 0, "swapper/1")])
    trace.compact(1, [(BOOT + 12 * MS, 1, 0, "swapper/1")], dropped=True)
    trace.packets.append(pw.content(1, b"\xff\xff"))
    trace.compact(2, [(BOOT + 20 * MS, 1, 0, "swapper/2")])
    trace.ftrace_stats(2, {0: 99, 1: 5, 2: 0})
    raw = read_perfetto(bytes(trace))
    losses = raw.trace.losses
    spans = sorted(zip(losses.cpu.tolist(), (losses.from_ns - BOOT).tolist(), (losses.to_ns - BOOT).tolist(), strict=True))
    assert (0, 0, 10 * MS) in spans and (1, 11 * MS, 12 * MS) in spans and (2, 2, 20 * MS) in spans
    assert raw.skipped_by_reason == {"packet cannot be decoded": 1}
    assert any("89 events" in warning for warning in raw.warnings)


def test_an_overrun_without_a_time_is_a_loss_of_the_whole_core() -> None:
    trace = PerfettoWriter()
    trace.ftrace_stats(1, {0: 0})
    trace.compact(0, [(BOOT, 1, 5, "a"), (BOOT + MS, 1, 0, "b")])
    trace.ftrace_stats(2, {0: 3})
    trace.buffer_stats(chunks_discarded=4, trace_writer_packet_loss=0)
    raw = read_perfetto(bytes(trace))
    assert (raw.trace.losses.cpu.tolist(), raw.trace.losses.to_ns.tolist()) == ([0], [BOOT + MS])
    assert any("4 chunks" in warning for warning in raw.warnings)


def test_another_ftrace_clock_is_converted_to_boottime() -> None:
    trace = PerfettoWriter()
    trace.bundle(0, [pw.switch(1_000, ("a", 1, 1), ("b", 2))], clock=pw.number(5, 2) + pw.number(6, 900) + pw.number(7, BOOT))
    raw = read_perfetto(bytes(trace))
    assert raw.trace.switches.t_ns.tolist() == [BOOT + 100] and raw.trace.clock == "boottime"


def test_a_core_that_goes_offline_runs_nothing() -> None:
    trace = PerfettoWriter()
    trace.bundle(
        1,
        [
            pw.switch(BOOT, ("a", 1, 1), ("b", 2)),
            pw.offline(BOOT + MS, 1),
            pw.switch(BOOT + 9 * MS, ("swapper/1", 0, 0), ("b", 2)),
        ],
    )
    switches = read_perfetto(bytes(trace)).trace.switches
    assert (switches.t_ns - BOOT).tolist() == [0, MS, 9 * MS] and switches.next_tid.tolist() == [2, 0, 2]


def test_a_decompression_bomb_is_refused() -> None:
    bomb = zlib.compress(bytes(80 << 20), 6)
    raw = read_perfetto(pw.content(1, pw.content(50, bomb)))
    assert raw.skipped_by_reason == {"compressed packet expands too far": 1}
    inner = PerfettoWriter()
    inner.compact(0, [(BOOT, 1, 5, "a")])
    inner.compress()
    inner.compress()
    assert list(read_perfetto(bytes(inner)).skipped_by_reason) == ["compressed packet expands too far"]


def test_many_small_decompression_bombs_are_refused() -> None:
    inner = pw.content(1, pw.content(9999, bytes(1_000_000)))  # a packet with a field that no version has
    trace = PerfettoWriter(packets=[pw.content(50, zlib.compress(inner))] * 100)
    (reason,) = read_perfetto(bytes(trace)).skipped_by_reason.items()
    assert reason[0] == "compressed packet expands too far" and reason[1] > 85


def test_impossible_rails_are_left_out_and_counted() -> None:
    trace = PerfettoWriter()
    trace.rails([f"rail {i}" for i in range(300)], [(i, BOOT // MS, i) for i in range(300)])
    trace.rails([], [(0, BOOT // MS + 1, 5_000_000), (1, BOOT // MS + 1, 1 << 63)])
    raw = read_perfetto(bytes(trace))
    rails = raw.trace.rails
    assert rails is not None and len(rails.names) == 256 and rails.energy_j[:, 0].tolist() == [0.0, 5.0]
    assert raw.warnings == (
        "44 readings of rails were left out (beyond the first 256 rails)",
        "1 readings of rails were left out (an impossible time or energy)",
    )
    for part in range(70):
        trace.rails([], [(i, BOOT // MS + part * 1000 + i, i) for i in range(1000)])
    raw = read_perfetto(bytes(trace))
    assert raw.trace.rails is None
    assert raw.warnings[-1] == "18,177 readings of rails were left out (more than any phone has)"


@pytest.mark.parametrize("way", ["usual", "monotonic", "realtime", "default"])
def test_a_reading_without_a_time_gets_its_packets(way: str) -> None:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 7 * MS, BOOT + 1_700_000 * MS)
    clock = {"usual": 0, "monotonic": 3, "realtime": 1, "default": 0}[way]
    ahead = {"usual": 0, "monotonic": -7 * MS, "realtime": 1_700_000 * MS, "default": -7 * MS}[way]
    if way == "default":
        trace.default_clock(3)
    trace.rails(["CPU"], [(0, None, 1_000_000)], t_ns=BOOT + 1 * MS + ahead, clock=clock)
    trace.rails([], [(0, None, 2_000_000)], t_ns=BOOT + 200 * MS + ahead, clock=clock)
    trace.rails([], [(0, BOOT // MS + 300, 4_000_000)], t_ns=BOOT + 301 * MS + ahead, clock=clock)
    trace.polled_frequencies(BOOT + 5 * MS + ahead, [300_000], clock)
    raw = read_perfetto(bytes(trace))
    rails = raw.trace.rails
    assert rails is not None and (rails.t_ns - BOOT).tolist() == [1 * MS, 200 * MS, 300 * MS]
    assert rails.energy_j[:, 0].tolist() == [1.0, 2.0, 4.0]
    assert (raw.trace.frequencies.t_ns - BOOT).tolist() == [5 * MS]
    assert raw.skipped_by_reason == {}


def test_data_without_a_time_is_skipped_and_counted() -> None:
    trace = PerfettoWriter()
    trace.snapshot(BOOT, BOOT - 70, 1_700_000_000_000_000_000, (77, BOOT))
    trace.rails(["CPU"], [(0, None, 1_000_000)])
    trace.rails([], [(0, None, 1_000_000)], t_ns=BOOT, clock=77)
    trace.polled_frequencies(None, [300_000])
    trace.bundle(0, [pw.switch(0, ("a", 5, 1), ("b", 6)), pw.switch(BOOT + MS, ("b", 6, 1), ("a", 5))])
    trace.rails([], [(0, BOOT // MS + 1, 2_000_000)])
    raw = read_perfetto(bytes(trace))
    assert raw.trace.rails is not None and raw.trace.rails.t_ns.tolist() == [BOOT + MS]
    assert len(raw.trace.frequencies.t_ns) == 0 and raw.trace.start_ns == BOOT + MS
    assert [line.number for line in raw.skipped] == [2, 3, 4, 5]
    assert raw.skipped_by_reason == {
        "readings of rails have no time, or one of an unknown clock": 2,
        "polled frequencies have no time, or one of an unknown clock": 1,
        "events have no time, or an impossible one": 1,
    }


def test_names_with_invalid_utf_8_are_kept() -> None:
    trace = PerfettoWriter()
    trace.compact(0, [(BOOT, 1, 500, b"\xffcompact"), (BOOT + MS, 1, 501, "b")])
    trace.bundle(1, [pw.event(BOOT, 236, pw.number(1, 502) + pw.content(3, b"\xfename"))])
    trace.packet(pw.content(2, pw.content(1, pw.number(1, 503) + pw.content(3, b"\xfdtree"))), t_ns=BOOT)
    tasks = read_perfetto(bytes(trace)).trace.tasks
    names = {int(tid): tasks.names[tasks.name[row]] for row, tid in enumerate(tasks.tid) if tasks.name[row] >= 0}
    assert names == {500: b"\xffcompact", 501: b"b", 502: b"\xfename", 503: b"\xfdtree"}


def _redundant(data: bytes) -> bytes:
    """Bytes after their size in four bytes, which Perfetto's writer reserves for an unfinished message."""
    size = len(data)
    return bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21]) + data


def _idle_and_frequency(t_ns: int) -> tuple[list[bytes], list[bytes]]:
    """The same events in the kernel's encoding and in equivalent encodings."""
    idle, frequency = pw.number(1, 2) + pw.number(2, 3), pw.number(1, 1_800_000) + pw.number(2, 3)
    usual = [pw.event(t_ns, 13, idle, 7), pw.event(t_ns + 1, 11, frequency, 7), pw.event(t_ns + 9 * MS, 13, idle)]
    other = [
        pw.content(13, pw.number(2, 3) + pw.number(1, 2)) + pw.number(1, t_ns),
        pw.number(1, t_ns + 1) + b"\x5a" + _redundant(frequency) + pw.number(999, 5),
        pw.number(1, t_ns + 9 * MS) + pw.number(2, -1) + pw.content(13, pw.number(1, 9) + idle),
    ]
    return usual, other


def test_other_encodings_of_the_same_bundle_give_the_same_tables() -> None:
    usual, other = _idle_and_frequency(BOOT)
    rows = [(BOOT + i * MS, (1, 0x100, -1, 16)[i % 4], 500 + i % 5, "abcde"[i % 5]) for i in range(40)]
    one, two = PerfettoWriter(), PerfettoWriter()
    one.compact(3, rows)
    one.bundle(3, usual)
    times = [rows[0][0], *(b[0] - a[0] for a, b in pairwise(rows))]
    arrays = b"".join(
        pw.number(1, delta) + pw.number(2, state) + pw.number(3, tid) + pw.number(6, tid - 500)
        for delta, (_, state, tid, _) in zip(times, rows, strict=True)
    )
    names = b"".join(pw.content(5, name) for name in "abcde")
    unpacked = b"\x22" + _redundant(arrays + names + pw.content(77, b"?"))
    bundle = pw.content(8, b"") + pw.number(1, 9) + unpacked + pw.number(1, 3)
    two.packets.append(b"\x0a" + _redundant(bundle) + pw.content(90_000, "later") + pw.number(10, 1))
    two.packet(b"\x0a" + _redundant(pw.number(1, 3) + b"".join(b"\x12" + _redundant(event) for event in other)))
    first, second = read_perfetto(bytes(one)), read_perfetto(bytes(two))
    assert first.skipped == second.skipped == ()
    for table in ("switches", "idle", "frequencies", "tasks"):
        columns, others = getattr(first.trace, table), getattr(second.trace, table)
        for column in columns.__slots__:
            assert getattr(columns, column).tolist() == getattr(others, column).tolist(), (table, column)
    assert len(first.trace.switches) == 40 and first.trace.idle.state.tolist() == [2, 2]


@pytest.mark.parametrize(
    "bundle",
    [
        pw.content(2, pw.content(13, b"\x08")),
        pw.content(4, pw.content(1, b"\x80")),
        pw.content(4, pw.content(1, b"\x80" * 10 + b"\x01")),
        b"\x12\x05\x08\x01",
        pw.number(1, 0) + b"\x08",
    ],
    ids=["event", "cut number", "endless number", "cut event", "cut field"],
)
def test_a_damaged_bundle_is_skipped_whole(bundle: bytes) -> None:
    trace = PerfettoWriter()
    trace.compact(0, [(BOOT, 1, 500, "a")])
    trace.packet(pw.content(1, pw.content(2, pw.idle(BOOT + MS, 0, 1)) + bundle))
    trace.compact(0, [(BOOT + 9 * MS, 1, 0, "b")])
    raw = read_perfetto(bytes(trace))
    assert raw.skipped_by_reason == {"packet cannot be decoded": 1} and [line.number for line in raw.skipped] == [2]
    assert len(raw.trace.idle.t_ns) == 0
    assert (raw.trace.losses.from_ns.tolist(), raw.trace.losses.to_ns.tolist()) == ([BOOT], [BOOT + 9 * MS])


def test_packets_keep_their_order_over_many_bundles(monkeypatch: pytest.MonkeyPatch) -> None:
    """More bundles than are decoded at once: a clock snapshot converts only later packets."""
    monkeypatch.setattr("navitas.recording.parse.trace.perfetto._AT_ONCE", 1 << 14)
    trace = PerfettoWriter()
    for number in range(300):
        begin = BOOT + number * 10 * MS
        trace.compact(0, [(begin + i, 1, 500 + i, "a" * 60) for i in range(4)], lost=number == 200)
        if number % 100 == 0:
            trace.snapshot(begin, begin - number * MS, begin)
            trace.polled_frequencies(begin - number * MS, [number + 1], clock=3)
    raw = read_perfetto(bytes(trace)).trace
    assert len(raw.switches) == 1_200 and raw.losses.to_ns.tolist() == [BOOT + 200 * 10 * MS]
    assert [(t - BOOT) // (10 * MS) + 1 for t in raw.frequencies.t_ns.tolist()] == raw.frequencies.khz.tolist() == [1, 101, 201]


def test_warnings_of_a_trace_are_limited() -> None:
    trace = PerfettoWriter()
    for cpu in range(4096, 4196):
        trace.compact(cpu, [(BOOT, 1, 5, "a")])
    trace.ftrace_stats(1, dict.fromkeys(range(1000), 0))
    trace.ftrace_stats(2, dict.fromkeys(range(1000), 7))
    warnings = read_perfetto(bytes(trace)).warnings
    assert warnings[0] == "events of cores with numbers from 4096 on are left out"
    assert warnings[1] == "the kernel's buffer of core 0 overran: 7 events are lost"
    assert warnings[-1] == "the kernel's buffers of 992 more cores overran too" and len(warnings) == 10


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="not a Perfetto trace"):
        read_perfetto(b"# tracer: nop\n")
    with pytest.raises(RecordingError, match="cannot be read"):
        read_perfetto(tmp_path / "none")
    assert len(read_perfetto(b"").trace.switches) == 0


@given(st.lists(st.tuples(st.integers(0, 1 << 14), st.integers(0, 255)), max_size=12), st.integers(0, 1 << 14))
def test_changed_bytes_raise_only_recording_errors(changes: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(bytes(_whole()))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        raw = read_perfetto(bytes(data[: 1 + cut % len(data)]))
    except RecordingError:
        return
    assert len(raw.trace.switches.cpu) == len(raw.trace.switches.t_ns)


@given(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1), st.integers(-(1 << 31), (1 << 31) - 1))
def test_impossible_numbers_raise_nothing(t_ns: int, delta: int, tid: int) -> None:
    trace = PerfettoWriter()
    trace.compact(tid & 0xFFFFFFFF, [(t_ns, delta, tid, "a"), (t_ns + delta, -1, tid, "b")])
    trace.compact(1, [(t_ns, delta, tid, "a"), (t_ns + delta, -1, tid, "b")])
    trace.bundle(
        1, [pw.switch(t_ns, ("a", tid, delta), ("b", tid)), pw.frequency(t_ns, tid, delta), pw.idle(t_ns, tid & 0xFFFF, tid)]
    )
    trace.bundle(1, [pw.switch(t_ns, ("a", 1, 1), ("b", 2))], clock=pw.number(5, tid) + pw.number(6, delta) + pw.number(7, t_ns))
    trace.bundle(1, [pw.new_task(t_ns, tid & 0xFFFFFFFF, tid, "x", thread=True), pw.suspended(t_ns, begins=True)])
    trace.snapshot(t_ns, delta, t_ns)
    trace.tree({tid: "p"}, [(tid, tid, "t")], t_ns=t_ns)
    trace.polled_frequencies(t_ns, [delta & 0xFFFFFFFF])
    trace.rails(["r"], [(0, t_ns, delta)])
    trace.ftrace_stats(2, {delta: t_ns})
    read_perfetto(bytes(trace))


def test_a_bundle_of_tiny_events_takes_bounded_memory() -> None:
    """A packet of 64 MiB may contain tens of millions of events."""
    event, events = b"\x12\x02\x08\x07", 200_000
    assert decode([scan_bundle(event) or pytest.fail()])  # import the schema first
    tracemalloc.start()
    try:
        [columns] = decode([scan_bundle(event * events) or pytest.fail()])
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert columns is not None and len(columns.power.t_ns) == events
    assert set(columns.power.t_ns.tolist()) == {7}
    assert peak_bytes / events < 220
