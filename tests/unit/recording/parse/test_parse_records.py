"""Anchors, counters, markers with their windows, and clock triples: round trips, and any payload."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.recording.manifest import Test
from navitas.recording.parse.chunks import Chunk, scan_chunks
from navitas.recording.parse.clock_triples import UNJOINED, ClockTriples, decode_triples
from navitas.recording.parse.counters import decode_counters
from navitas.recording.parse.findings import Findings
from navitas.recording.parse.markers import decode_markers, windows_of
from navitas.recording.parse.threads import decode_anchors

TIMES = st.integers(0, 2**62 - 1001)


def chunks(kind: int, payload: bytes, count: int) -> list[Chunk]:
    return scan_chunks(cw.chunk(kind, payload, count)).chunks


@given(st.lists(st.tuples(TIMES, TIMES)))
def test_anchors_round_trip_in_order(anchors: list[tuple[int, int]]) -> None:
    clock = decode_anchors(chunks(cw.ANCHORS, cw.anchors_payload(anchors), len(anchors)))
    assert clock.t_ns.tolist() == np.maximum.accumulate([t for t, _ in anchors] or [0])[: len(anchors)].tolist()
    assert (np.diff(clock.cpu_ns) >= 0).all() and clock.cpu_ns.max(initial=0) == max((c for _, c in anchors), default=0)


def test_impossible_anchors_are_dropped() -> None:
    assert decode_anchors(chunks(cw.ANCHORS, cw.anchors_payload([(5, -1), (6, 1)]), 2)).t_ns.tolist() == [6]


@given(st.lists(st.tuples(TIMES, st.integers(0, 1000), st.integers(0, 3), st.binary(max_size=30))))
def test_counters_round_trip_by_source(reads: list[tuple[int, int, int, bytes]]) -> None:
    payload = cw.counters_payload((start, start + took, source, data) for start, took, source, data in reads)
    readings, dropped = decode_counters(chunks(cw.COUNTERS, payload, len(reads)))
    assert dropped == 0
    for source in {source for _, _, source, _ in reads}:
        expected = sorted(((t + took // 2, data) for t, took, s, data in reads if s == source), key=lambda row: row[0])
        assert list(zip(readings[source].t_ns, readings[source].texts, strict=True)) == expected


@given(st.binary(max_size=200), st.integers(0, 5))
def test_any_payload_of_other_chunks_decodes_without_error(payload: bytes, count: int) -> None:
    readings, dropped = decode_counters(chunks(cw.COUNTERS, payload, count))
    assert dropped + sum(len(reading.texts) for reading in readings.values()) == count
    markers, dropped, unknown = decode_markers(chunks(cw.MARKERS, payload, count))
    assert dropped + len(markers) + unknown.total() == count
    whole = payload[: len(payload) // 24 * 24]
    clocks = decode_triples(chunks(cw.TRIPLES, whole, len(whole) // 24))
    assert (np.diff(clocks.monotonic_ns) >= 0).all()


def test_a_cut_counter_record_is_counted() -> None:
    payload = cw.counters_payload([(1, 2, 1, b"whole"), (3, 4, 1, b"torn")])[:-2]
    readings, dropped = decode_counters(chunks(cw.COUNTERS, payload, 2))
    assert (readings[1].texts, dropped) == ([b"whole"], 1)


def test_counters_at_impossible_times_are_counted() -> None:
    payload = cw.counters_payload([(1, 2, 1, b"sound"), (1 << 62, 1 << 62, 1, b"late"), (5, 4, 1, b"back")])
    readings, dropped = decode_counters(chunks(cw.COUNTERS, payload, 3))
    assert (readings[1].texts, dropped) == ([b"sound"], 2)


def test_markers_are_in_time_order() -> None:
    rows = [
        (20, "test_finish", "failed", 0, "a.T#ü[0]"),
        (10, "test_start", "passed", 0, "a.T#ü[0]"),
        (5, "run_start", "passed", 0, ""),
    ]
    markers, dropped, unknown = decode_markers(chunks(cw.MARKERS, cw.markers_payload(rows), 3))
    assert [(m.t_ns, m.kind, m.status, m.test) for m in markers] == [(t, k, s, n) for t, k, s, _, n in reversed(rows)]
    assert (dropped, unknown) == (0, {})


def test_unknown_markers_are_counted_and_unknown_statuses_end_a_test() -> None:
    rows = ((1, 1, 0), (2, 9, 0), (3, 2, 7))
    payload = b"".join(struct.pack("<qBBHH", t_ns, kind, status, 0, 3) + b"a#b" for t_ns, kind, status in rows)
    markers, dropped, unknown = decode_markers(chunks(cw.MARKERS, payload, 3))
    assert [(each.t_ns, each.kind, each.status) for each in markers] == [
        (1, "test_start", "passed"),
        (3, "test_finish", "unknown"),
    ]
    assert (dropped, unknown) == (0, {9: 1})


def windows(marks: Sequence[tuple[int, str, str]], tests: Sequence[str]) -> tuple[list[tuple[int, int, int]], Findings]:
    rows = [(t, kind, "passed", 0, name) for t, kind, name in marks]
    markers, _, _ = decode_markers(chunks(cw.MARKERS, cw.markers_payload(rows), len(rows)))
    entries = []
    for i, name in enumerate(tests):
        fields = {"id": i + 10, "run": 0, "module": ":", "class": name.partition("#")[0], "method": name.partition("#")[2]}
        entries.append(Test.model_validate({**fields, "repeat": 0, "status": "passed"}))
    findings = Findings(0)
    made = windows_of(markers, entries, 1000, findings)
    return [(w.test_id, w.start_ns, w.end_ns) for w in made], findings


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (
            [(1, "test_start", "T#a"), (2, "test_finish", "T#a"), (3, "test_start", "T#b"), (4, "test_finish", "T#b")],
            [(10, 1, 2), (11, 3, 4)],
        ),
        ([(1, "test_start", "T#b"), (2, "test_finish", "T#b")], [(11, 1, 2)]),
        ([(1, "test_start", "T#a")], [(10, 1, 1000)]),
        ([(1, "test_start", "T#a"), (5, "test_start", "T#b"), (7, "test_finish", "T#b")], [(10, 1, 5), (11, 5, 7)]),
        (
            [(1, "test_finish", "T#a"), (2, "test_start", "T#b"), (3, "test_finish", "T#a"), (4, "test_finish", "T#b")],
            [(11, 2, 4)],
        ),
        ([(1, "test_start", "T#null"), (1, "test_finish", "T#null")], [(13, 1, 1)]),
        ([(0, "run_start", ""), (1, "test_start", "T#a"), (2, "test_finish", "T#a"), (3, "run_end", "")], [(10, 1, 2)]),
        (
            [(1, "test_start", "T#a"), (2, "test_finish", "T#a"), (3, "test_start", "T#a"), (4, "test_finish", "T#a")],
            [(10, 1, 2), (12, 3, 4)],
        ),
    ],
)
def test_windows_follow_from_markers(marks: list[tuple[int, str, str]], expected: list[tuple[int, int, int]]) -> None:
    made, findings = windows(marks, ["T#a", "T#b", "T#a", "T#"])
    assert made == expected
    assert not findings.losses


def test_tests_that_are_not_in_the_manifest_are_reported() -> None:
    made, findings = windows([(1, "test_start", "T#x"), (2, "test_finish", "T#x")], ["T#a"])
    assert made == []
    assert [(loss.what, loss.count) for loss in findings.losses] == [("unknown_tests", 1)]


def test_missing_markers_are_reported_only_if_there_are_tests() -> None:
    assert [w.code for w in windows([], ["T#a"])[1].warnings] == ["no_markers"]
    assert windows([], [])[1].warnings == []


@given(st.lists(st.tuples(st.integers(0, 500), st.sampled_from(["test_start", "test_finish"]), st.sampled_from(["T#a", "T#b"]))))
def test_windows_never_overlap(marks: list[tuple[int, str, str]]) -> None:
    made, _ = windows(marks, ["T#a", "T#b"] * 5)
    assert all(start <= end for _, start, end in made)
    assert all(before[2] <= after[1] for before, after in pairwise(made))
    assert len({test_id for test_id, _, _ in made}) == len(made)


def test_realtime_is_interpolated_between_triples_and_extrapolated_outside() -> None:
    real = 1_700_000_000_000_000_000
    rows = [(1000, 2000, real), (3000, 4000, real + 2100)]
    clocks = decode_triples(chunks(cw.TRIPLES, cw.triples_payload(rows), 2))
    got = clocks.from_realtime(np.array([real - 10, real, real + 1050, real + 2100, real + 2200], np.int64))
    assert got is not None and got.tolist() == [990, 1000, 2000, 3000, 3100]
    boot = clocks.from_boottime(np.array([2500], np.int64))
    assert boot is not None and boot.tolist() == [1500]


def test_a_recording_can_begin_long_before_the_app_and_end_long_after_it() -> None:
    clocks = ClockTriples(np.array([1000, 1010]) * 10**9, np.array([-1, -1]), np.array([1000, 1010]) * 10**9 + 10**18)
    t = np.arange(100, 2000, 50) * 10**9
    joined = clocks.from_realtime(10**18 + t)
    assert joined is not None and joined.tolist() == t.tolist()


@pytest.mark.parametrize("step_s", [-1, 1, -300, 300])
@pytest.mark.parametrize("early_s", [0, 5000])
def test_a_clock_set_while_the_app_ran_leaves_no_reading_unjoined(step_s: int, early_s: int) -> None:
    """The app ran from 1,000 s to 1,020 s. With `early_s`, the clock was set before, too: only earlier readings are unjoined."""
    second = 10**9
    own = np.array([1000, 1010, 1020]) * second
    clocks = ClockTriples(own, np.full(3, -1), own + 10**18 + np.array([0, 0, step_s]) * second)
    t = np.arange(100, 2100, 50) * second
    is_set, is_early = t > 1010 * second, (t < 400 * second) & (early_s > 0)
    joined = clocks.from_realtime(10**18 + t + is_set * step_s * second + is_early * early_s * second)
    assert joined is not None and joined.tolist() == np.where(is_early, UNJOINED, t).tolist()


@pytest.mark.parametrize("step_s", [-1000, -300, 300])
def test_readings_that_begin_after_the_clock_was_set_have_the_later_offset(step_s: int) -> None:
    own = np.array([1000, 1010, 5000]) * 10**9
    clocks = ClockTriples(own, np.full(3, -1), own + 10**18 + np.array([0, step_s, step_s]) * 10**9)
    t = np.arange(1020, 6000, 20) * 10**9
    joined = clocks.from_realtime(10**18 + t + step_s * 10**9)
    assert joined is not None and joined.tolist() == t.tolist()


@pytest.mark.parametrize("by_s", [-3600, 3600, -500, 500])
def test_readings_before_the_clock_was_set_are_unjoined(by_s: int) -> None:
    clocks = ClockTriples(np.array([1000, 1010]) * 10**9, np.array([-1, -1]), np.array([1000, 1010]) * 10**9 + 10**18)
    t = np.arange(700, 1010, 10) * 10**9
    is_before = t < 950 * 10**9
    joined = clocks.from_realtime(10**18 + t + is_before * by_s * 10**9)
    assert joined is not None and joined.tolist() == np.where(is_before, UNJOINED, t).tolist()


def test_unknown_clocks_convert_nothing() -> None:
    clocks = decode_triples(chunks(cw.TRIPLES, cw.triples_payload([(1, -1, 5)]), 1))
    assert clocks.from_boottime(np.array([1], np.int64)) is None
    assert decode_triples([]).from_realtime(np.array([1], np.int64)) is None


def clocks_set_every_second(times: int) -> ClockTriples:
    """A clock that is set back by ten minutes every second."""
    t = np.arange(2 * times + 2) // 2 * 1_000_000_000 + np.arange(2 * times + 2) % 2 * 500_000_000
    back = np.arange(2 * times + 2) // 2 * 600_000_000_000
    return ClockTriples(t, t, 10**18 + t - back)


def test_readings_while_the_clock_is_set_repeatedly_are_joined() -> None:
    clocks = clocks_set_every_second(300)
    t = np.arange(0, 300_000_000_000, 200_000_000)
    t = t[t % 1_000_000_000 < 500_000_000]
    joined = clocks.from_realtime(10**18 + t - t // 1_000_000_000 * 600_000_000_000)
    assert joined is not None and joined.tolist() == t.tolist()


def test_a_clock_with_too_many_steps_joins_nothing() -> None:
    joined = clocks_set_every_second(20_000).from_realtime(np.full(100_000, 10**18))
    assert joined is not None and set(joined.tolist()) == {UNJOINED}


def test_names_in_findings_are_not_format_strings() -> None:
    findings = Findings(0)
    findings.add_loss("readings", 3, "/{x}/{0.real}: {count} were skipped", "")
    assert findings.warnings[0].message == "/{x}/{0.real}: 3 were skipped"
