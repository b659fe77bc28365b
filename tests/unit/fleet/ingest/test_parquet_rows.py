"""Samples as Parquet, and compressed by Zstandard, give the same store as JSON lines."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.fleet_samples import NOW_S, json_lines, quarantined, row, stored

from navitas.fleet.ingest.group import SourceOutcome
from navitas.fleet.ingest.ingest_files import ingest

_ROWS = [
    row(f"p{i % 3}", 1_700_000_000 + 900 * i, 90 - i, screen=bool(i % 2), screen_on_s=10.5 * i, running_s=[f"a={i}", "b=2.5"])
    for i in range(40)
]


def _ingest(store: Path, file: Path) -> SourceOutcome:
    (outcome,) = ingest(store, [file], now_s=NOW_S)
    return outcome


@pytest.fixture
def expected(tmp_path: Path) -> list[dict[str, object]]:
    _ingest(tmp_path / "json", json_lines(tmp_path / "a.jsonl", _ROWS))
    return [{**one, "client": None} for one in stored(tmp_path / "json")]


def _like(store: Path) -> list[dict[str, object]]:
    return [{**one, "client": None} for one in stored(store)]


def _parquet(file: Path, **changed: pa.Array) -> Path:
    table = pa.Table.from_pylist(_ROWS)
    for name, column in changed.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    pq.write_table(table, file, row_group_size=7)
    return file


def _key(rows: list[dict[str, object]]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in rows)


def test_parquet_is_stored_as_json_lines_are(expected: list[dict[str, object]], tmp_path: Path) -> None:
    outcome = _ingest(tmp_path / "store", _parquet(tmp_path / "a.parquet"))
    assert (outcome.rows, outcome.accepted, outcome.error) == (40, 40, None)
    assert _key(_like(tmp_path / "store")) == _key(expected)
    assert _ingest(tmp_path / "store", tmp_path / "a.parquet").known


def test_other_types_of_columns_are_read(expected: list[dict[str, object]], tmp_path: Path) -> None:
    moments = [datetime.fromtimestamp(one["time"], UTC) for one in _ROWS]  # type: ignore[arg-type]
    maps = [[("a", float(i)), ("b", 2.5)] for i in range(40)]
    file = _parquet(
        tmp_path / "a.parquet",
        time=pa.array(moments, pa.timestamp("ms", "UTC")),
        apps=pa.array(["a@1 b"] * 40),
        running_s=pa.array(maps, pa.map_(pa.string(), pa.float64())),
        client=pa.array([one["client"] for one in _ROWS]).dictionary_encode(),  # type: ignore[arg-type]
    )
    assert _ingest(tmp_path / "store", file).accepted == 40
    assert _key(_like(tmp_path / "store")) == _key(expected)


def test_wrong_rows_and_unknown_columns_are_reported(tmp_path: Path) -> None:
    levels = [500.0 if i == 3 else 90.0 - i for i in range(40)]
    file = _parquet(tmp_path / "a.parquet", level=pa.array(levels))
    pq.write_table(pq.read_table(file).append_column("colour", pa.array(["red"] * 40)), file)
    outcome = _ingest(tmp_path / "store", file)
    assert (outcome.accepted, dict(outcome.refused), dict(outcome.ignored)) == (
        39, {"level: is over 100 %": 1}, {"column colour: not known": 40},
    )  # fmt: skip
    (kept,) = quarantined(tmp_path / "store")
    assert kept["row"] == 4 and '"level": 500.0' in kept["text"] and "client" not in kept["text"] and "p0" not in kept["text"]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("time", pa.array([[1.0]] * 40), "list<element: double>, which is not read; it takes timestamps, seconds"),
        ("time", pa.array([date(2026, 1, 1)] * 40), "date32[day], which is not read; it takes timestamps"),
        ("time", pa.array(["soon"] * 40), "string, and a value that cannot be read; it takes timestamps"),
        ("apps", pa.array([5] * 40), "int64, which is not read; it takes lists of texts, or texts with spaces"),
        ("apps", pa.array([[{"app": "a"}]] * 40), "list<element: struct<app: string>>, which is not read; it takes lists"),
        ("running_s", pa.array([5] * 40), "int64, which is not read; it takes lists of texts, or maps of texts to numbers, or"),
        ("level", pa.array(["full"] * 40), "string, and a value that cannot be read; it takes numbers"),
        ("screen", pa.array([[1]] * 40), "list<element: int64>, which is not read; it takes booleans"),
        ("client", pa.array([b"\xff"] * 40), "binary, and a value that cannot be read; it takes texts"),
    ],
)
def test_wrong_types_are_errors(name: str, values: pa.Array, message: str, tmp_path: Path) -> None:
    outcome = _ingest(tmp_path / "store", _parquet(tmp_path / "a.parquet", **{name: values}))
    assert outcome.error is not None and "docs/fleet-reference.md" in outcome.error.remedy
    assert f"column {name} has the type {message}" in outcome.error.message


def test_a_column_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    """The other files of the call are stored."""
    table = pq.read_table(_parquet(tmp_path / "a.parquet"))
    pq.write_table(table.append_column("level", table["level"]), tmp_path / "b.parquet")
    pq.write_table(table.append_column("x", table["level"]).append_column("x", table["level"]), tmp_path / "c.parquet")
    (tmp_path / "d.csv").write_text("client,time,level,apps,level\nphone,1700000000,50,a,60\n")
    files = [tmp_path / name for name in ("b.parquet", "c.parquet", "d.csv")]
    twice, unknown, csv = ingest(tmp_path / "store", files, now_s=NOW_S)
    assert twice.error is not None and "has the column level twice" in twice.error.message
    assert csv.error is not None and "the header has level twice" in csv.error.message
    assert (unknown.error, unknown.accepted) == (None, 40)


def test_a_missing_column_and_a_damaged_file_are_errors(tmp_path: Path) -> None:
    file = _parquet(tmp_path / "a.parquet")
    pq.write_table(pq.read_table(file).drop_columns(["level"]), tmp_path / "b.parquet")
    outcome = _ingest(tmp_path / "store", tmp_path / "b.parquet")
    assert outcome.error is not None and "has no column level" in outcome.error.message
    (tmp_path / "c.parquet").write_bytes(file.read_bytes()[:-20])
    outcome = _ingest(tmp_path / "store", tmp_path / "c.parquet")
    assert outcome.error is not None and "not a readable Parquet file" in outcome.error.message


@pytest.mark.parametrize("parts", [1, 2])
def test_zstandard_is_read(parts: int, expected: list[dict[str, object]], tmp_path: Path) -> None:
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    half = len(lines) // parts
    pieces = [b"".join(lines[i * half : (i + 1) * half]) for i in range(parts)]
    codec = pa.Codec("zstd")
    (tmp_path / "a.jsonl.zst").write_bytes(b"".join(codec.compress(piece, asbytes=True) for piece in pieces))
    assert _ingest(tmp_path / "store", tmp_path / "a.jsonl.zst").accepted == 40
    assert _key(_like(tmp_path / "store")) == _key(expected)


@pytest.mark.parametrize("suffix", ["zst", "gz"])
def test_whole_rows_of_a_damaged_compressed_file_are_stored(suffix: str, tmp_path: Path) -> None:
    text = (json_lines(tmp_path / "a.jsonl", _ROWS * 200)).read_bytes()
    packed = gzip.compress(text) if suffix == "gz" else pa.Codec("zstd").compress(text, asbytes=True)
    (tmp_path / f"b.jsonl.{suffix}").write_bytes(packed[: len(packed) // 2])
    outcome = _ingest(tmp_path / "store", tmp_path / f"b.jsonl.{suffix}")
    assert outcome.error is None and any("the compressed file" in reason for reason in outcome.refused)
