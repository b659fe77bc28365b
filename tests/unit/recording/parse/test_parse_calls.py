"""Full events: round trips, foreign ids, order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.recording.parse.call_events import encoded_calls
from navitas.recording.parse.chunks import Chunk, scan_chunks
from navitas.recording.parse.methodmap import Span, places_of
from navitas.recording.parse.tables import CallEvents

KNOWN = {7: Span(0, 1000), 8: Span(1000, 1 << 22)}
EVENTS = st.lists(st.tuples(st.integers(0, 2**40 - 1), st.integers(0, 3), st.integers(0, 999)), max_size=30)


def encoded(events: list[tuple[int, int, int]], *, map_id: int = 7, base: int = 0, seq: int = 0) -> bytes:
    payload = cw.calls_payload([(base + t, kind, method) for t, kind, method in events], base)
    return cw.chunk(cw.CALLS, payload, len(events), map_id=map_id, serial=1, seq=seq, base_ns=base)


def decoded(chunks: list[Chunk]) -> tuple[CallEvents, int]:
    calls, dropped = encoded_calls(chunks, KNOWN)
    assert len(calls) == len(calls.whole())
    return calls.whole(), dropped


@given(st.lists(EVENTS, max_size=4))
def test_events_round_trip_over_all_chunks(parts: list[list[tuple[int, int, int]]]) -> None:
    base, expected, data = 10**15, [], b""
    for seq, part in enumerate(parts):
        part.sort(key=lambda event: event[0])
        data += encoded(part, base=base, seq=seq)
        expected += [(base + t, kind, method) for t, kind, method in part]
        base += 2**40
    calls, dropped = decoded(scan_chunks(data).chunks)
    assert list(zip(calls.t_ns.tolist(), calls.kind.tolist(), calls.method.tolist(), strict=True)) == expected
    assert dropped == 0


def test_ids_are_shifted_to_their_map() -> None:
    data = encoded([(1, 0, 5)]) + encoded([(2, 0, 5), (3, 1, 2**22 - 1)], map_id=8, seq=1)
    calls, dropped = decoded(scan_chunks(data).chunks)
    assert (calls.method.tolist(), dropped) == ([5, 1005, 1000 + 2**22 - 1], 0)


@given(EVENTS, st.sets(st.integers(0, 999), max_size=20))
def test_ids_with_gaps_become_their_places_in_the_map(events: list[tuple[int, int, int]], listed: set[int]) -> None:
    events.sort(key=lambda event: event[0])
    order = sorted(listed, key=lambda number: number * 7 % 1000)
    span = Span(50, max(order) + 1 if order else 0, None, places_of(order))
    calls, dropped = encoded_calls(scan_chunks(encoded(events)).chunks, {7: span})
    kept = [(t, kind, 50 + order.index(method)) for t, kind, method in events if method in listed]
    whole = calls.whole()
    assert list(zip(whole.t_ns.tolist(), whole.kind.tolist(), whole.method.tolist(), strict=True)) == kept
    assert dropped == len(events) - len(kept)


def test_ids_beyond_the_map_are_dropped_and_counted() -> None:
    data = encoded([(1, 0, 999), (2, 0, 1000), (3, 3, 1000), (4, 3, 999)]) + encoded([(5, 0, 0)], map_id=8, seq=1)
    calls, dropped = decoded(scan_chunks(data).chunks)
    assert (calls.t_ns.tolist(), calls.method.tolist(), dropped) == ([1, 4, 5], [999, 999, 1000], 2)


def test_blocks_concatenate_to_the_whole() -> None:
    data = b"".join(encoded([(t, t % 4, t % 7) for t in range(seq, seq + 10)], base=1000 * seq, seq=seq) for seq in range(9))
    calls, _ = encoded_calls(scan_chunks(data).chunks, KNOWN)
    blocks = list(calls.blocks(25))
    assert [len(block) for block in blocks] == [30, 30, 30]
    assert [t for block in blocks for t in block.t_ns.tolist()] == calls.whole().t_ns.tolist()
    assert calls.span_ns == (0, 8017)


def test_times_do_not_decrease_between_blocks() -> None:
    data = encoded([(5, 0, 0), (9, 0, 0)]) + encoded([(3, 1, 0), (7, 1, 0)], seq=1)
    calls, _ = encoded_calls(scan_chunks(data).chunks, KNOWN)
    assert [t for block in calls.blocks(1) for t in block.t_ns.tolist()] == [5, 9, 9, 9]


def test_times_do_not_decrease() -> None:
    calls, _ = decoded(scan_chunks(encoded([(5, 0, 0), (3, 1, 0), (7, 0, 0)])).chunks)
    assert calls.t_ns.tolist() == [5, 5, 7]


@given(st.binary(max_size=160))
def test_any_bytes_decode_without_error(payload: bytes) -> None:
    payload = payload[: len(payload) // 8 * 8]
    chunks = scan_chunks(cw.chunk(cw.CALLS, payload, len(payload) // 8, map_id=7)).chunks
    calls, dropped = decoded(chunks)
    assert len(calls.t_ns) == len(calls.kind) == len(calls.method) == len(payload) // 8 - dropped
    assert ((calls.method >= 0) & (calls.method < 1000)).all()
