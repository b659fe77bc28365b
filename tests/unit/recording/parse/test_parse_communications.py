"""Communications between modules (chunk type 10)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw
from support.recording_maker import make_recording
from support.scenario import Message, Scenario, TestSpec, ThreadSpec, call

from navitas.recording.parse import communication_records as module
from navitas.recording.parse.chunks import COMMUNICATIONS, scan_chunks
from navitas.recording.parse.communication_records import (
    MORE_NAMES,
    CommunicationFlag,
    CommunicationKind,
    Communications,
    decode_communications,
)
from navitas.recording.parse.parsed_recording import parse_recording

Record = tuple[int, int, int, int, int, int, str, str, str]
NO = 0xFFFFFFFF


def decoded(*payloads: tuple[bytes, int], serials: tuple[int, ...] = (1,)) -> tuple[Communications, int, Mapping[int, int]]:
    """Each payload with its number of records is a chunk of the thread with the serial 1."""
    data = b"".join(cw.chunk(COMMUNICATIONS, payload, count, serial=1, seq=seq) for seq, (payload, count) in enumerate(payloads))
    return decode_communications(scan_chunks(data).chunks, serials)


def of(*records: Record) -> tuple[Communications, int, Mapping[int, int]]:
    return decoded((cw.communications_payload(records), len(records)))


def test_records_are_in_order_of_time_with_all_fields() -> None:
    rows, damaged, unknown = of((900, 7, 36, 32, 0, 5, "a.R", "", "x.Y"), (500, -7, 12, 14, 60_000, NO, "a.Main", "a.R", ""))
    assert (damaged, unknown, len(rows)) == (0, {}, 2)
    assert rows.t_ns.tolist() == [500, 900] and rows.token.tolist() == [-7, 7]
    assert rows.kind.tolist() == [CommunicationKind.SET_ALARM, CommunicationKind.RECEIVE]
    assert rows.flags.tolist()[0] == CommunicationFlag.PERIODIC | CommunicationFlag.EXACT | CommunicationFlag.WAKE_UP
    assert rows.period_ms.tolist() == [60_000, 0] and rows.node.tolist() == [-1, 5] and rows.thread.tolist() == [0, 0]
    named = [[rows.names[number] for number in column.tolist()] for column in (rows.module, rows.target, rows.action)]
    assert named == [["a.Main", "a.R"], ["a.R", ""], ["", "x.Y"]] and rows.names[0] == ""


def test_unknown_kinds_stay_and_are_counted() -> None:
    rows, damaged, unknown = of(
        (1, 0, 999, 0xFFFF, 0, NO, "a.M", "", ""), (2, 0, 999, 0, 0, NO, "", "", ""), (3, 0, 1, 0, 0, NO, "", "", "")
    )
    assert (damaged, unknown, rows.kind.tolist()) == (0, {999: 2}, [999, 999, 1])


def test_impossible_records_are_counted_and_left_out() -> None:
    rows, damaged, _ = of(
        (-1, 0, 1, 0, 0, NO, "", "", ""),
        (1 << 62, 0, 1, 0, 0, NO, "", "", ""),
        (1, 0, 1, 0, -5, NO, "", "", ""),
        (1, 0, 1, 0, 0, 0x80000000, "", "", ""),
        (1, 0, 1, 0, 0, 0x7FFFFFFF, "", "", ""),
    )
    assert (damaged, len(rows)) == (4, 1)


def test_a_record_that_is_cut_off_ends_its_chunk_only() -> None:
    whole = cw.communications_payload([(1, 0, 1, 0, 0, NO, "a.M", "", "")])
    for size in range(len(whole)):
        rows, damaged, _ = decoded((whole + whole[:size], 3), (whole, 1))
        assert (len(rows), damaged) == (2, 2), size


def test_bytes_after_the_last_record_count_as_damage() -> None:
    rows, damaged, _ = decoded((cw.communications_payload([(1, 0, 1, 0, 0, NO, "", "", "")]) + b"x", 1))
    assert (len(rows), damaged) == (1, 1)


def test_a_thread_without_probes_is_unknown() -> None:
    payload = cw.communications_payload([(1, 0, 1, 0, 0, NO, "", "", "")])
    assert decoded((payload, 1), serials=())[0].thread.tolist() == [-1]


def test_hostile_names_stay_distinct_and_bounded() -> None:
    long = [("x" * 60_000) + end for end in "ab"]
    payload = cw.communications_payload([(1, 0, 1, 0, 0, NO, long[0], long[1], "\u202e\x1b[31m\n")])
    bad = struct.pack("<qqHHqI", 2, 0, 1, 0, 0, NO) + struct.pack("<H", 2) + b"\xff\xfe" + bytes(4)
    rows = decoded((payload + bad, 2))[0]
    names = [rows.names[number] for number in (*rows.module.tolist(), int(rows.target[0]), int(rows.action[0]))]
    assert names[0] != names[2] and max(map(len, names)) < 520
    assert names[1] == "\ufffd\ufffd" and names[3] == "\u202e\x1b[31m\n"


def test_the_number_of_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_NAMES", 4)
    rows = of(*((i, 0, 1, 0, 0, NO, f"a.M{i % 6}", "", "") for i in range(12)))[0]
    assert rows.names == ("", "a.M0", "a.M1", "a.M2", MORE_NAMES)


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
RECORDS = st.tuples(
    st.integers(0, (1 << 62) - 1),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.integers(0, 65_535),
    st.integers(0, 65_535),
    st.integers(0, (1 << 62) - 1),
    st.one_of(st.just(NO), st.integers(0, (1 << 31) - 1)),
    TEXTS,
    TEXTS,
    TEXTS,
)


@given(st.lists(RECORDS, max_size=20))
def test_what_is_written_is_read(records: list[Record]) -> None:
    rows, damaged, _ = of(*records)
    ordered = sorted(records, key=lambda record: record[0])
    assert damaged == 0
    for column, place in (("t_ns", 0), ("token", 1), ("kind", 2), ("flags", 3), ("period_ms", 4)):
        assert getattr(rows, column).tolist() == [record[place] for record in ordered]
    for column, place in (("module", 6), ("target", 7), ("action", 8)):
        assert [rows.names[number] for number in getattr(rows, column).tolist()] == [record[place] for record in ordered]


@given(st.binary(max_size=300), st.integers(0, 40))
def test_any_bytes_are_read_or_counted(payload: bytes, count: int) -> None:
    rows, damaged, _ = decoded((payload, count))
    assert len(rows) + damaged >= min(count, 1) and len(rows) <= count
    assert damaged <= count + 1


def test_a_recording_reports_lost_and_unknown_communications(tmp_path: Path) -> None:
    rows = (Message(10, 3, "a.Main", 1), Message(20, 34, "a.Sync", 1), Message(30, 77, "a.Main"))
    main = ThreadSpec("main", (call("a.Main#onClick", 5, 40),), ((5, 40, 1.0),), messages=rows)
    made = make_recording(tmp_path / "r", Scenario(100, (main,), (TestSpec("a.MainTest#x", 0, 100),)))
    (events,) = (tmp_path / "r/runs/0").glob("*.nvch")
    extra = cw.chunk(COMMUNICATIONS, b"\0" * 9, 2, serial=1, seq=1, lost=5)
    events.write_bytes(events.read_bytes() + extra)
    found = parse_recording(made)
    table = found.runs[0].app.communications
    assert table is not None and len(table) == 3
    losses = {loss.what: loss.count for loss in found.losses}
    assert losses["communications"] == 7 and losses["unknown_communications"] == 1
    assert {"communications", "unknown_communications"} <= {warning.code for warning in found.warnings}
