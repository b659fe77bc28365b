"""Dumps that are made to break the reader: long lines, impossible numbers, and lines that a dump has twice."""

from __future__ import annotations

import pytest
from support.batterystats_dumps import read_dump

from navitas.android.batterystats.numbers import parse_bytes, parse_count, parse_duration_ms, parse_number
from navitas.android.batterystats.statistics import ANY_USE

_USER = "Statistics since last charge:\n  u0a123:\n    "
_LONGEST = 1_000_000


@pytest.mark.parametrize("begin", ["Wake lock ", "Wake lock a: 1m partial (1 times) ", "TOTAL wake: ", "Audio: ", "Sensor GPS: "])
@pytest.mark.parametrize("unit", ["1m ", " 1m", "1", " ", "1m 1m 1m 1m 1m 1m partial ("])
def test_the_time_for_a_line_is_proportional_to_its_length(begin: str, unit: str) -> None:
    """A search that is quadratic does not end within pytest's limit of time."""
    dump = read_dump(_USER + begin + unit * (_LONGEST // len(unit)) + "x\n")
    assert dump.reader.lines.lines == 3


@pytest.mark.parametrize("text", ["1e308", str(1 << 47), "-5", "0.4", "1e-300", "nan", "inf", "", "1" * 30, "٢"])
def test_a_counter_of_checkin_is_a_number_that_phones_have(text: str) -> None:
    assert parse_count(text) is None
    lines = (f"9,1,l,awl,{text},0", f"9,1,l,wua,alarm,{text}", f"9,0,l,bt,0,{text}")
    dump = read_dump("\n".join(lines) + "\n")
    kinds = ("awl", "wua", "bt")
    assert dump.reader.lines.reasons == {f"{kind}: unreadable fields": 1 for kind in kinds}
    assert all(counter.value in (0, 1) for counter in dump.reader.statistics.counters)


def test_the_largest_numbers() -> None:
    assert parse_count(str((1 << 47) - 1)) == (1 << 47) - 1 and parse_count("0") == 0
    assert parse_number("1e14") == 1e14
    assert [parse_number("-1e15"), parse_bytes("999PB"), parse_duration_ms("999999999d")] == [None, None, None]


def test_a_time_of_text_that_is_too_long_is_listed() -> None:
    dump = read_dump(
        "Statistics since last charge:\n  Time on battery: 999999999d 1h (1%) realtime\n  u0a123:\n"
        "    Wake lock one: 999999999d 1h partial (5 times) realtime\n    TOTAL wake: 999999999d actual partial realtime\n"
    )
    assert dump.reader.lines.listed == 3 and not dump.reader.statistics.counters


def test_a_lock_whose_whole_time_was_not_measured() -> None:
    dump = read_dump("9,1,l,wl,lock,0,f,0,0,0,0,9,p,1,0,9,-1,0,bp,0,0,0,0,0,w,0,0,0,0\n")
    found = {counter.name for counter in dump.reader.statistics.counters}
    assert "wake_lock_partial_ms" in found and "wake_lock_partial_actual_ms" not in found and not dump.reader.lines.listed
    dump = read_dump("9,1,l,wl,lock,0,f,0,0,0,0,9,p,1,0,9,-2,0,bp,0,0,0,0,0,w,0,0,0,0\n")
    assert dump.reader.lines.reasons == {"wl: unreadable fields": 1}


def test_a_line_that_a_dump_has_twice_counts_once() -> None:
    dump = read_dump("9,1,l,awl,7,5\n9,1,l,awl,9,6\n9,2,l,awl,1,0\n9,1,l,wua,alarm,2\n9,1,l,wua,alarm,3\n")
    statistics = dump.reader.statistics
    assert [(one.uid, one.name, one.value) for one in statistics.counters if one.name != ANY_USE] == [
        (1, "wake_lock_all_ms", 7), (2, "wake_lock_all_ms", 1), (1, "wakeup_alarm_count", 5),
    ]  # fmt: skip
    assert statistics.repeated == 1, "two packages of a user can have an alarm of one name"


def _dump(reset_ms: int, held_ms: int) -> str:
    return f"9,0,i,vers,36,1,A,A\n9,0,l,bt,0,{held_ms * 2},0,0,0,{reset_ms}\n9,1,l,awl,{held_ms},0\n"


def _text_dump(reset: str, held: str) -> str:
    return (
        f"Statistics since last charge:\n  Time on battery: {held} realtime\n  Start clock time: {reset}\n"
        f"  u0a1:\n    TOTAL wake: {held} actual partial realtime\n"
    )


@pytest.mark.parametrize(
    ("text", "held_ms", "replaced"),
    [
        (_dump(5, 100) + _dump(5, 300), [300], 1),
        (_dump(5, 100) + _dump(6, 300), [100, 300], 0),
        (_dump(0, 100) + _dump(0, 300), [100, 300], 0),
        (_dump(5, 100) * 3, [100], 2),
        (_text_dump("2024-11-28-19-33-50", "1h ") * 2, [3_600_000], 1),
        (_text_dump("2024-11-28-19-33-50", "1h ") + _text_dump("2024-11-29-19-33-50", "2h "), [3_600_000, 7_200_000], 0),
    ],
)
def test_of_dumps_since_one_reset_the_last_one_counts(text: str, held_ms: list[int], replaced: int) -> None:
    statistics = read_dump(text).reader.statistics
    assert [one.value for one in statistics.counters if one.name == "wake_lock_all_ms"] == held_ms
    assert (statistics.replaced, statistics.repeated) == (replaced, 0)
