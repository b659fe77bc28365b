"""Histories of batterystats: both forms, all generations, and damaged lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.batterystats_dumps import State, read_dump

from navitas.android.batterystats.keys import BATTERY_WORDS, VALUE_NAMES
from navitas.android.batterystats.reader import line_blocks
from navitas.android.batterystats.tables import ClockAnchor
from navitas.base.errors import RecordingError

TEXT = """Battery History (69% used, 2863KB used of 4096KB, 1100 strings using 116KB):
                    0 (14) RESET:TIME: 2020-10-24-08-18-38
                    0 (2) 100 status=discharging health=good plug=none temp=280 volt=4306 charge=3339 +camera +screen Sb=1
                    0 (2) 100 top=u0a69:"com.example.home"
                +75ms (3) 100 volt=4223 +wake_lock=1000:"a tag: with words" wake_reason=0:"479 rtc"
             +2s058ms (2) 099 brightness=bright plug=usb -wake_lock
          +1m02s003ms (2) 099 -top=u0a69:"com.example.home" +top=u10a166:"com.example.app"
    +1d02h03m04s005ms (2) 099 -screen
"""
CHECKIN = """9,0,i,vers,36,214,A,B
9,hsp,0,10069,"com.example.home"
9,hsp,1,1010166,"com.example.app"
9,hsp,2,1000,"a tag: with words"
9,hsp,3,0,"479 rtc"
9,h,0:RESET:TIME:1603527518000
9,h,0,Bl=100,Bs=d,Bh=g,Bp=n,Bt=280,Bv=4306,Bcc=3339,+ca,+S,Sb=1
9,h,0,Etp=0
9,h,75,Bv=4223,+w=2,wr=3
9,h,1983,Bl=99,Bp=u,Sb=4,-w
9,h,59945,-Etp=0,+Etp=1
9,h,93722002,-S
"""
END_MS = ((24 + 2) * 60 + 3) * 60_000 + 4005


@pytest.mark.parametrize("text", [TEXT, CHECKIN], ids=["text", "checkin"])
@pytest.mark.parametrize("block_bytes", [1 << 20, 64, 7])
def test_both_forms_give_the_same_states(text: str, block_bytes: int) -> None:
    dump = read_dump(text, block_bytes)
    assert dump.of("screen", "camera", "brightness", "top", "wake_lock") == [
        State("brightness", 1, 0, 2058),
        State("top", 1, 0, 62003, 10069, "com.example.home"),
        State("camera", 1, 0, END_MS),
        State("screen", 1, 0, END_MS),
        State("wake_lock", 1, 75, 2058, 1000, "a tag: with words"),
        State("brightness", 4, 2058, END_MS),
        State("top", 1, 62003, END_MS, 1010166, "com.example.app"),
    ]
    assert dump.reader.lines.listed == 0 and dump.reader.lines.lines == len(text.splitlines())
    rows = [row for one in dump.battery for row in zip(one.time_ns, one.status, one.plug, strict=True)]
    assert rows == [(0, 2, 0), (2_058_000_000, 2, 2)]
    assert dump.reader.anchors == [ClockAnchor(0, 1603527518000, text is CHECKIN)]


def test_words_have_codes() -> None:
    (battery, *_) = read_dump(TEXT).battery
    assert BATTERY_WORDS["status"][battery.status[0]][1] == "discharging"
    assert VALUE_NAMES["brightness"][4] == "bright"


def test_a_nameless_end_ends_all_names() -> None:
    dump = read_dump(
        '9,hsp,1,1000,"a"\n9,hsp,2,1001,"b"\n9,h,0,+w=1\n9,h,10,+w=2\n9,h,10,-w=1\n9,h,10,+w=1,+w=1\n9,h,10,-w\n9,h,5,+r\n'
    )
    assert dump.of("wake_lock") == [
        State("wake_lock", 1, 0, 20, 1000, "a"),
        State("wake_lock", 1, 10, 40, 1001, "b"),
        State("wake_lock", 1, 30, 40, 1000, "a"),
    ]


@pytest.mark.parametrize("word", [":RESET:TIME:1700000000000", ":START", ":SHUTDOWN", ":*OVERFLOW*"])
def test_states_end_where_the_history_is_cleared(word: str) -> None:
    dump = read_dump(f"9,h,0,+S,Sb=2\n9,h,100{word}\n9,h,50,+S\n9,h,50,-S\n")
    assert dump.of("screen") == [State("screen", 1, 0, 100), State("screen", 1, 150, 200)]
    assert dump.of("brightness") == [State("brightness", 2, 0, 100)]


def test_numbers_may_have_other_names_after_a_reset() -> None:
    history = '9,hsp,1,1000,"{}"\n9,h,0:RESET:TIME:1700000000000\n9,h,10,+Ewl=1\n9,h,10,-Ewl=1\n'
    dump = read_dump(history.format("before") + history.format('with \\"quotes\\"'))
    assert [(one.tag, one.start_ms, one.end_ms) for one in dump.of("wake_lock_in")] == [
        ("before", 10, 20),
        ('with "quotes"', 30, 40),
    ]


def test_dates_without_year() -> None:
    dump = read_dump(
        "Battery History [Format: 2] (102% used, 4208KB used of 4096KB, 151 strings using 7967):\n"
        "  12-31 23:59:59.500 TIME: 2023-12-31-23-59-59\n"
        "  12-31 23:59:59.500 093 c4002820 status=discharging +camera device_idle=full\n"
        "12-31 23:59:59.900 093 +screen\n"
        "  01-01 00:00:00.100 092 -screen\n"
        "  02-29 00:00:00.100 (2) 092 -camera\n"
        "  01-02 00:00:00.000 TIME: 2024-01-02-00-00-00\n"
        "  01-02 00:00:01.000 092 +gps\n"
    )
    day_ms = 86_400_000
    assert dump.of("screen") == [State("screen", 1, 400, 600)]
    assert dump.of("camera")[0].end_ms == 600 + 59 * day_ms
    assert dump.of("gps") == [State("gps", 1, 600 + 59 * day_ms + 1000, 600 + 59 * day_ms + 1000)]
    assert dump.reader.lines.listed == 0


def test_dumps_one_after_another_continue_the_clock() -> None:
    dump = read_dump(TEXT + TEXT)
    assert [(one.start_ms, one.end_ms) for one in dump.of("screen")] == [(0, END_MS), (END_MS, 2 * END_MS)]
    assert dump.reader.lines.reasons == {}


def test_times_that_go_back_are_listed() -> None:
    dump = read_dump("  +5s000ms (1) 050 +screen\n  +2s000ms (1) 050 +gps\n  +4s000ms (1) 050 -screen\n")
    assert dump.of("screen") == [State("screen", 1, 0, 2000)]
    assert dump.reader.lines.reasons == {"the time goes back": 1} and dump.reader.lines.listed == 1


def test_lines_of_one_moment_in_another_order_are_no_jump() -> None:
    dump = read_dump("  +5s000ms (1) 050 +screen\n  +4s970ms (1) 050 +gps\n  +6s000ms (1) 050 -screen -gps\n")
    assert dump.of("screen") == [State("screen", 1, 0, 1000)] and dump.of("gps") == [State("gps", 1, 0, 1000)]
    assert dump.reader.lines.reasons == {}


def test_a_jump_of_years_is_listed() -> None:
    dump = read_dump("9,h,0,+S\n9,h,999999999999999,+g\n9,h,5,-S\n")
    assert dump.of("screen") == [State("screen", 1, 0, 5)]
    assert dump.reader.lines.reasons == {"the time jumps by more than 3 years": 1}


@pytest.mark.parametrize(
    ("version", "states"), [(11, []), (15, [State("wifi_radio", 1, 0, 9)]), (36, [State("wifi_radio", 1, 0, 9)])]
)
def test_a_key_that_changed_its_meaning(version: int, states: list[State]) -> None:
    dump = read_dump(f"9,0,i,vers,{version},116,A,B\n9,h,0,+Wr\n9,h,9,-Wr\n")
    assert dump.states == states
    assert dump.reader.checkin_version == version


def test_what_is_not_used_is_recognized() -> None:
    dump = read_dump("9,h,0,+di,+lp,Pcn=lte,wr=3,+Wl\n" + '  +5ms (1) 050 -device_idle phone_signal=poor +proc=u0a1:"a"\n')
    assert dump.states == [] and dump.reader.lines.listed == 0


def test_what_is_not_understood_is_listed_and_the_rest_is_kept() -> None:
    dump = read_dump(
        "9,h,0,+S,ap_temp=31,Bv=4395.4,Bs=x\n"
        '                +10ms (2) 100 temp=25,1 volt=4,5e3 -screen =? top=q9:"a" brightness=blinding\n'
        "                +20ms (2) 100 ap_temp=32\n"
        "9,h,10,Etp=7,+g\n"
        "9,h,x,+S\n"
        "9,h,10,Dpst=15377,1797,197,0,8,23103\n"
        "no line of a dump\n"
    )
    lines = dump.reader.lines
    assert lines.reasons == {
        "unknown key ap_temp": 2, "Bs: unknown value": 1, "an item that cannot be read": 1, "unknown form of a user ID": 1,
        "brightness: unknown value": 1, "a number without a name": 1, "is not a line of a history": 1,
        "is not a line of batterystats": 1,
    }  # fmt: skip
    assert (lines.lines, lines.listed, lines.understood, lines.not_used) == (7, 6, 1, 0)
    assert lines.examples["is not a line of batterystats"] == "no line of a dump"
    assert dump.of("screen") == [State("screen", 1, 0, 0)] and [one.tag for one in dump.of("top")] == ["a", "#7"]


def test_a_long_line_and_bytes_that_are_no_text() -> None:
    dump = read_dump(b'9,hsp,1,1000,"\xff\xfe"\n9,h,0,+Ewl=1\n' + b"9" * (2 << 20) + b"\n9,h,5,-Ewl=1\n")
    assert dump.of("wake_lock_in") == [State("wake_lock_in", 1, 0, 5, 1000, "��")]
    assert dump.reader.lines.reasons == {"the line is longer than 1 MiB": 1}


def test_too_many_names_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.android.batterystats.changes.MOST_NAMES", 4)
    text = "".join(f'   +{i}ms (1) 050 +wake_lock_in=1000:"tag {i}"\n' for i in range(1, 10))
    dump = read_dump(text)
    assert sorted({one.tag for one in dump.states}) == ["(more names)", "tag 1", "tag 2"]
    assert dump.reader.lines.listed == 0


def test_too_many_anchors_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.android.batterystats.history.MOST_ANCHORS", 2)
    reader = read_dump("".join(f"9,h,5:TIME:{1_700_000_000_000 + i}\n" for i in range(5))).reader
    assert [one.wall_ms % 10 for one in reader.anchors] == [0, 1]
    assert reader.lines.reasons == {"more wall clocks than are kept": 3} and reader.lines.understood == 5


def test_texts_are_forgotten_when_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.android.batterystats.changes._MOST_TEXTS", 3)
    text = "".join(f"9,h,1,Bv={4000 + i},{'+-'[i % 2]}S\n" for i in range(50))
    assert read_dump(text, 40).of("screen") == read_dump(text).of("screen")


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"absent\.txt: cannot be read"):
        list(line_blocks(tmp_path / "absent.txt"))
