"""Find chunks in any bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.base.errors import RecordingError
from navitas.recording.parse.chunks import Chunk, ChunkScan, by_thread_and_type, in_order, read_chunks, scan_chunks

CHUNKS = st.builds(
    lambda kind, body, serial, tid, seq, lost, base, name: cw.chunk(
        kind,
        body * {1: 8, 2: 16, 6: 40, 8: 24, 9: 40, 11: 24}.get(kind, 1),
        len(body),
        serial=serial,
        tid=tid,
        seq=seq,
        lost=lost,
        base_ns=base,
        name=name,
    ),
    st.integers(1, 12),
    st.binary(max_size=20),
    st.integers(0, 2**48 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**62 - 1),
    st.text(max_size=10),
)


def seqs(scan: ChunkScan) -> list[int]:
    return [chunk.seq for chunk in scan.chunks]


def some(count: int) -> list[bytes]:
    return [cw.chunk(3, b"x" * 50, 0, seq=i, name="thread") for i in range(count)]


@pytest.mark.parametrize("serial", [2**48, 2**63, 2**64 - 1])
def test_a_chunk_with_an_impossible_serial_is_damage(serial: int) -> None:
    good, bad = cw.chunk(3, b"", 0, seq=1), cw.chunk(3, b"", 0, serial=serial)
    scan = scan_chunks(bad + good)
    assert seqs(scan) == [1] and (scan.damaged, scan.skipped_bytes) == (1, len(bad))


def test_every_field_is_read() -> None:
    data = cw.chunk(1, b"\1" * 16, 2, map_id=3, serial=4, tid=5, seq=6, lost=7, base_ns=8, name="nämé")
    (chunk,) = scan_chunks(data).chunks
    assert chunk == Chunk(1, 3, 4, 5, 6, 7, 8, 2, "nämé", memoryview(b"\1" * 16))


@given(st.lists(CHUNKS, max_size=6))
def test_complete_files_lose_nothing(chunks: list[bytes]) -> None:
    scan = scan_chunks(b"".join(chunks))
    assert len(scan.chunks) + scan.unknown.total() == len(chunks)
    assert scan.damaged == scan.skipped_bytes == 0


@given(st.binary(max_size=400))
@example(b"NVCH" * 50)
@example(cw.chunk(1, b"", 1))
@example(cw.chunk(2, b"x" * 16, 1, base_ns=2**63 - 1))
@example(cw.chunk(3, b"", 0, version=2))
def test_a_scan_of_any_bytes_accounts_for_each_byte(data: bytes) -> None:
    scan = scan_chunks(data)
    good = sum(58 + len(chunk.name.encode()) + len(chunk.payload) for chunk in scan.chunks)
    assert scan.unknown.total() or good + scan.skipped_bytes + scan.newer_bytes == len(data)


@given(st.lists(CHUNKS, min_size=1, max_size=5), st.data())
def test_a_flipped_bit_loses_at_most_one_chunk(chunks: list[bytes], data: st.DataObject) -> None:
    whole = bytearray(b"".join(chunks))
    at = data.draw(st.integers(0, len(whole) * 8 - 1))
    whole[at // 8] ^= 1 << at % 8
    scan = scan_chunks(bytes(whole))
    assert len(scan.chunks) + scan.unknown.total() == len(chunks) - 1
    assert scan.damaged == 1


@given(st.lists(CHUNKS, min_size=1, max_size=4), st.data())
def test_a_cut_file_loses_only_its_last_chunk(chunks: list[bytes], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(chunks[-1]) - 1))
    scan = scan_chunks(b"".join(chunks)[:-cut])
    assert len(scan.chunks) + scan.unknown.total() == len(chunks) - 1
    assert (scan.damaged, scan.skipped_bytes) == (1, len(chunks[-1]) - cut)


@given(st.binary(min_size=1, max_size=100).filter(lambda data: b"NVCH" not in data), st.integers(0, 3))
def test_garbage_between_chunks_is_skipped_and_counted(garbage: bytes, place: int) -> None:
    chunks = some(3)
    scan = scan_chunks(b"".join([*chunks[:place], garbage, *chunks[place:]]))
    assert (seqs(scan), scan.damaged, scan.skipped_bytes) == ([0, 1, 2], 1, len(garbage))


def test_a_wrong_length_does_not_hide_the_chunks_that_it_covers() -> None:
    chunks = some(10)
    broken = bytearray(chunks[0])
    broken[48:52] = (900).to_bytes(4, "little")
    assert seqs(scan_chunks(bytes(broken) + b"".join(chunks[1:]))) == list(range(1, 10))


def test_malicious_lengths_do_not_multiply_the_work() -> None:
    """Every 58 bytes, a header claims all remaining bytes. Without a limit, 2 MB would take 34,000 passes."""
    header, count = cw.chunk(3, b"", 0)[:48], 34_000
    data = b"".join(header + ((count - i - 1) * 58).to_bytes(4, "little") + bytes(6) for i in range(count))
    scan = scan_chunks(data)
    assert (scan.chunks, scan.damaged, scan.skipped_bytes) == ([], 1, len(data))


def test_unknown_types_are_counted_by_type() -> None:
    scan = scan_chunks(cw.chunk(77, b"abc", 1) + some(1)[0] + cw.chunk(77, b"", 0))
    assert (len(scan.chunks), scan.unknown, scan.damaged) == (1, {77: 2}, 0)


def test_chunks_of_a_newer_version_are_counted_by_version() -> None:
    newer = cw.chunk(1, bytes(16), 2, version=2)
    scan = scan_chunks(newer * 3 + some(1)[0] + newer)
    assert (len(scan.chunks), scan.newer, scan.newer_bytes) == (1, {2: 4}, 4 * len(newer))
    assert (scan.damaged, scan.skipped_bytes) == (0, 0)
    assert scan_chunks(b"NVCH").newer == {}


@pytest.mark.parametrize("layout", [b"", b"\xff" * 7, b"\xff" * 300], ids=["none", "short", "long"])
def test_a_chunk_of_a_newer_version_may_have_any_layout(layout: bytes) -> None:
    newer = b"NVCH\7\0" + layout
    scan = scan_chunks(b"xy" + newer + some(1)[0] + newer + newer)
    assert (len(scan.chunks), scan.newer, scan.newer_bytes) == (1, {7: 3}, 3 * len(newer))
    assert (scan.damaged, scan.skipped_bytes) == (1, 2)


def test_a_newer_chunk_that_contains_the_magic_is_one_chunk() -> None:
    scan = scan_chunks(cw.chunk(3, b"NVCH\2\0NVCH" * 9, 0, version=2) + some(1)[0])
    assert (len(scan.chunks), scan.newer, scan.damaged) == (1, {2: 1}, 0)


@pytest.mark.parametrize("bit", range(16))
def test_a_damaged_version_is_damage(bit: int) -> None:
    broken = bytearray(some(1)[0])
    broken[4 + bit // 8] ^= 1 << bit % 8
    scan = scan_chunks(bytes(broken) + some(2)[1])
    assert (seqs(scan), scan.newer, scan.damaged, scan.skipped_bytes) == ([1], {}, 1, len(broken))


def test_malicious_lengths_of_newer_chunks_do_not_multiply_the_work() -> None:
    header, count = cw.chunk(3, b"", 0, version=2)[:48], 34_000
    data = b"".join(header + ((count - i - 1) * 58).to_bytes(4, "little") + bytes(6) for i in range(count))
    scan = scan_chunks(data)
    assert (scan.chunks, scan.newer_bytes + scan.skipped_bytes) == ([], len(data))


def test_files_are_mapped_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "events-1.nvch"
    path.write_bytes(b"".join(some(3)))
    assert seqs(read_chunks(path)) == [0, 1, 2]
    path.write_bytes(b"")
    assert read_chunks(path).chunks == []
    with pytest.raises(RecordingError, match="cannot be read"):
        read_chunks(tmp_path / "none")


def test_chunks_are_sorted_without_repeats_and_gaps_are_counted() -> None:
    chunks = scan_chunks(b"".join(some(6)[i] for i in (5, 1, 0, 1, 3))).chunks
    ordered, missing = in_order(chunks)
    assert ([chunk.seq for chunk in ordered], missing) == ([0, 1, 3, 5], 2)
    assert in_order([]) == ([], 0)


def test_chunks_are_grouped_by_thread_and_type() -> None:
    data = cw.chunk(1, b"", 0, serial=1) + cw.chunk(2, b"", 0, serial=1, seq=1) + cw.chunk(1, b"", 0, serial=2)
    groups = {(serial, kind): missing for serial, kind, _, missing in by_thread_and_type(scan_chunks(data).chunks)}
    assert groups == {(1, 1): 0, (1, 2): 1, (2, 1): 0}
