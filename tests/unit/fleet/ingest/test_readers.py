"""Readers return the same row from every format and by both parsers, and no bytes break them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Mapping
from datetime import datetime

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from navitas.base.line_blocks import LineBlock, LineSequence
from navitas.fleet.files import FleetError
from navitas.fleet.ingest import raw, text_lines
from navitas.fleet.ingest.checkin import CheckinReader
from navitas.fleet.ingest.checks import check
from navitas.fleet.ingest.column_map import ColumnMap
from navitas.fleet.ingest.raw import COLUMNS, RowBatch, batch_by_line, split_texts
from navitas.fleet.ingest.source import reader_of
from navitas.fleet.ingest.stored_rows import Packages, stored_rows
from navitas.fleet.ingest.text_lines import CsvReader, JsonReader
from navitas.fleet.schema import PACKAGES, SAMPLES

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters=" ;,\r\n\x85\u2028\u2029", exclude_categories=["Zs", "Cc"]),
    min_size=1,
    max_size=8,
)
NUMBERS = st.one_of(st.integers(-10, 10**6), st.floats(allow_nan=False, allow_infinity=False, width=32))
ROWS = st.fixed_dictionaries(
    {"client": NAMES, "time": st.integers(1, 2**40), "level": NUMBERS, "apps": st.lists(NAMES, max_size=5)},
    optional={
        "state": st.sampled_from(["charging", "Discharging", "odd"]),
        "screen": st.booleans(),
        "voltage_mv": NUMBERS,
        "temperature_c": NUMBERS,
        "network": st.sampled_from(["wifi", "5g"]),
        "cpu": st.floats(0, 1),
        "os": NAMES,
        "uptime_s": NUMBERS,
        "foreground": NAMES,
        "format": st.integers(0, 3),
    },
)
COUNTERS = st.dictionaries(
    st.sampled_from(["org.a", "org.b@1.2", " c ", "@d", "e@f@g", "h=i", "", "ü"]),
    st.one_of(st.integers(-5, 2**33), st.floats(0, 1e6, width=32).map(lambda value: round(value, 3))),
)
MOMENTS = st.datetimes(datetime(2008, 1, 1), datetime(2100, 1, 1)).map(lambda moment: moment.replace(microsecond=0))
PLAIN = st.text("ab.ü", min_size=1, max_size=4)
FORMS = st.fixed_dictionaries(
    {
        "client": PLAIN,
        "time": st.one_of(
            st.integers(1_300_000_000, 1_800_000_000),
            st.integers(1_300_000_000_000, 1_800_000_000_000),
            st.builds(lambda moment, zone: moment.isoformat() + zone, MOMENTS, st.sampled_from(["", "Z", "+02:00", "-05:30"])),
        ),
        "level": st.integers(0, 100),
        "apps": st.lists(PLAIN, max_size=3),
    },
    optional={"foreground_s": COUNTERS, "running_s": COUNTERS, "other": COUNTERS},
)
"""Rows as a server collects them from several apps."""
ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


def _block(lines: list[bytes]) -> LineBlock:
    return LineBlock(range(1, len(lines) + 1), LineSequence.join(lines))


def _json(rows: list[Mapping[str, object]]) -> LineBlock:
    return _block([json.dumps(row, ensure_ascii=False).encode() for row in rows])


def _by_line(block: LineBlock) -> RowBatch:
    return text_lines._by_line(block, text_lines._object, ColumnMap())


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_duckdb_and_python_read_the_same_json(rows: list[Mapping[str, object]]) -> None:
    block = _json(rows)
    fast, slow = JsonReader()._fast(block), _by_line(block)
    assert fast is not None and slow.refused == [] and list(fast.numbers) == slow.numbers
    assert fast.table.to_pylist() == slow.table.to_pylist()


@given(
    st.lists(st.datetimes(datetime(2008, 1, 1), datetime(2100, 1, 1)), min_size=1, max_size=5),
    st.sampled_from(["", "Z", "+05:30", "-08:00"]),
    st.sampled_from(["T", " "]),
)
def test_duckdb_and_python_read_the_same_times(moments: list[datetime], zone: str, between: str) -> None:
    block = _json([{"client": "a", "time": f"{one.isoformat(between)}{zone}", "level": 1, "apps": []} for one in moments])
    fast, slow = JsonReader()._fast(block), _by_line(block)
    assert fast is not None and slow.refused == []
    found, expected = fast.table["time"].to_pylist(), slow.table["time"].to_pylist()
    assert found == pytest.approx(expected, abs=1e-5, rel=0)
    assert [int(one // 1) for one in expected] == [int(one // 1) for one in found]


@given(st.lists(FORMS, min_size=1, max_size=6), st.sampled_from([(",", ":"), (", ", ": ")]))
@example([{"client": "a", "time": 1_700_000_000, "level": 1, "apps": [], "x": {"foreground_s": {"a": 1}, "time": 5}}], (",", ":"))
@example(
    [{"client": "a", "time": "1700000000", "level": 1, "apps": []}, {"client": "a", "time": 1.7e9, "level": 1, "apps": []}],
    (",", ":"),
)
def test_times_of_several_forms_and_objects_of_counters_are_parsed_in_blocks(
    rows: list[Mapping[str, object]], separators: tuple[str, str]
) -> None:
    """Parsing row by row takes four times as long."""
    block = _block([json.dumps(row, ensure_ascii=False, separators=separators).encode() for row in rows])
    fast, slow = JsonReader()._fast(block), _by_line(block)
    assert fast is not None and slow.refused == []
    found, expected = (stored_rows(check(one.table, "salt", 5e9), Packages(PACKAGES.empty_table())) for one in (fast, slow))
    assert found[0].equals(expected[0]) and found[1].tolist() == expected[1].tolist()


@pytest.mark.parametrize(
    "line",
    [
        b'{"client":"a","time":01700000000,"level":1,"apps":[]}',
        b'{"client":"a","time":1700000000,"level":1,"apps":[],"foreground_s":{"a":1,}}',
        b'{"client":"a","time":1700000000,"level":1,"apps":[],"foreground_s":{"a":01}}',
        b'{"client":"a","time":1700000000,"level":1,"apps":[],"foreground_s":{,}}',
    ],
)
def test_wrong_json_is_refused_beside_rows_of_other_forms(line: bytes) -> None:
    good = b'{"client":"a","time":"2026-01-01","level":1,"apps":[],"foreground_s":{"b":2}}'
    batch = JsonReader().read(_block([good, line]))
    assert batch.table.num_rows == 1 and [one.reason for one in batch.refused] == ["is not JSON"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("apps", '[["a","b"]]'),
        ("apps", "[true]"),
        ("apps", "[1e30]"),
        ("apps", "[15e19, 5]"),
        ("apps", "[-123456789012345678901]"),
        ("apps", '["true", "[x", "123456789012345678901"]'),
        ("client", "123456789012345678901234"),
        ("client", "1e30"),
        ("client", '"123456789012345678901234"'),
        ("client", "12345678901234567890"),
        ("os", "1e30"),
        ("state", "123456789012345678901234"),
    ],
)
def test_what_is_no_text_is_read_alike_by_both_parsers(key: str, value: str) -> None:
    """Otherwise, a line is stored or refused because of another line of its block."""
    cells = {"client": '"a"', "time": "1700000000", "level": "1", "apps": "[]", "state": '"full"', "os": '"14"', key: value}
    block = _block([("{" + ",".join(f'"{name}":{cell}' for name, cell in cells.items()) + "}").encode()])
    fast, slow = JsonReader()._fast(block), _by_line(block)
    assert fast is not None and fast.table.equals(slow.table)
    assert (fast.refused, fast.ignored) == (slow.refused, slow.ignored)


def test_quotes_and_commas_in_keys_are_read() -> None:
    rows: list[Mapping[str, object]] = [
        {"client": "a", "time": 1_700_000_000, "level": 1, "apps": [], "foreground_s": {key: 5, "b": 6}}
        for key in ('x"foreground_s', "a,b")
    ]
    batch = JsonReader().read(_json(rows))
    assert [one["foreground_s"] for one in batch.table.to_pylist()] == [['x"foreground_s=5', "b=6"], ["a,b=5", "b=6"]]


def test_csv_with_times_of_several_forms_is_parsed_in_blocks() -> None:
    lines = [f"a,{time},50,b".encode() for time in ("1700000000", "2026-01-01T00:00:00+02:00", "2026-01-01", "1700000000000")]
    reader = CsvReader(["client", "time", "level", "apps"])
    fast, slow = reader._fast(_block(lines)), batch_by_line(_block(lines), reader._values)
    assert fast is not None and fast.table.to_pylist() == slow.table.to_pylist()


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_csv_and_json_give_the_same_rows(rows: list[Mapping[str, object]]) -> None:
    columns = [name for name in COLUMNS.names if any(name in row for row in rows)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = {**row, "apps": " ".join(map(str, row["apps"]))}  # type: ignore[call-overload]
        writer.writerow([cells.get(name, "") for name in columns])
    block = _block([line.encode() for line in text.getvalue().split("\n") if line])
    found = CsvReader().read(block)
    by_row = batch_by_line(_block(list(block.lines)[1:]), CsvReader(columns)._values)
    assert found.refused == by_row.refused == []
    assert found.table.to_pylist() == by_row.table.to_pylist() == _by_line(_json(rows)).table.to_pylist()


@given(st.lists(st.none() | st.text("ab@ü ;,\t\v\xa0\u2003\x1e", max_size=12)), st.integers(0, 3))
def test_lists_in_texts_are_split_as_python_does(texts: list[str | None], first: int) -> None:
    chunk = pa.array(texts, pa.string()).slice(first)
    expected = [None if text is None else raw._apps(text) for text in texts[first:]]
    assert split_texts(pa.chunked_array([chunk])).to_pylist() == expected


@given(st.lists(st.dictionaries(st.sampled_from([*COLUMNS.names, "other"]), ANY), min_size=1, max_size=4))
@example([{"client": "a", "time": 10**400, "level": float("nan"), "apps": []}])
@example([{"client": "\udc00", "time": "\ud800", "level": "1e400", "apps": ["\udfff"]}])
@example([{"client": "a", "time": "2026-01-01T00:00:00", "level": 1, "apps": [None, "a@b@c", {"app": [1]}]}])
def test_any_json_is_stored_or_refused(rows: list[Mapping[str, object]]) -> None:
    batch = JsonReader().read(_block([json.dumps(row).encode() for row in rows]))
    _stored_or_refused(batch, len(rows))


def _stored_or_refused(batch: RowBatch, rows: int) -> None:
    assert batch.table.num_rows + len(batch.refused) == rows
    checked = check(batch.table, "salt", 2e9)
    table, reason = stored_rows(checked, Packages(PACKAGES.empty_table()))
    table.validate(full=True)
    assert table.schema.equals(SAMPLES)
    assert table.num_rows == sum(not one for one in reason)


@given(st.lists(st.binary(min_size=1, max_size=60).filter(lambda line: bool(line.strip()) and b"\n" not in line), max_size=6))
@example([b'{"client":"a","x":' + b"[" * 300_000 + b"]" * 300_000 + b"}"])
@example([b'{"a":' * 200_000 + b"1" + b"}" * 200_000])
@example([b"\x00" * 70_000, b'{"client":"a"}{"client":"b"}', b'{"client":"a",', b'"time":5}'])
@example([b'{"client":"a","level":' + b"9" * 10_000 + b"}"])
def test_no_bytes_break_a_reader(lines: list[bytes]) -> None:
    _stored_or_refused(JsonReader().read(_block(lines)), len(lines))
    _stored_or_refused(CsvReader(["client", "time", "level", "apps"]).read(_block(lines)), len(lines))
    with contextlib.suppress(FleetError):  # the header lacks columns
        CsvReader().read(_block(lines))
    reader = CheckinReader("me")
    for made in (reader.read(_block(lines)), reader.read(_block([b"9,h,1:TIME:1700000000000,Bl=" + lines[0]] if lines else []))):
        _stored_or_refused(made, made.table.num_rows + len(made.refused))


def test_python_reads_odd_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows around them keep their order and numbers."""
    rows: list[dict[str, object]] = [{"client": "a", "time": i, "level": 1, "apps": ["b"]} for i in range(50)]
    rows[7] |= {"apps": "b c"}
    rows[9] |= {"level": "full"}
    rows[20] |= {"apps": [{"app": "d", "version": 2}], "other": 1}
    read: list[bytes] = []
    whole = text_lines._object
    monkeypatch.setattr(text_lines, "_object", lambda line: read.append(line) or whole(line))  # type: ignore[func-returns-value]
    batch = JsonReader().read(_json(rows))  # type: ignore[arg-type]
    assert len(read) == 3 and [(one.row, one.reason) for one in batch.refused] == [(10, "level: is not a number")]
    times = [time for time in range(50) if time != 9]
    assert batch.table["time"].to_pylist() == times and list(batch.numbers) == [time + 1 for time in times]
    assert [batch.table["apps"][at].as_py() for at in (0, 7, 19)] == [["b"], ["b", "c"], ["d@2"]]
    assert batch.ignored == {"column other: not known": 1} and b'"time": 20' in batch.lines[19]


def test_unknown_columns_do_not_slow_reading_down() -> None:
    rows: list[Mapping[str, object]] = [{"client": "a", "time": i, "level": 1, "apps": [], "x": {"y": '"z":'}} for i in range(10)]
    batch = JsonReader()._fast(_json(rows))
    assert batch is not None and batch.ignored["column x: not known"] == 10


def test_csv_of_spreadsheets() -> None:
    reader = CsvReader()
    text = '\ufeffclient, time ,level,apps,note\n"a, b",2026-01-02 03:04:05,50,"a@1;b@2, c","say ""hi"""\nc,1700000000000,51,,\n'
    first = next(iter(text.encode().splitlines())).removeprefix(b"\xef\xbb\xbf")
    batch = reader.read(_block([first, *text.encode().splitlines()[1:], b"too,few", b'"open', b"caf\xe9,1,2,,", b"," * 1000]))
    assert [(row["client"], row["time"], row["apps"]) for row in batch.table.to_pylist()] == [
        ("a, b", 1767323045.0, ["a@1", "b@2", "c"]), ("c", 1700000000.0, []),
    ]  # fmt: skip
    assert [one.reason for one in batch.refused] == [
        "has more or fewer cells than the header", "is not a line of CSV", "is not UTF-8", "has more than 1,000 cells",
    ]  # fmt: skip
    assert text_lines.CsvReader(["time", "client"]).client_column == 1


@pytest.mark.parametrize(
    ("header", "reason"), [(b"client," * 1001, "has more than 1,000 cells"), (b"client,\xff", "is not UTF-8")]
)
def test_a_header_that_cannot_be_read_is_named(header: bytes, reason: str) -> None:
    with pytest.raises(FleetError, match=f"a.csv: the header {reason}"):
        CsvReader(name="a.csv").read(_block([header, b"a"]))


@pytest.mark.parametrize(
    ("name", "line", "kind"),
    [
        ("a.jsonl", b"?", JsonReader),
        ("a.json.gz", b"?", JsonReader),
        ("a.txt", b' {"client": 1}', JsonReader),
        ("a.csv", b"x", CsvReader),
        ("a.txt", b"time,client", CsvReader),
        ("a.csv.gz", b"x", CsvReader),
        ("a.txt", b"9,hsp,0,1,\"a\"", CheckinReader),
        ("bugreport.txt.gz", b"8,h,0:RESET:TIME:1", CheckinReader),
    ],
)  # fmt: skip
def test_readers_by_name_and_content(name: str, line: bytes, kind: type) -> None:
    assert isinstance(reader_of(name, _block([line]), "me"), kind)


def test_a_history_needs_the_name_of_its_phone() -> None:
    with pytest.raises(FleetError, match="does not name its phone"):
        reader_of("a.txt", _block([b"9,h,0:RESET:TIME:1"]), "")
    reader = reader_of("phone-7.checkin.txt", _block([b"9,h,0:RESET:TIME:1700000000000", b"9,h,0,Bl=5"]), "{name}")
    assert isinstance(reader, CheckinReader) and reader._client == "phone-7"
