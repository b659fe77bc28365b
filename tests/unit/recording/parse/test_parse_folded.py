"""Fold tables: round trips, and trees from any rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.recording.parse.chunks import scan_chunks
from navitas.recording.parse.folded import decode_folded
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import Folded

KNOWN = {7: Span(100, 50)}
ROWS = st.tuples(
    st.integers(0, 9),
    st.integers(-1, 9),
    st.integers(0, 49),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**62),
)
EPOCHS = st.lists(st.tuples(st.integers(0, 2**60), st.integers(0, 86_400_000_000_000), st.lists(ROWS, max_size=5)), max_size=5)


def decode(payload: bytes, count: int) -> tuple[Folded, int]:
    return decode_folded(scan_chunks(cw.chunk(cw.FOLDED, payload, count, map_id=7)).chunks, KNOWN)


def possible(took: int, rows: list[tuple[int, int, int, int, int, int]]) -> list[tuple[int, int, int, int, int, int]]:
    """Return the rows with calls and times that fit into their epoch."""
    most = took + 1
    return [
        (node, up, method, calls % most, throws % most, ns % most // len(rows)) for node, up, method, calls, throws, ns in rows
    ]


@given(EPOCHS)
def test_rows_round_trip_with_their_epoch(epochs: list[tuple[int, int, list[tuple[int, int, int, int, int, int]]]]) -> None:
    whole = [(start, start + took, possible(took, rows)) for start, took, rows in epochs]
    folded, dropped = decode(cw.folded_payload(whole), len(whole))
    expected = [
        (start, end, node, 100 + method, calls, throws, ns)
        for start, end, rows in whole
        for node, _, method, calls, throws, ns in rows
    ]
    columns = (
        folded.epoch_start_ns,
        folded.epoch_end_ns,
        folded.node,
        folded.method,
        folded.calls,
        folded.throws,
        folded.self_ns,
    )
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert dropped == 0


def test_rows_longer_than_their_epoch_are_dropped_and_counted() -> None:
    epochs = [
        (0, 10_000, [(0, -1, 1, 5, 0, 10_000)]),
        (10_000, 20_000, [(0, -1, 1, 1, 0, 5_000), (1, 0, 2, 1, 0, 5_001)]),
        (20_000, 30_000, [(0, -1, 1, 1 << 31, 0, 5_000), (1, 0, 2, 1, 1 << 31, 1), (2, 0, 2, 1, 1, 1)]),
        (30_000, 40_000, [(0, -1, 1, 1, 0, (1 << 63) - 1), (1, 0, 2, 1, 0, (1 << 63) - 1)]),
    ]
    folded, dropped = decode(cw.folded_payload(epochs), len(epochs))
    assert list(zip(folded.epoch_start_ns.tolist(), folded.node.tolist(), strict=True)) == [(0, 0), (20_000, 2)]
    assert dropped == 6


@given(EPOCHS)
def test_nodes_always_form_trees(epochs: list[tuple[int, int, list[tuple[int, int, int, int, int, int]]]]) -> None:
    folded, _ = decode(cw.folded_payload([(start, start + took, rows) for start, took, rows in epochs]), len(epochs))
    parents = dict(zip(folded.node.tolist(), folded.parent.tolist(), strict=True))
    for node in parents:
        at, steps = node, 0
        while at != -1:
            at, steps = parents[at], steps + 1
            assert steps <= len(parents)


def test_valid_parents_stay() -> None:
    rows = [(5, -1, 0, 1, 0, 10), (9, 5, 1, 1, 0, 10), (7, 9, 2, 1, 0, 10)]
    folded, _ = decode(cw.folded_payload([(0, 30, rows), (30, 40, rows[2:])]), 2)
    assert folded.parent.tolist() == [-1, 5, 9, 9]


def test_unknown_and_circular_parents_become_roots() -> None:
    rows = [(0, 77, 0, 1, 0, 1), (1, 2, 0, 1, 0, 1), (2, 1, 0, 1, 0, 1), (3, 0, 0, 1, 0, 1), (4, 4, 0, 1, 0, 1)]
    folded, _ = decode(cw.folded_payload([(0, 5, rows)]), 1)
    assert folded.parent.tolist() == [-1, -1, -1, 0, -1]


def test_impossible_rows_and_epochs_are_counted() -> None:
    rows = [(0, -1, 50, 1, 0, 1), (1, -1, 0, 1, 0, -1), (2, -1, 0, 1, 0, 1)]
    folded, dropped = decode(cw.folded_payload([(0, 5, rows)]), 1)
    assert (folded.node.tolist(), dropped) == ([2], 2)
    assert decode(cw.folded_payload([(5, 0, [])]), 1)[1] == 1
    assert decode(cw.folded_payload([(0, 5, rows[2:]), (5, 9, rows)])[:-1], 2)[1] == 1


@given(st.binary(max_size=200), st.integers(0, 4))
def test_any_payload_decodes_without_error(payload: bytes, count: int) -> None:
    folded, _ = decode(payload, count)
    assert ((folded.method >= 100) & (folded.method < 150)).all() and (folded.self_ns >= 0).all()
