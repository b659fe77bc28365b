"""Method traces of the versions 4 and 5: events in are events out, and damaged files give an error with the place."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.art_writer import METHODS, Event, packed, signed_leb128

from navitas.base.errors import NavitasError, RecordingError
from navitas.base.protobuf_writer import varint
from navitas.recording.importing.art_packets import packed_trace
from navitas.recording.importing.art_records import art_header
from navitas.recording.importing.art_trace import ArtTrace, read_art_trace
from navitas.recording.importing.place_in_trace import matched_threads
from navitas.recording.importing.traced_recording import read_kernel_trace

THREADS = {100: "main", 105: "worker", 106: "worker"}
ENTER, EXIT, UNROLL = 0, 1, 2
IDS = {"run": 4, "work": 8, "call": 12}
FORMS = [(version, layout) for version in (4, 5) for layout in ("whole", "short")]


def _read(folder: Path, data: bytes) -> ArtTrace:
    path = folder / "app.trace"
    path.write_bytes(data)
    return read_art_trace(path, "app.trace")


@st.composite
def _events(draw: st.DrawFn) -> list[Event]:
    """Nested calls of some threads. Times of a thread never fall."""
    events = list[Event]()
    times = dict.fromkeys(THREADS, 0)
    stacks: dict[int, list[int]] = {number: [] for number in THREADS}
    for _ in range(draw(st.integers(1, 40))):
        thread = draw(st.sampled_from([*THREADS]))
        times[thread] += draw(st.integers(0, 300) | st.integers(0, 1 << 40))
        stack = stacks[thread]
        if stack and draw(st.booleans()):
            events.append((thread, stack.pop(), draw(st.sampled_from([EXIT, UNROLL])), times[thread] // 2, times[thread]))
        else:
            stack.append(draw(st.sampled_from([*IDS.values()])))
            events.append((thread, stack[-1], ENTER, times[thread] // 2, times[thread]))
    return events


def _read_events(trace: ArtTrace) -> dict[int, list[tuple[str, int, int]]]:
    return {
        one.number: [
            (trace.methods[method].name, kind, t_ns)
            for method, kind, t_ns in zip(one.method.tolist(), one.kind.tolist(), one.t_ns.tolist(), strict=True)
        ]
        for one in trace.threads
    }


@given(events=_events(), form=st.sampled_from(FORMS), in_packet=st.integers(1, 9), is_streamed=st.booleans())
@settings(max_examples=60, deadline=None)
def test_events_in_are_events_out(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], form: tuple[int, str], in_packet: int, is_streamed: bool
) -> None:
    version, layout = form
    data = packed(events, THREADS, version=version, layout=layout, hz=_NS * (layout == "short"), start_ns=77,
                  in_packet=in_packet, is_streamed=is_streamed)  # fmt: skip
    trace = _read(tmp_path_factory.getbasetemp(), data)
    name_of = {number: name for name, number in IDS.items()}
    expected = {
        thread: [(name_of[method], action, wall) for one, method, action, _, wall in events if one == thread]
        for thread in sorted({event[0] for event in events})
    }
    assert _read_events(trace) == expected
    assert (trace.pid, trace.start_ns, trace.has_tids, trace.is_cut, trace.cut_bytes, trace.unlisted) == (
        100,
        77,
        True,
        False,
        0,
        0,
    )
    for one in trace.threads:
        cpu = [cpu for thread, _, _, cpu, _ in events if thread == one.number]
        assert (None if one.cpu_ns is None else one.cpu_ns.tolist()) == (cpu if form == (5, "whole") else None)
        assert one.name == THREADS[one.number]


_NS = 1_000_000_000
_CALLS: list[Event] = [(100, 4, ENTER, 0, 10), (100, 8, ENTER, 5, 20), (100, 8, EXIT, 10, 30), (100, 4, UNROLL, 15, 40)]


@pytest.mark.parametrize("version", [4, 5])
def test_the_layout_of_a_trace_without_a_counter_follows_from_its_numbers(version: int, tmp_path: Path) -> None:
    for layout in ("whole", "short"):
        trace = _read(tmp_path, packed(_CALLS, THREADS, version=version, layout=layout))
        assert _read_events(trace) == {100: [("run", 0, 10), ("work", 0, 20), ("work", 1, 30), ("run", 2, 40)]}


def test_ticks_become_ns(tmp_path: Path) -> None:
    hz = 19_200_000
    events: list[Event] = [
        (100, 4, ENTER, 0, 0),
        (100, 8, ENTER, 0, 1),
        (100, 8, EXIT, 0, 96),
        (100, 4, EXIT, 0, hz * 3600 * 24 + 1),
    ]
    (main,) = _read(tmp_path, packed(events, THREADS, layout="short", hz=hz)).threads
    assert main.t_ns.tolist() == [0, 52, 5000, 86_400 * _NS + 52]


def test_an_exit_without_an_entry_has_no_method_in_the_short_layout(tmp_path: Path) -> None:
    events: list[Event] = [(100, 8, EXIT, 0, 1), (100, 4, ENTER, 0, 2), (100, 4, EXIT, 0, 3), (100, 12, EXIT, 0, 4), *_CALLS]
    events[4:] = [(thread, method, action, cpu, wall + 10) for thread, method, action, cpu, wall in events[4:]]
    trace = _read(tmp_path, packed(events, THREADS, layout="short", hz=_NS))
    names = [name for name, *_ in _read_events(trace)[100]]
    assert names == ["(unknown)", "run", "run", "(unknown)", "run", "work", "work", "run"] and trace.unlisted == 2


def test_methods_have_ids_of_64_bits_and_those_without_events_are_left_out(tmp_path: Path) -> None:
    high = 0xFFFF_8000_1234_5678
    lines = [f"{high:#x}\ta.B\trun\t()V\tB.java\t7", *METHODS]
    events: list[Event] = [(100, high, ENTER, 0, 1), (100, high, EXIT, 0, 2), (100, 16, ENTER, 0, 3)]
    trace = _read(tmp_path, packed(events, THREADS, methods=lines, version=4))
    assert [(one.class_name, one.name, one.line) for one in trace.methods] == [
        ("(unknown)", "(unknown)", None),
        ("a.B", "run", 7),
    ]
    assert trace.unlisted == 1


def test_times_that_fall_a_little_stay(tmp_path: Path) -> None:
    events: list[Event] = [(100, 4, ENTER, 0, -3), (100, 8, ENTER, 0, 9), (100, 8, EXIT, 0, 7), (100, 4, EXIT, 0, 12)]
    (main,) = _read(tmp_path, packed(events, THREADS)).threads
    assert main.t_ns.tolist() == [0, 9, 9, 12]


def test_numbers_of_threads_are_thread_ids_whatever_their_names(tmp_path: Path) -> None:
    """Two threads have one name, and another one has none of the kernel trace. Threads of other processes do not count."""
    (tmp_path / "trace.txt").write_text(_KERNEL)
    events: list[Event] = [(number, 4, ENTER, 0, number) for number in (100, 105, 106, 200)]
    trace = _read(tmp_path, packed(events, THREADS))
    read = read_kernel_trace(tmp_path / "trace.txt", "trace.txt")
    assert matched_threads(trace, read.trace, None) == (100, {100: 100, 105: 105, 106: 106})


_KERNEL = "# tracer: nop\n" + "".join(
    f"  {name}-{tid} ({tgid}) [000] .... {at}.000000: sched_switch: prev_comm={name} prev_pid={tid} prev_prio=120 prev_state=S "
    f"==> next_comm={following} next_pid={next_tid} next_prio=120\n"
    for at, (name, tid, tgid, following, next_tid) in enumerate(
        [("app", 100, 100, "w", 105), ("w", 105, 100, "w", 106), ("w", 106, 100, "b", 200), ("b", 200, 200, "app", 100)], 1
    )
)


def test_a_cut_trace_keeps_the_packets_before_the_cut(tmp_path: Path) -> None:
    data = packed(_CALLS, THREADS, in_packet=2)
    end = data.rindex(b"*version") - 3
    assert _read(tmp_path, data[:end]).is_cut
    second = data.index(b"\x02" + (100).to_bytes(4, "little"), data.index(b"\x02" + (100).to_bytes(4, "little")) + 1)
    for cut in (second + 3, second + 13):
        trace = _read(tmp_path, data[:cut])
        assert (len(trace.threads[0].t_ns), trace.cut_bytes, trace.is_cut) == (2, cut - second, True)
    assert _read(tmp_path, data + b"more").cut_bytes == 4
    with pytest.raises(RecordingError, match="the header ends at byte 30 of 32"):
        _read(tmp_path, data[:30])


def _of_numbers(numbers: bytes, events: int, version: int = 4) -> bytes:
    head = packed([], {}, version=version)[:32]
    return head + b"\x02" + bytes(4) + events.to_bytes(3, "little") + len(numbers).to_bytes(4, "little") + numbers


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (packed([], {})[:32] + b"\x09", "at byte 32: a packet of the unknown kind 9"),
        (_of_numbers(b"", 3), "at byte 32: a packet of 3 events in 0 bytes"),
        (_of_numbers(b"\x04", 0), "at byte 32: a packet of 0 events in 1 bytes"),
        (_of_numbers(b"\x04\x01", 1) + _of_numbers(b"\x04\x01\x04", 1)[32:], "at byte 58: a packet of 1 events with 3 numbers"),
        (_of_numbers(b"\x01\x01\x01", 2), "at byte 44: a packet of 2 events with 3 numbers"),
        (_of_numbers(b"\x04\x81", 1), "at byte 45: the last number of a packet does not end"),
        (_of_numbers(b"\x04" + b"\x80" * 10 + b"\x01", 1), "at byte 45: a number of more than 64 bits"),
        (_of_numbers(b"\x04" + varint(1 << 61), 1), "at byte 44: a packet with the time 2,305,"),
        (_of_numbers(signed_leb128(4) + varint(-(1 << 40)), 1), "at byte 44: a packet with the time -1,099,"),
        (packed([(100, 4, ENTER, 0, 1 << 58)], {}, layout="short", hz=1), "packet with the time 288,230,.* ticks of 1 Hz"),
        (packed([(100, 4, ENTER, 0, -(1 << 58))], {}, layout="short", hz=1), "packet with the time -288,230,.* ticks of 1 Hz"),
        (packed([], {}, hz=1 << 40), "an impossible header: start 0 ns at byte 6, counter of 1,099,511,627,776 Hz at byte 22"),
        (packed([], {}, start_ns=1 << 62), "an impossible header: start 4,611"),
    ],
)
def test_damage_is_named_with_its_place(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=message):
        _read(tmp_path, data)


def test_too_many_parts_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = "navitas.recording.importing.art_packets."
    monkeypatch.setattr(room + "MAX_EVENTS", 3)
    with pytest.raises(RecordingError, match="more than 3 entries and exits"):
        _read(tmp_path, packed(_CALLS, THREADS))
    monkeypatch.undo()
    monkeypatch.setattr(room + "MAX_PACKETS", 5)
    with pytest.raises(RecordingError, match="more than 5 packets of events"):
        _read(tmp_path, packed(_CALLS * 2, {}, methods=[], in_packet=1))
    with pytest.raises(RecordingError, match="more than 5 entries of methods and threads"):
        _read(tmp_path, packed([], THREADS))
    monkeypatch.setattr(room + "MAX_TEXT", 100)
    with pytest.raises(RecordingError, match="more than 0 MiB of methods and threads"):
        _read(tmp_path, packed([], THREADS))
    with pytest.raises(RecordingError, match="more than 10,000 threads"):
        packets = b"".join(b"\x02" + number.to_bytes(4, "little") + b"\1\0\0\2\0\0\0\4\1" for number in range(10_001))
        monkeypatch.undo()
        _read(tmp_path, packed([], {})[:32] + packets)


@given(
    version=st.sampled_from([4, 5, 0xF4, 0xF5]),
    tail=st.binary(max_size=200)
    | st.lists(st.tuples(st.integers(1, 9), st.binary(min_size=1, max_size=30))).map(
        lambda parts: b"".join(_of_numbers(numbers, events)[32:] for events, numbers in parts)
    ),
    hz=st.sampled_from([0, 1, _NS]),
)
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_trace_or_an_error_of_navitas(
    tmp_path_factory: pytest.TempPathFactory, version: int, tail: bytes, hz: int
) -> None:
    head = bytearray(packed([], {}, hz=hz)[:32])
    head[4] = version
    with suppress(NavitasError):
        _read(tmp_path_factory.getbasetemp(), bytes(head) + tail)


@given(events=_events(), flips=st.lists(st.tuples(st.integers(32, 10_000), st.integers(1, 255)), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_a_damaged_trace_is_read_or_named(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event], flips: list[tuple[int, int]]
) -> None:
    data = bytearray(packed(events, THREADS))
    for at, bits in flips:
        data[at % len(data)] ^= bits
    with suppress(NavitasError):
        trace = _read(tmp_path_factory.getbasetemp(), bytes(data))
        for one in trace.threads:
            assert (np.diff(one.t_ns) >= 0).all()


def test_batches_of_packets_join(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed(_CALLS * 20, THREADS, in_packet=3)
    header = art_header(data, "x")
    (whole,) = packed_trace(data, header, "x")[1]
    monkeypatch.setattr("navitas.recording.importing.art_packets._BATCH_BYTES", 20)
    (parts,) = packed_trace(data, header, "x")[1]
    assert (whole.ids.tolist(), whole.t_ns.tolist()) == (parts.ids.tolist(), parts.t_ns.tolist())
