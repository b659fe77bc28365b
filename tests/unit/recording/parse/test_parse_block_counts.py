"""Counts of executed blocks: what is written is read, and damage is counted."""

from __future__ import annotations

import struct
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw
from support.recording_maker import make_recording, start_ns
from support.scenario import Scenario, TestSpec, ThreadSpec, call

from navitas.recording.parse.block_counts import COLLECTIONS, decode_block_counts
from navitas.recording.parse.chunks import BLOCK_COUNTS, scan_chunks
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.parsed_recording import parse_recording

MAP = 7
KNOWN = {MAP: Span(100, 50)}
COUNTS = st.lists(st.integers(0, (1 << 40) - 1), min_size=1, max_size=9)
RECORDS = st.tuples(st.integers(0, (1 << 62) - 1), st.integers(0, 49), COUNTS)


def chunk_of(payload: bytes, count: int, *, serial: int = 1, seq: int = 0, map_id: int = MAP) -> bytes:
    return cw.chunk(BLOCK_COUNTS, payload, count, serial=serial, seq=seq, map_id=map_id)


@given(st.lists(RECORDS, max_size=12))
def test_what_is_written_is_read(records: list[tuple[int, int, list[int]]]) -> None:
    chunks = scan_chunks(chunk_of(cw.block_counts_payload(records), len(records))).chunks
    found, damaged = decode_block_counts(chunks, [5, 1], KNOWN)
    assert damaged == 0
    ordered = sorted(records, key=lambda one: (one[0], one[1]))
    assert found.t_ns.tolist() == [t_ns for t_ns, _, _ in ordered]
    assert found.method.tolist() == [100 + method for _, method, _ in ordered]
    assert set(found.thread.tolist()) <= {1}
    read = [found.counts[a:b].tolist() for a, b in zip(found.start[:-1], found.start[1:], strict=True)]
    assert sorted(map(tuple, read)) == sorted(tuple(counts) for _, _, counts in records)


@given(st.binary(max_size=200), st.integers(0, 20))
def test_any_bytes_are_read_or_counted(payload: bytes, count: int) -> None:
    chunks = scan_chunks(chunk_of(payload, count)).chunks
    found, damaged = decode_block_counts(chunks, [1], KNOWN)
    assert len(found) <= count and damaged <= count + 1
    assert len(found) + damaged >= min(count, 1)
    assert (found.counts >= 0).all()


def test_foreign_methods_and_impossible_records_are_left_out() -> None:
    huge = struct.pack("<qII", 3, 0, 1 << 31)
    chunks = scan_chunks(
        chunk_of(cw.block_counts_payload([(1, 49, [1]), (2, 50, [1]), (3, 1, [-1]), (-4, 1, [1])]), 4)
        + chunk_of(huge, 1, seq=1)
        + chunk_of(cw.block_counts_payload([(1, 0, [1])]), 1, serial=2, map_id=8)
    ).chunks
    found, damaged = decode_block_counts(chunks, [1, 2], KNOWN)
    assert found.method.tolist() == [149]
    assert damaged == 5


def test_collections_belong_to_the_process() -> None:
    payload = cw.block_counts_payload([(9, COLLECTIONS, [3]), (4, COLLECTIONS, [1])])
    chunks = scan_chunks(chunk_of(payload, 2, serial=0) + chunk_of(cw.block_counts_payload([(5, COLLECTIONS, [1])]), 1)).chunks
    found, damaged = decode_block_counts(chunks, [1], KNOWN)
    assert found.collected_ns.tolist() == [4, 9] and found.collections.tolist() == [1, 3]
    assert damaged == 1


def test_a_recording_has_its_counts_and_names_losses(tmp_path: Path) -> None:
    main = ThreadSpec("main", (call("a.Main#run", 5, 40),), ((5, 40, 1.0),))
    made = make_recording(tmp_path / "r", Scenario(100, (main,), (TestSpec("a.MainTest#x", 0, 100),)))
    plain = parse_recording(made)
    assert plain.runs[0].calls.block_counts is None
    (events,) = (tmp_path / "r/runs/0").glob("*.nvch")
    (map_id,) = plain.method_table.base
    payload = cw.block_counts_payload([(start_ns() + 50_000_000, 0, [2, 3])])
    extra = cw.chunk(BLOCK_COUNTS, payload + b"\0", 2, serial=1, map_id=int(map_id, 16), lost=4)
    events.write_bytes(events.read_bytes() + extra)
    found = parse_recording(made)
    counts = found.runs[0].calls.block_counts
    assert counts is not None and counts.counts.tolist() == [2, 3]
    assert found.runs[0].threads[int(counts.thread[0])].name == "main"
    assert {loss.what: loss.count for loss in found.losses}["block_counts"] == 5
    assert found.method_table.hashes[":", "a.Main"] == "0" * 64
