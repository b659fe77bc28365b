"""The sampler's thread clocks: lifetimes of tids, and readings derived from missing lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.counters import Readings
from navitas.recording.parse.schedstat import Lifetime, parse_schedstat

MS = 1_000_000


def lives(*texts: str) -> dict[int, list[tuple[str, int, list[tuple[int, int]]]]]:
    """Per tid: (name, since ms, [(ms, cpu ms)]) of each lifetime. Records are 20 ms apart."""
    found, torn = parse_schedstat(Readings([i * 20 * MS for i in range(len(texts))], [text.encode() for text in texts]))
    assert torn == 0
    return {tid: [shown(life) for life in of_tid] for tid, of_tid in found.items()}


def shown(life: Lifetime) -> tuple[str, int, list[tuple[int, int]]]:
    points = zip((life.clock.t_ns // MS).tolist(), (life.clock.cpu_ns // MS).tolist(), strict=True)
    return life.name, life.since_ns // MS if life.since_ns >= 0 else -1, list(points)


def test_threads_of_the_first_record_have_no_known_start() -> None:
    assert lives(f"7 {5 * MS} 0 1 main", f"7 {9 * MS} 0 2 main") == {7: [("main", -1, [(0, 5), (20, 9)])]}


def test_a_new_thread_had_used_nothing_at_the_previous_record() -> None:
    assert lives("1 0 0 1 a", "1 1 0 1 a", f"7 {5 * MS} 0 1 Thread 1 (x)")[7] == [("Thread 1 (x)", 20, [(20, 0), (40, 5)])]


def test_a_thread_may_start_during_a_record() -> None:
    """The record at 20 ms began at 12 ms. It shows only that the thread did not exist at 12 ms."""
    texts = [b"1 0 0 1 a", b"1 1 0 1 a", b"7 %d 0 1 x" % MS]
    found, _ = parse_schedstat(Readings([0, 20 * MS, 40 * MS], texts, [0, 12 * MS, 40 * MS]))
    assert shown(found[7][0]) == ("x", 12, [(12, 0), (40, 1)])


def test_a_thread_with_too_much_cpu_time_existed_before() -> None:
    assert lives("1 0 0 1 a", f"7 {500 * MS} 0 1 old")[7] == [("old", -1, [(20, 500)])]


def test_an_unlisted_thread_has_not_changed() -> None:
    texts = [f"7 {5 * MS} 0 1 x", "1 1 0 1 a", "1 2 0 1 a", f"7 {9 * MS} 0 2 x", f"7 {10 * MS} 0 2 x"]
    assert lives(*texts)[7] == [("x", -1, [(0, 5), (40, 5), (60, 9), (80, 10)])]


def test_a_clock_that_falls_belongs_to_another_thread() -> None:
    texts = [
        f"7 {5 * MS} 0 1 first",
        f"7 {9 * MS} 0 1 first",
        f"7 {2 * MS} 0 1 second",
        f"7 {400 * MS} 0 1 second",
        f"7 {390 * MS} 0 1 third",
    ]
    assert lives(*texts)[7] == [
        ("first", -1, [(0, 5), (20, 9)]),
        ("second", 20, [(20, 0), (40, 2), (60, 400)]),
        ("third", 60, [(80, 390)]),
    ]


def test_torn_lines_are_counted() -> None:
    texts = [b"7 5 0 1 x\n8 6\n", b"", b"nine 1 1 1 x\n\n7 6 0 1", b"7 99999999999999999999 0 1 x", b"5 1 0 1 a\n5 2 0 1 a\n"]
    found, torn = parse_schedstat(Readings(list(range(len(texts))), texts))
    assert (list(found), torn) == ([7], 5)
    assert found[7][0].clock.cpu_ns.tolist() == [5, 5, 6]


def test_without_records_there_are_no_threads() -> None:
    assert parse_schedstat(Readings()) == ({}, 0)


@given(st.lists(st.binary(max_size=60) | st.from_regex(rb"([0-9]{1,2} [0-9]{1,8} 0 1 x\n){0,5}"), max_size=10))
def test_any_texts_parse_without_error(texts: list[bytes]) -> None:
    found, _ = parse_schedstat(Readings([i * MS for i in range(len(texts))], texts))
    for life in (life for of_tid in found.values() for life in of_tid):
        assert (np.diff(life.clock.t_ns) > 0).all() and (np.diff(life.clock.cpu_ns) >= 0).all() and len(life.clock.t_ns)


@given(st.lists(st.dictionaries(st.integers(1, 3), st.integers(1, 5), max_size=3), min_size=1, max_size=12))
def test_listing_only_changes_gives_the_same_clocks(steps: list[dict[int, int]]) -> None:
    """A lifetime's clock at every record equals what a sampler that lists all threads would read."""
    now: dict[int, int] = {}
    texts, seen = [], []
    for step in steps:
        for tid, more in step.items():
            now[tid] = now.get(tid, 0) + more
        texts.append("".join(f"{tid} {now[tid]} 0 1 t\n" for tid in step).encode())
        seen.append(dict(now))
    found, _ = parse_schedstat(Readings([i * MS for i in range(len(texts))], texts))
    for tid, (life,) in found.items():
        for i, values in enumerate(seen):
            if i * MS >= life.clock.t_ns[0]:
                assert np.interp(i * MS, life.clock.t_ns, life.clock.cpu_ns) == values.get(tid, 0)
