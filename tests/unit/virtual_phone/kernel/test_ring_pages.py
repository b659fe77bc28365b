"""Pages of the kernel tracer's buffers: every form of time, losses, and nothing that damaged ones could do."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fake_tracefs import PROCESS, FakeTracefs, newtask, page, ran, switch

from navitas.virtual_phone.kernel.ring_pages import Born, MissedHostEvents, PageReader, Ran, Switched
from navitas.virtual_phone.kernel.trace_log import Leaves


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> PageReader:
    root = tmp_path_factory.mktemp("tracefs")
    FakeTracefs(root)
    return PageReader(root / "events")


def test_all_kinds_of_events(reader: PageReader) -> None:
    records = [
        newtask(1_000, 7, 8, "child"),
        newtask(1_001, 7, 9, "forked", PROCESS),
        ran(1_002, 8, 500),
        switch(1_003, (8, "child"), 0x100, (0, "swapper/0")),
        switch(1_004, (8, "a name of 15 ch"), 1, (7, "ma\u00efn")),
        switch(1_005, (8, ""), 0x20, (7, "main")),
    ]
    assert list(reader.events(page(records, begin_ns=900))) == [
        Born(1_000, 8, 7, True, b"child"),
        Born(1_001, 9, 7, False, b"forked"),
        Ran(1_002, 8, 500),
        Switched(1_003, 8, b"child", Leaves.RUNNABLE, 0, b"swapper/0"),
        Switched(1_004, 8, b"a name of 15 ch", Leaves.SLEEPING, 7, "ma\u00efn".encode()),
        Switched(1_005, 8, b"", Leaves.DEAD, 7, b"main"),
    ]


@given(times=st.lists(st.integers(0, 1 << 45), max_size=20).map(sorted), stamped=st.booleans())
def test_times_far_and_near(reader: PageReader, times: list[int], stamped: bool) -> None:
    records = [ran(t_ns, 5, 1) for t_ns in times]
    found = list(reader.events(page(records, begin_ns=times[0] if times else 0, stamped=stamped)))
    assert [event.t_ns for event in found] == times


def test_a_loss_is_reported_first(reader: PageReader) -> None:
    assert list(reader.events(page([ran(20, 5, 1)], begin_ns=10, missed=True))) == [MissedHostEvents(10), Ran(20, 5, 1)]


def test_other_events_padding_and_long_records_are_passed_over(reader: PageReader) -> None:
    other = (11, struct.pack("=HBBi", 9, 0, 0, 5) + bytes(200))
    data = bytearray(page([other, ran(12, 5, 1), ran(13, 6, 2)], begin_ns=10))
    assert list(reader.events(bytes(data))) == [Ran(12, 5, 1), Ran(13, 6, 2)]
    at = data.index(struct.pack("=H", 366), 200) - 4  # the first account is discarded: its length stays, in the first word
    (head,) = struct.unpack_from("=I", data, at)
    struct.pack_into("=II", data, at, 29 | head >> 5 << 5, 4 * (head & 31))
    assert list(reader.events(bytes(data))) == [Ran(13, 6, 2)]


@given(data=st.data())
def test_damaged_pages_raise_nothing(reader: PageReader, data: st.DataObject) -> None:
    good = bytearray(page([newtask(5, 1, 2, "x"), switch(9, (2, "x"), 1, (0, "y")), ran(12, 5, 1)], begin_ns=1))
    for at in data.draw(st.lists(st.integers(0, 200), max_size=8)):
        good[at] = data.draw(st.integers(0, 255))
    assert len(list(reader.events(bytes(good)))) < len(good)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    FakeTracefs(tmp_path)
    path = tmp_path / "events/sched/sched_stat_runtime/format"
    path.write_text(path.read_text().replace("runtime", "something"))
    with pytest.raises(ValueError, match="unknown format"):
        PageReader(tmp_path / "events")
    (tmp_path / "events/header_page").write_text("")
    with pytest.raises(ValueError, match="header of the tracer"):
        PageReader(tmp_path / "events")
