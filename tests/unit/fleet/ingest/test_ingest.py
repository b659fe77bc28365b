"""Files ingested into a fleet's folder: which rows are stored, and that none is stored twice."""

from __future__ import annotations

import gzip
import json
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.fleet_samples import NOW_S, json_lines, quarantined, row, stored

from navitas.base.folder_lock import FolderLock
from navitas.base.line_blocks import LINE_LIMIT
from navitas.base.new_files import unfinished_path
from navitas.fleet.files import FleetError, read_table
from navitas.fleet.ingest import merge, source
from navitas.fleet.ingest.commit import SourceLedger, listed_parts
from navitas.fleet.ingest.group import SourceOutcome
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.ingest.source import SourceFile
from navitas.fleet.schema import SAMPLES, State, bucket_of, client_number
from navitas.fleet.store import Store


def _ingest(store: Path, *files: Path, client: str = "") -> list[SourceOutcome]:
    return list(ingest(store, files, client=client, now_s=NOW_S))


def test_a_row_is_stored_in_the_stores_units(tmp_path: Path) -> None:
    given = row(
        time="2026-03-01T12:00:00+01:00", level=87.5, voltage_mv=3912, temperature_c=31.5, screen=True, network="Wi-Fi", cpu=0.25,
        model="Pixel 7", os="14", uptime_s=81234, apps=["org.b@2", "org.a@4.2", "org.b@2"], foreground="org.c",
        screen_on_s=12.3456, mobile_s=0, wifi_s=7, brightness=0.5, saver=False, foreground_s=["org.c=1.5", "org.a@4.2=2"],
        running_s={"org.b": 3},
    )  # fmt: skip
    (outcome,) = _ingest(tmp_path / "fleet", json_lines(tmp_path / "a.jsonl", [given]))
    assert (outcome.rows, outcome.accepted, outcome.refused.total()) == (1, 1, 0)
    store = Store.open(tmp_path / "fleet")
    (one,) = stored(store.path)
    assert one == {
        "client": client_number("phone-1", store.key), "time_s": 1772362800, "level_ppm": 875_000, "state": 1,
        "voltage_mv": 3912, "temperature_dc": 315, "screen": True, "network": "wifi", "cpu": 0.25, "model": "Pixel 7", "os": "14",
        "uptime_s": 81234,
        "apps": ["org.a@4.2", "org.b@2", "org.c@"], "foreground": "org.c@",
        "screen_on_ms": 12346, "mobile_ms": 0, "wifi_ms": 7000, "brightness": 0.5, "saver": False,
        "foreground_apps": ["org.a@", "org.c@"], "foreground_ms": [2000, 1500], "running_apps": ["org.b@"], "running_ms": [3000],
    }  # fmt: skip
    assert "phone-1" not in "".join(file.read_text("latin-1") for file in store.path.rglob("*") if file.is_file())


def test_networks_have_other_words(tmp_path: Path) -> None:
    words = ["Disconnected", "cellular", "wi-fi", "none"]
    rows = [row(time=1_700_000_000 + number, network=word) for number, word in enumerate(words)]
    _ingest(tmp_path / "fleet", json_lines(tmp_path / "a.jsonl", rows))
    assert [one["network"] for one in stored(tmp_path / "fleet")] == ["none", "mobile", "wifi", "none"]


def test_parts_are_ordered_and_lie_in_their_unit(tmp_path: Path) -> None:
    rows = [row(f"p{i % 10}", 1_700_000_000 + 200_000 * (i * 7 % 50), i % 100) for i in range(400)]
    _ingest(tmp_path / "fleet", json_lines(tmp_path / "a.jsonl", rows))
    store = Store.open(tmp_path / "fleet")
    for unit, files in store.parts().items():
        for file in files:
            table = read_table(file)
            assert table.schema.equals(SAMPLES)
            keys = list(zip(table["client"].to_pylist(), table["time_s"].to_pylist(), strict=True))
            assert keys == sorted(set(keys))
            assert set(bucket_of(table["client"].to_numpy(), store.buckets).tolist()) == {unit.bucket}
            assert all(apps == sorted(set(apps)) for apps in table["apps"].to_pylist())


def test_a_row_from_several_files_is_stored_once(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    first = json_lines(tmp_path / "a.jsonl", [row(time=1_700_000_000 + i, level=90 - i) for i in range(5)] + [row()])
    (outcome,) = _ingest(fleet, first)
    # The last row has the second of the first one, with another level.
    assert (outcome.accepted, outcome.duplicates, outcome.contradicting) == (5, 1, 1)
    before = stored(fleet)
    (again,) = _ingest(fleet, first)
    assert again.known and again.rows == 0
    longer = json_lines(tmp_path / "b.jsonl", [row(time=1_700_000_000 + i, level=90 - i) for i in range(7)])
    (grown,) = _ingest(fleet, longer)
    assert (grown.accepted, grown.duplicates, grown.contradicting) == (2, 5, 0)
    assert stored(fleet)[:5] == before
    changed = json_lines(tmp_path / "c.jsonl", [row(time=1_700_000_001, level=89, apps=["a@1", "c"]), row("other")])
    (outcome,) = _ingest(fleet, changed)
    assert (outcome.accepted, outcome.duplicates, outcome.contradicting) == (1, 1, 1)
    ledger = [json.loads(line) for line in (fleet / "ledger.jsonl").read_text().splitlines()]
    assert [(entry["name"], entry["rows"], entry["accepted"]) for entry in ledger] == [
        ("a.jsonl", 6, 5), ("b.jsonl", 7, 2), ("c.jsonl", 2, 1),
    ]  # fmt: skip
    assert all((fleet / "samples" / part).is_file() for entry in ledger for part in entry["parts"])


def test_packages_keep_their_numbers(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    _ingest(fleet, json_lines(tmp_path / "a.jsonl", [row(apps=["z@1", "a"]), row("bad", apps=["q\u0001"])]))
    first = Store.open(fleet).packages().to_pylist()
    assert [(one["app"], one["version"]) for one in first] == [("z", "1"), ("a", "")]
    _ingest(fleet, json_lines(tmp_path / "b.jsonl", [row("x", apps=["b@2", "a@", "z@2"])]))
    assert Store.open(fleet).packages().to_pylist()[:2] == first
    assert [(one["id"], one["app"], one["version"]) for one in Store.open(fleet).packages().to_pylist()[2:]] == [
        (2, "b", "2"), (3, "z", "2"),
    ]  # fmt: skip


REFUSED = {
    "client: is missing": row(client=""),
    "client: is longer than 200 characters": row(client="x" * 201),
    "client: has control characters": row(client="a\u202eb"),
    "client: is not valid Unicode": '{"client": "\\ud800", "time": 1700000000, "level": 5, "apps": []}',
    "time: is missing, or none": {"client": "a", "level": 5, "apps": []},
    "time: cannot be read": row(time="yesterday"),
    "time: is before 2008": row(time=1e9),
    "time: is in the future": row(time=NOW_S + 90_000),
    "level: is missing, or no number": row(level=None),
    "level: is not a number": row(level="full"),
    "level: is over 100 %": row(level=100.5),
    "level: is below 0 %": row(level=-1),
    "state: is not one of unknown, not charging, not_charging, discharging, unplugged, charging, full, or 1 to 5": row(
        state="sleeping"
    ),
    "apps: are missing (an empty list means that none ran)": row(apps=None),
    "apps: is not a list": row(apps=7),
    "apps: are more than 1,000": row(apps=[f"a{i}" for i in range(1001)]),
    "apps: a name is longer than 255 characters, or a version than 100": row(apps=["a" * 256]),
    "apps: a name has control characters": row(apps=["a\u2066b"]),
    "apps: a name is missing": row(apps=["@1"]),
    "format: is later than 1, the latest that is known": row(format=2),
    "is not JSON": "{" + '"a":[' * 90_000,
    "is not a JSON object": "1",
    "is of a JSON array: make lines of it, `jq -c '.[]'`": "[1, 2]",
    "the line is longer than 1 MiB": json.dumps(row(model="m" * LINE_LIMIT)),
}


@pytest.mark.parametrize("as_number", [int, float, str, "{}.0".format])
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_state_can_be_a_number_of_android(as_number: Callable[[int], object], ending: str, tmp_path: Path) -> None:
    rows = [row(time=1_700_000_000 + number, state=as_number(number)) for number in range(1, 6)]
    file = tmp_path / f"a.{ending}"
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    elif ending == "csv":
        lines = [",".join([*map(str, list(one.values())[:4]), "a b"]) for one in rows]
        file.write_text("\n".join(["client,time,level,state,apps", *lines]))
    else:
        json_lines(file, rows)
    _ingest(tmp_path / "fleet", file)
    assert [one["state"] for one in stored(tmp_path / "fleet")] == [
        State.UNKNOWN, State.CHARGING, State.DISCHARGING, State.UNKNOWN, State.FULL,
    ]  # fmt: skip


@pytest.mark.parametrize("alone", [False, True])
def test_bad_rows_are_kept_with_their_reasons(tmp_path: Path, alone: bool) -> None:
    """A bad row is refused alone or among others, and the good rows around it are stored."""
    fleet = tmp_path / "fleet"
    good = [row(time=1_700_000_000 + i) for i in range(3)]
    if alone:
        files = [json_lines(tmp_path / f"{i}.jsonl", [*good[:2], bad, good[2]]) for i, bad in enumerate(REFUSED.values())]
    else:
        files = [json_lines(tmp_path / "all.jsonl", [*good[:2], *REFUSED.values(), good[2]])]
    outcomes = _ingest(fleet, *files)
    for outcome in outcomes:
        assert outcome.rows == outcome.accepted + outcome.duplicates + outcome.refused.total()
        assert outcome.accepted + outcome.duplicates == 3
    assert sorted(one["reason"] for one in quarantined(fleet)) == sorted(REFUSED)
    assert {one["row"] for one in quarantined(fleet)} == ({3} if alone else set(range(3, 3 + len(REFUSED))))
    assert all(len(one["text"]) <= 500 for one in quarantined(fleet))
    assert len(stored(fleet)) == 3


def test_invalid_optional_values_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = [
        row(time=1_700_000_000, colour="red", voltage_mv=4),
        row(time=1_700_000_001_000, colour="red", temperature_c="warm", screen="maybe"),
        row(time="1700000002", level="79", network="lte", apps="a@1 b;c", screen="on"),
        '{"client": "phone-1", "time": 1700000003, "level": 78, "apps": [], "cpu": NaN, "screen_on_s": NaN, "wifi_s": Infinity, '
        '"uptime_s": 1e400, "os": "a\\u0000"}',
        row(time=1_700_000_004, apps=[{"app": "a", "version": 3}, {"app": "b", "version": None}], format=1),
    ]
    fleet = tmp_path / "fleet"
    (outcome,) = _ingest(fleet, json_lines(tmp_path / "a.jsonl", rows))
    assert outcome.refused == {}
    assert outcome.ignored == {
        "column colour: not known": 2, "voltage_mv: is out of range": 1, "temperature_c: is not a number": 1,
        "screen: is neither true nor false": 1, "network: is not a known word": 1, "uptime_s: is out of range": 1,
        "os: is too long, or has control characters": 1, "cpu: is out of range": 1, "screen_on_s: is out of range": 1,
        "wifi_s: is out of range": 1,
    }  # fmt: skip
    found = stored(fleet)
    assert [one["time_s"] for one in found] == list(range(1_700_000_000, 1_700_000_005))
    assert [one["apps"] for one in found[2:]] == [["a@1", "b@", "c@"], [], ["a@3", "b@"]]
    assert found[2]["level_ppm"] == 790_000 and found[2]["screen"] is True
    assert all(found[3][name] is None for name in ("cpu", "uptime_s", "os", "voltage_mv", "foreground"))


def test_names_of_unknown_columns_do_not_fill_the_ledger(tmp_path: Path) -> None:
    rows = [row(time=1_700_000_000 + n, **{f"c{n}": 1}) for n in range(1500)]
    (outcome,) = _ingest(tmp_path / "fleet", json_lines(tmp_path / "a.jsonl", [*rows[:750], "{", *rows[750:]]))
    assert outcome.accepted == 1500
    assert outcome.ignored.total() == 1500 and len(outcome.ignored) == 1001


def test_whole_rows_of_a_truncated_file_are_stored(tmp_path: Path) -> None:
    rows = "".join(json.dumps(row(time=1_700_000_000 + i)) + "\n" for i in range(2000)).encode()
    (tmp_path / "cut.jsonl").write_bytes(rows[:-20])
    (tmp_path / "zeros.jsonl").write_bytes(rows + bytes(4096))
    packed = gzip.compress(rows[: len(rows) // 2]) + gzip.compress(rows[len(rows) // 2 :])
    (tmp_path / "whole.jsonl.gz").write_bytes(packed)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[:-100])
    (tmp_path / "damaged.jsonl.gz").write_bytes(packed[:-2000] + random.Random(1).randbytes(2000))
    counts = {
        name: (outcome.accepted, dict(outcome.refused))
        for name in ("cut.jsonl", "zeros.jsonl", "whole.jsonl.gz", "cut.jsonl.gz", "damaged.jsonl.gz")
        for outcome in _ingest(tmp_path / f"fleet {name}", tmp_path / name)
    }
    assert counts["cut.jsonl"] == (1999, {"is not JSON": 1})
    assert counts["zeros.jsonl"] == (2000, {"is not JSON": 1})
    assert counts["whole.jsonl.gz"] == (2000, {})
    assert counts["cut.jsonl.gz"][0] > 1000 and counts["cut.jsonl.gz"][1]["the compressed file ends early"] == 1
    assert counts["damaged.jsonl.gz"][0] > 500 and counts["damaged.jsonl.gz"][1]["the compressed file is damaged here"] == 1


def test_no_row_of_a_small_damaged_member_is_stored(tmp_path: Path) -> None:
    """A stored block has its bytes as they are: a flipped one reads as another row, and only the member's sum shows it."""
    rows = "".join(json.dumps(row(time=1_700_000_000 + i)) + "\n" for i in range(20)).encode()
    for name, last_bytes in (("content", -500), ("sum", -6)):
        packed = bytearray(gzip.compress(rows, 0))
        packed[last_bytes] ^= 1
        (file := tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(rows[: len(rows) // 2]) + packed)
        (outcome,) = _ingest(tmp_path / f"fleet {name}", file)
        assert outcome.accepted == 10 and outcome.refused == {"the compressed file is damaged here": 1}


def test_a_call_that_stores_nothing_creates_no_fleet(tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(bytes(1000))
    (tmp_path / "a.csv").write_text("client,level\n")
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        outcomes = _ingest(tmp_path / name, picture, tmp_path / "a.csv")
        assert all(outcome.error for outcome in outcomes)
    assert not (tmp_path / "new").exists() and not any((tmp_path / "empty").iterdir())
    good = json_lines(tmp_path / "a.jsonl", [row()])
    _ingest(tmp_path / "new", picture, good)
    settings = (tmp_path / "new" / "fleet.json").read_bytes()
    _ingest(tmp_path / "new", picture)
    assert (tmp_path / "new" / "fleet.json").read_bytes() == settings and len(stored(tmp_path / "new")) == 1
    assert not (tmp_path / "new" / "incoming").exists()


def test_invalid_files_do_not_affect_the_others(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(os.urandom(1000))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "blank.csv").write_bytes(b"\n\n")
    good = json_lines(tmp_path / "a.jsonl", [row()])
    files = [
        tmp_path / "picture.png",
        tmp_path / "absent.jsonl",
        tmp_path,
        tmp_path / "empty.jsonl",
        tmp_path / "blank.csv",
        good,
    ]
    outcomes = _ingest(tmp_path / "fleet", *files)
    assert [outcome.error is not None for outcome in outcomes] == [True, True, True, False, False, False]
    assert all(outcome.error is None or (outcome.error.remedy and outcome.name in outcome.error.message) for outcome in outcomes)
    assert len(stored(tmp_path / "fleet")) == 1


def test_many_small_sources_make_few_parts(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    Store.create(fleet, salt="s")  # The two clients are in two buckets; with a random salt, they may share one.
    files = [json_lines(tmp_path / f"{n}.jsonl", [row("one", 1_700_000_000 + n // 2, n // 2), row(level=n)]) for n in range(20)]
    (tmp_path / "bad.jsonl.gz").symlink_to(tmp_path / "absent")
    outcomes = _ingest(fleet, *files[:10], files[3], tmp_path / "bad.jsonl.gz", *files[10:])
    assert [one.accepted for one in outcomes] == [2, *([0, 1] * 4), 0, 0, 0, *([1, 0] * 5)]
    assert [one.duplicates for one in outcomes] == [0, *([2, 1] * 4), 2, 0, 0, *([1, 2] * 5)]
    assert outcomes[10].known and outcomes[11].error
    assert sum(one.contradicting for one in outcomes) == 19
    assert len(list((fleet / "samples").rglob("*.parquet"))) == 2
    ledger = [json.loads(line) for line in (fleet / "ledger.jsonl").read_text().splitlines()]
    assert len(ledger) == 20 and len(ledger[0]["parts"]) == 2
    assert {entry["with"] for entry in ledger[1:]} == {ledger[0]["source"]}
    assert all(one.known for one in _ingest(fleet, *files))


def test_a_source_that_fails_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The source changes while it is read. None of its rows is stored; the sources around it are stored."""
    fleet = tmp_path / "fleet"
    files = [json_lines(tmp_path / f"{n}.jsonl", [row(f"p{n}", level=n), "{"]) for n in range(3)]
    whole = SourceFile.open

    def opened(file: SourceFile, key: bytes) -> SourceFile:
        found = whole(file, key)
        if file.path == files[1]:
            files[1].write_text("[]" * found.size)
        return found

    monkeypatch.setattr(SourceFile, "open", opened)
    outcomes = _ingest(fleet, *files)
    assert [one.accepted for one in outcomes] == [1, 0, 1] and outcomes[1].error
    assert [one["level_ppm"] for one in sorted(stored(fleet), key=lambda one: one["level_ppm"])] == [0, 20_000]
    assert len(list((fleet / "quarantine").iterdir())) == 2


def test_rows_beyond_the_memory_limit_go_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(f"p{n % 7}", 1_700_000_000 + n // 3, n % 100) for n in range(400)]
    file = json_lines(tmp_path / "a.jsonl", rows)
    for name, limit in (("held", 1 << 30), ("spooled", 1)):
        Store.create(tmp_path / name, buckets=2, salt="s")
        monkeypatch.setattr(merge, "MAX_BYTES", limit)
        monkeypatch.setattr(source, "BLOCK", 1000)
        (outcome,) = _ingest(tmp_path / name, file)
        assert outcome.accepted + outcome.duplicates == 400
    assert stored(tmp_path / "held") == stored(tmp_path / "spooled")


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    file = json_lines(tmp_path / "a.jsonl", [row()])
    fleet.mkdir()
    # A leftover of a killed writer.
    (fleet / "lock").write_text("1\n")
    unfinished_path(fleet / "fleet.json").write_text("{")
    _ingest(fleet, file)
    assert not (fleet / "lock").exists() and not (fleet / "incoming").exists()
    lock = FolderLock(fleet / "lock")
    assert lock.acquire()
    with pytest.raises(FleetError, match=f"process {os.getpid()} is writing"):
        _ingest(fleet, file)
    lock.release()
    with pytest.raises(FleetError, match="not a fleet, and not empty"):
        _ingest(tmp_path, file)
    with pytest.raises(FleetError):
        _ingest(file, file)


@pytest.mark.parametrize(
    "journal",
    [
        b'{"files": [',
        b"[" * 100_000,
        b'{"entries": [], "files": ["../moved"]}',
        b'{"entries": [], "files": ["/moved"]}',
        b'{"entries": [{"a": 1}], "files": []}',
        b'{"entries": ["x", 5], "files": []}',
    ],
)
def test_a_damaged_journal_is_reported(journal: bytes, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    Store.create(fleet)
    (fleet / "incoming" / "store").mkdir(parents=True)
    (fleet / "incoming" / "moved").write_text("")
    (fleet / "incoming" / "commit.json").write_bytes(journal)
    with pytest.raises(FleetError, match=r"commit\.json: damaged"):
        list(ingest(fleet, [json_lines(tmp_path / "a.jsonl", [row()])], now_s=NOW_S))
    assert not (tmp_path / "moved").exists()


@pytest.mark.parametrize("line", [b"[" * 100_000, b"[]", b"{}", b"x"])
def test_a_damaged_ledger_is_reported(line: bytes, tmp_path: Path) -> None:
    Store.create(fleet := tmp_path / "fleet")
    (fleet / "ledger.jsonl").write_bytes(line + b"\n")
    with pytest.raises(FleetError, match=r"ledger\.jsonl: damaged"):
        list(ingest(fleet, [json_lines(tmp_path / "a.jsonl", [row()])], now_s=NOW_S))


def test_a_ledger_of_many_sources_is_read_line_by_line(tmp_path: Path) -> None:
    """Also a half line at its end, which a killed run left, and which the next ingest drops."""
    store = Store.create(tmp_path / "fleet")
    first = json.dumps({"source": "0", "name": "a", "parts": ["bucket=000/month=2023-11/part-1.parquet"]})
    other = json.dumps({"source": "1", "name": "b" * 1_000, "with": "0"})
    whole = "\n".join([first, *[other] * 20_000]) + "\n"
    (ledger := store.path / "ledger.jsonl").write_text(whole + first[:-2])
    tracemalloc.start()
    assert len(listed_parts(store)) == 1
    assert SourceLedger(store).sources == {"0", "1"}
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20 and ledger.read_text() == whole
