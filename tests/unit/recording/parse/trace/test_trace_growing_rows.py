"""Growing tables of a trace: order, capacity, and rows dropped from long traces."""

from __future__ import annotations

import numpy as np

from navitas.recording.parse.trace.growing_rows import CoreRows, GrowingRows
from navitas.recording.parse.trace.trace_builder import DIED, SEEN, TraceBuilder


def test_rows_are_sorted_by_core_then_time_and_stable() -> None:
    rows = CoreRows(value=np.int32)
    rows.add(cpu=np.array([1, 0, 1, 0]), t_ns=np.array([10, 30, 20, 40]), value=np.array([1, 2, 3, 4]))
    rows.row(cpu=0, t_ns=30, value=5)
    rows.add(cpu=2, t_ns=np.array([1, 2]), value=6)
    rows.add(cpu=np.array([3, 1]), t_ns=15, value=np.array([7, 8]))
    rows.add(cpu=np.empty(0, np.int64), t_ns=7, value=np.empty(0, np.int64))
    taken = rows.take()
    assert {name: (column.dtype, column.tolist()) for name, column in taken.items()} == {
        "cpu": (np.int32, [0, 0, 0, 1, 1, 1, 2, 2, 3]),
        "t_ns": (np.int64, [30, 30, 40, 10, 15, 20, 1, 2, 15]),
        "value": (np.int32, [2, 5, 4, 1, 8, 3, 6, 6, 7]),
    }
    assert [len(column) for column in CoreRows(value=np.int32).take().values()] == [0, 0, 0]


def test_many_rows_of_all_cores_are_sorted() -> None:
    draw = np.random.default_rng(5)
    t_ns, cpu = np.sort(draw.integers(0, 1 << 40, 200_000)), draw.integers(0, 8, 200_000)
    rows = CoreRows(number=np.int32)
    for low in range(0, len(t_ns), 1777):
        part = slice(low, low + 1777)
        rows.add(cpu=cpu[part], t_ns=t_ns[part], number=np.arange(low, low + len(t_ns[part])))
    for number in range(10_000):
        rows.row(cpu=number % 3, t_ns=number, number=-1)
    taken = rows.take()
    order = np.lexsort((t_ns, cpu))
    kept = taken["number"] >= 0
    assert np.array_equal(taken["number"][kept], order)
    assert np.array_equal(taken["t_ns"][kept], t_ns[order])
    assert np.count_nonzero(~kept) == 10_000
    assert np.all(np.diff(taken["t_ns"])[np.diff(taken["cpu"]) == 0] >= 0)


def test_a_core_s_first_row_of_each_stretch_is_kept() -> None:
    rows = CoreRows(100, value=np.int32)
    rows.add(cpu=np.array([0, 0, 1, 0]), t_ns=np.array([5, 99, 50, 100]), value=np.arange(4))
    rows.add(cpu=0, t_ns=np.array([150, 199, 350]), value=9)
    assert rows.take()["t_ns"].tolist() == [5, 100, 350, 50]


def test_rows_are_thinned_occasionally() -> None:
    rows = GrowingRows(lambda columns: columns["value"] % 1000 == 0, value=np.int32)
    for low in range(0, 3 << 20, 1 << 16):
        rows.add(value=np.arange(low, low + (1 << 16)))
    taken = rows.take()["value"]
    assert len(taken) < 1 << 20
    assert np.array_equal(taken[taken % 1000 == 0], np.arange(0, 3 << 20, 1000))


def test_facts_between_identical_facts_are_dropped_from_a_long_trace() -> None:
    into = TraceBuilder()
    count = 1 << 19
    t_ns = np.arange(count)
    common = {"tgid": 7, "parent": -1}
    into.facts.add(t_ns=t_ns, tid=np.full(count, 10), kind=SEEN, name=0, **common)
    into.facts.add(t_ns=np.array([400]), tid=11, kind=DIED, name=0, **common)
    kind = np.where(t_ns == 300, DIED, SEEN)
    into.facts.add(t_ns=t_ns, tid=np.full(count, 11), kind=kind, name=np.where(t_ns < 1000, 0, 1), **common)
    facts = into.facts.take()
    assert facts["t_ns"][facts["tid"] == 10].tolist() == [0, count - 1]
    # The first and last fact of each stretch of identical facts; the very first row was added separately.
    assert facts["t_ns"][facts["tid"] == 11].tolist() == [400, 0, 299, 300, 301, 399, 400, 999, 1000, count - 1]
