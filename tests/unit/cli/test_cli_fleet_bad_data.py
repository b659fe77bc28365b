"""Bad samples and damaged stores on the command line: handled, counted and named, without a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.fleet_samples import json_lines, row

from navitas.base.errors import ExitCode
from navitas.cli.main import run

_BEGIN_S = 1_772_000_000


def sample(minute: int, level: object, **more: object) -> dict[str, object]:
    return row("phone", _BEGIN_S + 60 * minute, level, **more)


def test_faults_of_phones_are_counted_by_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows: list[Any] = [
        sample(0, 80, uptime_s=1000),
        sample(10, 79, uptime_s=1600),
        sample(20, 79, uptime_s=50),  # restarted
        sample(30, 85, uptime_s=650),  # the level rises while it discharges
        sample(40, 90, uptime_s=1250, state="charging"),
        sample(50, 95, uptime_s=1850),  # unplugged: a gap of two pairs
        sample(60, 94, uptime_s=2450),
        sample(70, 93, uptime_s=50_000_000),  # its clock was set back
        sample(70 + 7 * 60, 80),  # a gap of seven hours
        sample(71 + 7 * 60, 120),
        sample(72 + 7 * 60, -1),
        sample(73 + 7 * 60, "NaN"),
        sample(60, 94, uptime_s=2450),
        sample(60, 93, uptime_s=2450),  # contradicts the one before
        sample(74 + 7 * 60, 79, format=2),
        sample(75 + 7 * 60, 78, format=1, colour="<b>red</b>\x1b[2J"),
        '{"client": "phone", "time": 1772',
    ]
    store = str(tmp_path / "store")
    assert run(["fleet", "ingest", store, str(json_lines(tmp_path / "a.jsonl", rows))]) == ExitCode.CHECK_FAILED
    assert (
        run(["fleet", "ingest", store, str(json_lines(tmp_path / "b.jsonl", [*rows[:9], sample(76 + 7 * 60, 77)]))])
        == ExitCode.OK
    )
    printed = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "a.jsonl 17 10 2 1 5" in printed and "b.jsonl 10 1 9 0 0" in printed
    for reason in ("level: is over 100 % 1", "level: is below 0 % 1", "is not JSON 1", "column colour: not known 1"):
        assert reason in printed
    assert any(line.startswith("format: is later than 1") for line in printed)
    assert run(["fleet", "rates", store, "--json", str(tmp_path / "r.json")]) == ExitCode.OK
    table = capsys.readouterr().out
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["samples"] == 11
    assert found["refused"] == {
        "the battery was not discharging": 2,
        "the phone was restarted": 1,
        "the clock was set": 1,
        "more than six hours apart": 1,
        "the level rose": 1,
    }
    assert found["pairs"] == 10 - 6
    assert all(reason in table for reason in found["refused"])


def test_a_json_array_is_recognized(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, array = tmp_path / "a.json", "[\n" + ",\n".join(json.dumps(sample(minute, 80)) for minute in range(3)) + "\n]\n"
    file.write_text(array)
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(file)]) == ExitCode.CHECK_FAILED
    printed = " ".join(capsys.readouterr().out.split())
    assert "a.json 5 1 0 0 4" in printed and "is of a JSON array: make lines of it" in printed
    file.write_text(array.replace("\n", ""))
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(file)]) == ExitCode.TROUBLE
    assert "is of a JSON array: make lines of it" in capsys.readouterr().err


@pytest.mark.parametrize("ask", ["hogs", "bugs", "jscore", "rates", "diagnose", "report"])
@pytest.mark.parametrize("rows", [0, 9])
def test_a_store_without_usable_pairs_gives_empty_results(ask: str, rows: int, tmp_path: Path) -> None:
    """There are no rows, or all are while charging."""
    store, file = tmp_path / "store", tmp_path / "a.jsonl"
    json_lines(file, [sample(minute, 80, state="charging") for minute in range(9)])
    assert run(["fleet", "ingest", str(store), str(file)]) == ExitCode.OK
    (part,) = store.glob("samples/*/*/part-*.parquet")
    pq.write_table(pq.read_table(part).slice(0, rows), part)
    assert run(["fleet", ask, str(store), *(["-o", str(tmp_path / "r.html")] if ask == "report" else [])]) == ExitCode.OK


def _part(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def forge(store: Path) -> None:
        file = sorted(store.rglob("part-*.parquet"))[0]
        pq.write_table(change(pq.ParquetFile(file).read()), file)

    return forge


def _with(name: str, values: Callable[[int], pa.Array]) -> Callable[[Path], None]:
    return _part(lambda table: table.set_column(table.schema.get_field_index(name), name, values(table.num_rows)))


def _settings(text: str) -> Callable[[Path], None]:
    return lambda store: (store / "fleet.json").write_text(text) and None


def _moved(store: Path) -> None:
    file = sorted(store.rglob("part-*.parquet"))[0]
    (store / "samples/bucket=9999/month=2026-02").mkdir(parents=True)
    file.rename(store / "samples/bucket=9999/month=2026-02" / file.name)


_FORGED: dict[str, tuple[Callable[[Path], None], str]] = {
    "endless buckets": (_settings('{"format": 1, "buckets": 1e999, "salt": "s"}'), "fleet.json: cannot be read"),
    "a long salt": (_settings('{"format": 1, "buckets": 2, "salt": "%s"}' % ("s" * 99)), "the salt is longer than 64 bytes"),
    "no apps": (_part(lambda table: table.drop_columns(["apps"])), "column apps is missing"),
    "levels as texts": (_with("level_ppm", lambda n: pa.array(["x"] * n)), "values of column level_ppm are not int32"),
    "levels unknown": (_with("level_ppm", lambda n: pa.nulls(n, pa.int32())), "column level_ppm has nulls"),
    "levels too high": (_with("level_ppm", lambda n: pa.array([2**31 - 1] * n, pa.int32())), "level_ppm is not within 0 to"),
    "times too late": (_with("time_s", lambda n: pa.array([2**62] * n)), "of another bucket or month"),
    "times of another month": (_with("time_s", lambda n: pa.array(range(n))), "of another bucket or month"),
    "apps unknown": (_with("apps", lambda n: pa.array([[99]] * n, pa.list_(pa.int32()))), "not in packages.parquet"),
    "apps below 0": (_with("apps", lambda n: pa.array([[-1]] * n, pa.list_(pa.int32()))), "not in packages.parquet"),
    "a part cut short": (lambda store: sorted(store.rglob("part-*"))[0].write_bytes(b"PAR1") and None, "cannot be read"),
    "a strange folder": (_moved, "not the folder of a bucket"),
    "no packages": (lambda store: (store / "packages.parquet").unlink(), "not in packages.parquet"),
    "packages twice": (
        lambda store: pq.write_table(
            pa.table({"id": pa.array([0, 0], pa.int32()), "app": ["a", "b"], "version": ["", ""]}), store / "packages.parquet"
        ),
        "package numbers are negative, too large, or duplicated",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _FORGED)
def test_a_damaged_or_forged_store_is_reported(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    assert run(["fleet", "ingest", str(store), str(json_lines(tmp_path / "a.jsonl", [sample(i, 90 - i) for i in range(9)]))]) == 0
    forge, expected = _FORGED[name]
    forge(store)
    assert run(["fleet", "hogs", str(store)]) == ExitCode.TROUBLE
    printed = capsys.readouterr().err
    assert expected in printed
    assert str(store) in printed or "bucket " in printed
    assert "Traceback" not in printed and len(printed.splitlines()) >= 2


def test_a_part_of_an_older_version_may_lack_optional_columns(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for name, minutes in (("a", range(5)), ("b", range(5, 10))):
        assert (
            run(
                ["fleet", "ingest", str(store), str(json_lines(tmp_path / f"{name}.jsonl", [sample(i, 90 - i) for i in minutes]))]
            )
            == 0
        )
    _part(lambda table: table.drop_columns(["uptime_s", "model"]).append_column("later", pa.nulls(table.num_rows)))(store)
    assert run(["fleet", "rates", str(store), "--json", str(tmp_path / "r.json")]) == ExitCode.OK
    assert json.loads((tmp_path / "r.json").read_text())["pairs"] == 9
