"""Batterystats: real dumps, damaged dumps, and a slow reading of the same changes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.batterystats_dumps import Dump, read_dump
from support.field_data import FIELD_DATA, needs_field_data

from navitas.android.batterystats.changes import CLEAR, NAME_BITS
from navitas.android.batterystats.keys import OFF
from navitas.android.batterystats.reader import Intervals

FILES = sorted([*FIELD_DATA.glob("batterystats/*"), *FIELD_DATA.glob("monsoon/series/*_history.txt")])
STATISTICS = b"""9,0,i,vers,36,214,A,B
9,0,i,uid,10216,com.example
9,10216,l,nt,1,2,3,4,5,6,7,8,9000,10,11,12
9,10216,l,wl,a lock,5,f,1,0,0,0,120,p,3,0,50,120,7,bp,2,0,1,7,0,w,0
9,10216,l,sr,-10000,5000,3
9,0,l,pwi,scrn,241,1,0,0
9,h,10:START
9,h,0:TIME:1700000000000
9,h,0,Dcpu=15730:2307/10057:11312:502
Battery History [Format: 2] (102% used, 4208KB used of 4096KB, 151 strings using 7967):
  07-23 12:08:29.838 TIME: 2026-07-23-12-08-29
  07-23 12:08:29.838 093 c4002820 status=discharging +running device_idle=full
  01-02 12:08:29.838 (2) 093 -running
  Estimated power use (mAh):
    Capacity: 3500, Computed drain: 1987, actual drain: 3150-3185
    Global
      screen: 12,3 apps: 4.5 duration: 1m 2s 3ms
    UID u0a192: 53.8 fg: 0.5 (5m 22s) ( cpu=53.7 wifi=0.0960 )
      (on battery, screen on)
      screen=1.0 cpu=2 (6m 3s) cpu:fg=1.5
Statistics since last charge:
  u0a123:
    Wi-Fi network: 1.08MB received, 137.05KB sent (packets 1234 received, 987 sent)
    Wake lock *alarm*: 1s 234ms partial (5 times) realtime
    Sensor GPS: 3m 4s 5ms realtime (6 times)""".splitlines()
LINES = [*(line for path in FILES for line in path.read_bytes().splitlines()), *10 * STATISTICS]


def _check_lines(dump: Dump, count: int) -> None:
    lines = dump.reader.lines
    assert lines.lines == count == lines.understood + lines.not_used + lines.listed
    assert sum(lines.unused.values()) == lines.not_used
    assert sum(lines.reasons.values()) >= lines.listed and lines.examples.keys() >= lines.reasons.keys()
    assert all(0 <= one.start_ms <= one.end_ms for one in dump.states)


@needs_field_data
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_line_of_real_dumps_is_understood(path: Path) -> None:
    data = path.read_bytes()
    dump = read_dump(data)
    _check_lines(dump, sum(not line.isspace() and bool(line) for line in data.splitlines()))
    assert dump.reader.lines.listed == 0, dump.reader.lines.examples
    not_used = {"text statistics that are not used", "titles"}
    assert all(reason in not_used or reason.startswith("checkin type ") for reason in dump.reader.lines.unused)
    assert sorted(read_dump(data, 100).states) == sorted(dump.states)


@needs_field_data
def test_states_of_a_real_dump() -> None:
    dump = read_dump((FIELD_DATA / "monsoon/series/nexus5x_networking_high_run5_history.txt").read_bytes())
    radio = dump.of("wifi_radio")
    assert [(one.start_ms, one.end_ms) for one in radio] == [
        (0, 52750), (57550, 77710), (79550, 99830), (111391, 135868),
    ]  # fmt: skip
    (first, second) = dump.of("top")
    assert (first.uid, first.tag, first.end_ms, second.tag) == (
        10081, "e.www.httpsrequesttest", 181028, "com.google.android.googlequicksearchbox",
    )  # fmt: skip


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    dump = read_dump(data)
    lines = [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    _check_lines(dump, sum(not line.isspace() and bool(line) for line in lines))


@given(st.integers(0, 2**32), st.integers(1, 200))
def test_damaged_real_dumps(seed: int, block_bytes: int) -> None:
    data = _damaged(random.Random(seed))
    whole, cut = read_dump(data), read_dump(data, block_bytes)
    assert sorted(whole.states) == sorted(cut.states)
    assert whole.reader.lines == cut.reader.lines
    assert whole.reader.statistics == cut.reader.statistics
    _check_lines(whole, sum(not line.isspace() and bool(line) for line in data.split(b"\n")))


def _damaged(draw: random.Random) -> bytes:
    """Lines of real dumps in any order, some with exchanged, doubled and missing pieces."""
    lines = []
    for _ in range(draw.randrange(1, 40)):
        line = bytearray(draw.choice(LINES))
        for _ in range(draw.choice((0, 0, 1, 3))):
            place, other = draw.randrange(len(line) + 1), draw.choice(LINES)
            at = draw.randrange(len(other) + 1)
            line[place : place + draw.randrange(6)] = other[at : at + draw.randrange(6)]
        lines.append(bytes(line).replace(b"\n", b"").replace(b"\r", b""))
    return b"\n".join(lines)


_CHANGE = st.tuples(st.sampled_from((3, 4, CLEAR)), st.integers(0, 2), st.sampled_from((OFF, 1, 2)), st.integers(0, 3))


@given(st.lists(st.lists(_CHANGE, max_size=12), max_size=5))
@example([[(3, 1, 1, 0), (3, 0, OFF, 1)], [(3, 1, 1, 1)]])
def test_intervals_are_those_of_a_slow_reading(blocks: list[list[tuple[int, int, int, int]]]) -> None:
    intervals, found, now, flat = Intervals(), [], 0, []
    for block in blocks:
        rows = []
        for state, name, value, after in block:
            now += after
            is_clear = state == CLEAR
            rows.append((state << NAME_BITS | (0 if is_clear else name), OFF if is_clear else value, now))
        flat += rows
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        found += zip(*(column.tolist() for column in intervals.add(*columns)), strict=True)
    found += zip(*(column.tolist() for column in intervals.end(now)), strict=True)
    assert sorted(found) == sorted(_slowly(flat, now))


def _slowly(rows: list[tuple[int, int, int]], end: int) -> Iterator[tuple[int, int, int, int]]:
    is_open: dict[int, tuple[int, int]] = {}
    for series, value, time in rows:
        state, name = series >> NAME_BITS, series & 0xFFFFFFFF
        ends = [
            one for one in is_open
            if (one == series and is_open[one][0] != value)
            or state == CLEAR or (name == 0 and value == OFF and one >> NAME_BITS == state)
        ]  # fmt: skip
        for one in ends:
            was, begin = is_open.pop(one)
            yield one, was, begin, time
        if value != OFF and series not in is_open:
            is_open[series] = value, time
    for one, (was, begin) in is_open.items():
        yield one, was, begin, end
