"""Lines of logcat, including lines with chunks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import chunk_writer as cw

from navitas.recording.parse.run_chunks import LogRecord, parse_line, read_logcat_chunks


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "04-23 21:18:44.764 24716 24787 D TEST    : Entry a.b",
            LogRecord(None, "04-23 21:18:44.764", 24716, 24787, "D", "TEST", "Entry a.b"),
        ),
        ("2026-04-23 21:18:44.764123  1  2 W t: x: y", LogRecord(None, "2026-04-23 21:18:44.764123", 1, 2, "W", "t", "x: y")),
        (
            "         1700000000.123456  4000  4001 I navitas : NV1",
            LogRecord(1_700_000_000_123_456_000, "1700000000.123456", 4000, 4001, "I", "navitas", "NV1"),
        ),
        (
            "1700000000.123 10123  4000  4001 I tag     : m",
            LogRecord(1_700_000_000_123_000_000, "1700000000.123", 4000, 4001, "I", "tag", "m"),
        ),
        (
            "1700000000.123 u0_a12  4000  4001 I tag     : m",
            LogRecord(1_700_000_000_123_000_000, "1700000000.123", 4000, 4001, "I", "tag", "m"),
        ),
        ("04-23 21:18:44.764 +0000     1     2 E tag     : ", LogRecord(None, "04-23 21:18:44.764", 1, 2, "E", "tag", "")),
        ("04-23 21:18:44.764     1     2 E tag     :", LogRecord(None, "04-23 21:18:44.764", 1, 2, "E", "tag", "")),
        (
            "1700000000.123456789     1     2 I chatty  : uid=10123(u0_a123) com.x identical 4 lines",
            LogRecord(
                1_700_000_000_123_456_789,
                "1700000000.123456789",
                1,
                2,
                "I",
                "chatty",
                "uid=10123(u0_a123) com.x identical 4 lines",
            ),
        ),
        ("D/TEST    ( 9999): Exit a.b", LogRecord(None, "", 9999, 0, "D", "TEST", "Exit a.b")),
    ],
)
def test_known_formats(line: str, expected: LogRecord) -> None:
    assert parse_line(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--------- beginning of main",
        "--------- switch to main",
        "    -1.000123     1     2 I navitas : a time before 1970",
        "    Wifi: 0.2 ( cpu=1 )",
        "04-23 21:18:44.764 x",
        "D/no pid",
        "0.0 11-17 00:12:05.952",
    ],
)
def test_other_lines_have_no_record(line: str) -> None:
    assert parse_line(line) is None


@given(st.text(max_size=200))
def test_any_line_parses_without_error(line: str) -> None:
    parse_line(line)


@pytest.mark.parametrize(
    "line",
    [" " * 200_000, "D/" + " " * 200_000, "1.000" + " " * 200_000, "01-01 00:00:00.000 " + "1" * 200_000, "D/" + "(" * 200_000],
)
def test_long_lines_take_little_time(line: str) -> None:
    assert parse_line(line) is None


def test_field_logs_parse_or_are_counted(field: Path) -> None:
    paths = sorted((field / "navitas-framework-logs").glob("*.txt"))
    assert paths
    for path in paths:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        records = [record for record in map(parse_line, lines) if record is not None]
        probes = [record for record in records if record.tag == "TEST" and record.message.startswith(("Entry ", "Exit "))]
        assert len(probes) == sum(1 for line in lines if ": Entry " in line or ": Exit " in line) > 0
        assert all(record.pid > 0 for record in records)


CHUNKS = st.lists(st.binary(min_size=1, max_size=400), min_size=1, max_size=6)


def as_log(messages: list[str], pid: int = 4) -> list[str]:
    return [f"1700000000.123 {pid:5d} {pid:5d} I navitas : {message}\n" for message in messages]


@given(CHUNKS, st.integers(10, 200))
def test_chunks_round_trip_through_log_lines(chunks: list[bytes], part_chars: int) -> None:
    lines = as_log(cw.logcat_lines(chunks, 4, part_chars=part_chars))
    (stream,) = read_logcat_chunks(["--------- beginning of main\n", *lines, *lines]).values()
    assert (stream.data, stream.missing, stream.broken) == (b"".join(chunks), 0, 0)


@given(CHUNKS, st.data())
def test_a_missing_line_counts_as_a_missing_chunk(chunks: list[bytes], data: st.DataObject) -> None:
    messages = cw.logcat_lines([*chunks, b"last"], 4, part_chars=100)
    lost = data.draw(st.integers(0, len(messages) - 2))
    number = int(messages.pop(lost).split()[2])
    (stream,) = read_logcat_chunks(as_log(messages)).values()
    assert stream.data == b"".join([*(chunk for n, chunk in enumerate(chunks) if n != number), b"last"])
    assert (stream.missing, stream.broken) == (1, int(len(chunks[number]) > 75))


def test_parts_may_count_from_one_and_processes_are_separate() -> None:
    lines = as_log(["NV1 4 0 1/2 QUJD", "NV1 4 0 2/2 REVG"]) + as_log(["NV1 5 0 0/1 QQ=="], pid=5)
    assert {pid: stream.data for pid, stream in read_logcat_chunks(lines).items()} == {4: b"ABCDEF", 5: b"A"}


def test_other_tags_and_invalid_base64_are_ignored() -> None:
    other = ["1700000000.123     4     4 I other   : NV1 4 0 0/1 QQ==\n", "NV1 4 0 0/1 QQ==\n"]
    assert read_logcat_chunks(other) == {}
    stream = read_logcat_chunks(as_log(["NV1 4 0 0/1 QQ=", "NV1 4 1 0/1 QUJD", "NV1 4 2 0/1 !"]))[4]
    assert (stream.data, stream.missing, stream.broken) == (b"ABC", 1, 1)


@given(st.lists(st.text(max_size=60) | st.from_regex(r"NV1 [0-9] [0-9]{1,3} [0-9]/[0-9] [A-Za-z0-9+/=]{0,9}"), max_size=8))
def test_any_messages_parse_without_error(messages: list[str]) -> None:
    for stream in read_logcat_chunks(as_log(messages)).values():
        assert stream.missing >= stream.broken >= 0
