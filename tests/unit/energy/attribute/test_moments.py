"""When the bytes of calls crossed the air, by counters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.attribute.hardware.traffic import times_on_the_air
from navitas.recording.parse.arrays import F64, I64

MS = 1_000_000
EDGES = np.arange(0, 1001, 100) * MS


def sent(*amounts: float) -> F64:
    return np.array([(0.0, amount) for amount in amounts])


def at_once(*end_ms: int) -> tuple[I64, I64]:
    end = np.array(end_ms, np.int64) * MS
    return end - MS, end


def grown(**by_interval: float) -> F64:
    table = np.zeros((10, 2))
    for name, amount in by_interval.items():
        table[int(name[1:]), 1] = amount
    return table


def test_buffered_bytes_count_when_they_are_sent_in_their_order() -> None:
    """Two calls write 300 and 100 bytes at once. The phone sends 200 bytes in the third interval, and the rest in the fifth."""
    begin, end = times_on_the_air(sent(300, 100), at_once(10, 12), EDGES, grown(_2=200, _4=200))
    assert begin.tolist() == [200 * MS, 450 * MS]
    assert end.tolist() == [450 * MS, 500 * MS]


def test_without_counters_or_with_slow_ones_calls_keep_their_spans() -> None:
    spans = at_once(10, 12)
    for edges, table in ((EDGES, np.zeros((10, 2))), (EDGES * 10, grown(_2=400)), (EDGES[:1], np.zeros((0, 2)))):
        begin, end = times_on_the_air(sent(300, 100), spans, edges, table)
        assert (begin.tolist(), end.tolist()) == (spans[0].tolist(), spans[1].tolist())


def test_calls_keep_their_spans_if_the_device_keeps_old_counters() -> None:
    """Readings are 100 ms apart, but the counter grows once a second, by the bytes of all calls of that second."""
    spans = at_once(*range(50, 3000, 100))
    edges = np.arange(0, 3001, 100) * MS
    for seconds in (1, 3):
        table = np.zeros((30, 2))
        table[9 : 10 * seconds : 10, 1] = 10_000
        begin, end = times_on_the_air(sent(*[1000.0] * 30), spans, edges, table)
        assert (begin.tolist(), end.tolist()) == (spans[0].tolist(), spans[1].tolist())


def test_pauses_between_bursts_do_not_make_counters_old() -> None:
    """Each call of 400 bytes leaves in the second and third interval after it. Then nothing is sent for 2 s."""
    table = np.zeros((50, 2))
    table[[12, 13, 34, 35], 1] = 200
    begin, end = times_on_the_air(sent(400, 400), at_once(1110, 3310), np.arange(0, 5001, 100) * MS, table)
    assert begin.tolist() == [1200 * MS, 3400 * MS] and end.tolist() == [1400 * MS, 3600 * MS]


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 10**7), st.integers(0, 10**7)), max_size=20), st.randoms())
def test_spans_are_within_the_readings_and_never_end_before_they_begin(calls: list[tuple[int, int, int]], random: object) -> None:
    moved = np.array([call[1:] for call in calls], float).reshape(-1, 2)
    table = np.array([[random.choice([0, 7, 10**6]) for _ in range(2)] for _ in range(10)], float)  # type: ignore[attr-defined]
    spans = at_once(*(call[0] for call in calls))
    begin, end = times_on_the_air(moved, spans, EDGES, table)
    assert (begin <= end).all()
    changed = (begin != spans[0]) | (end != spans[1])
    assert ((begin[changed] >= EDGES[0]) & (end[changed] <= EDGES[-1])).all()
