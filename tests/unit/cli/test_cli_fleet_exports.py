"""`navitas fleet ingest --map`: exports of other programs go in with one command each, or are refused with a remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.fleet_samples import quarantined, stored

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.ingest import merge

TIMES = [1_700_000_000 + 600 * i for i in range(6)]
ISO = [
    "2023-11-14T22:13:20Z",
    *(f"2023-11-14T22:{23 + 10 * i}:20Z" for i in range(3)),
    "2023-11-14T22:53:20Z",
    "2023-11-14T23:03:20Z",
]
APPS = ["org.mail@4.2", "org.maps@"]
GIVEN = ["org.mail@4.2", "org.maps"]


def _lines(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def _fractions(folder: Path) -> list[str]:
    lines = [f"phone-1,{time},{0.95 - 0.01 * i:.2f},discharging,org.mail@4.2 org.maps" for i, time in enumerate(TIMES)]
    (folder / "a.csv").write_text("\n".join(["client,time,level,state,apps", *lines]))
    return [str(folder / "a.csv"), "--scale", "1"]


def _other_names(folder: Path) -> list[str]:
    rows: list[dict[str, object]] = [
        {
            "device_id": "phone-1",
            "timestamp": time,
            "battery": 95 - i,
            "status": "Discharging",
            "packages": ["org.mail@4.2", "org.maps"],
        }
        for i, time in enumerate(TIMES)
    ]
    names = {"device_id": "client", "timestamp": "time", "battery": "level", "status": "state", "packages": "apps"}
    (folder / "map.toml").write_text("".join(f'{name} = "{column}"\n' for name, column in names.items()))
    return [str(_lines(folder / "a.jsonl", rows)), "--map-file", str(folder / "map.toml")]


def _iso_times(folder: Path) -> list[str]:
    table = pa.table({
        "client": ["phone-1"] * 6, "when": ISO, "level": [95 - i for i in range(6)], "state": ["discharging"] * 6,
        "apps": [GIVEN] * 6, "time": ["other"] * 6,
    })  # fmt: skip
    pq.write_table(table, folder / "a.parquet")
    return [str(folder / "a.parquet"), "--map", "when=time"]


def _charging(folder: Path) -> list[str]:
    rows: list[dict[str, object]] = [
        {
            "client": "phone-1",
            "time": time,
            "raw": 190 - 2 * i,
            "max": 200,
            "is_charging": False,
            "apps": ["org.mail@4.2", "org.maps"],
        }
        for i, time in enumerate(TIMES)
    ]
    maps = ["--map", "raw=level", "--map", "max=scale", "--map", "is_charging=charging"]
    return [str(_lines(folder / "a.jsonl", rows)), *maps]


def _row_for_each_app(folder: Path) -> list[str]:
    lines = [f"phone-1,{iso},{95 - i},discharging,{app}" for app in ("org.maps,", "org.mail,4.2") for i, iso in enumerate(ISO)]
    (folder / "a.csv").write_text("\n".join(["client,time,level,state,package,versionName", *lines]))
    return [str(folder / "a.csv"), "--map", "package=app", "--map", "versionName=version"]


EXPORTS = (_fractions, _other_names, _iso_times, _charging, _row_for_each_app)


@pytest.mark.parametrize("export", EXPORTS)
def test_an_export_goes_in_with_one_command(export, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    store, arguments = tmp_path / "fleet", export(tmp_path)
    assert run(["fleet", "ingest", str(store), "--dry-run", *arguments]) == ExitCode.OK
    shown = capsys.readouterr()
    assert not store.exists() and "95 %" in shown.out and "2023-11-14 22:13:20 UTC" in shown.out
    assert run(["fleet", "ingest", str(store), *arguments, "--json", str(tmp_path / "out.json")]) == ExitCode.OK
    total = json.loads((tmp_path / "out.json").read_text())["total"]
    assert total["accepted"] == total["rows"] and total["duplicates"] == 0
    assert [(row["time_s"], row["level_ppm"], row["state"], row["apps"]) for row in stored(store)] == [
        (time, 950_000 - 10_000 * i, 1, APPS) for i, time in enumerate(TIMES)
    ]


def test_rows_of_a_sample_are_joined_wherever_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of another level are not of the sample."""
    monkeypatch.setattr(merge, "GROUP_ROWS", 2)
    lines = [f"phone-1,{time},{95 - i},discharging,{app}" for app in ("a", "b", "c") for i, time in enumerate(TIMES)]
    (file := tmp_path / "a.csv").write_text(
        "\n".join(["client,time,level,state,app", *lines, f"phone-1,{TIMES[0]},50,discharging,d", ""])
    )
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file), "--json", str(tmp_path / "out.json")]) == ExitCode.OK
    rows = stored(tmp_path / "fleet")
    assert len(rows) == 6 and all(row["apps"] == ["a@", "b@", "c@"] for row in rows[1:])
    assert json.loads((tmp_path / "out.json").read_text())["total"]["contradicting"] == 1


def test_a_mapped_client_is_not_in_the_quarantine(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"device_id": "SECRET", "time": time, "level": 150, "apps": ["a"]} for time in TIMES]
    file = _lines(tmp_path / "a.jsonl", rows)
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file), "--map", "device_id=client"]) == ExitCode.TROUBLE
    refused = quarantined(tmp_path / "fleet")
    assert len(refused) == 6 and "SECRET" not in json.dumps(refused)


def test_a_dry_run_ends_with_the_exit_code_of_the_ingest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["client,time,level,state,apps", *(f"p,{time},{level},discharging,a" for time in TIMES for level in (80, 101))]
    (file := tmp_path / "a.csv").write_text("\n".join([*lines, *[lines[-1]] * 20]))
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), "--dry-run", str(file)]) == ExitCode.CHECK_FAILED
    assert "check failed: a.csv: 26 of 32 rows would be refused" in capsys.readouterr().err
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file)]) == ExitCode.CHECK_FAILED
    file.write_text("\n".join([lines[0], lines[2]]))
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), "--dry-run", str(file)]) == ExitCode.TROUBLE


@pytest.mark.parametrize("options", [["--map", "x=client"], ["--scale", "1"]])
def test_a_history_takes_no_map(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "a.txt").write_text("9,h,0:RESET:TIME:1700000000000\n9,h,0,Bl=80,Bs=d\n")
    store = str(tmp_path / "fleet")
    assert run(["fleet", "ingest", store, str(file), "--client", "me", *options]) == ExitCode.TROUBLE
    assert "a.txt: a batterystats history has no columns to map" in capsys.readouterr().err
    assert run(["fleet", "ingest", store, str(file), "--client", "me"]) == ExitCode.OK


GOOD = "client,time,level,state,apps\np,1700000000,80,discharging,a\n"


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        (GOOD.replace("80", "0.80"), [], ExitCode.TROUBLE, "levels are from 0.8 to 0.8: they look like fractions, not percent"),
        (
            GOOD,
            ["--map", "battery=level"],
            ExitCode.TROUBLE,
            "has no column battery, which --map names; it has client, time",
        ),
        (GOOD, ["--map", "level=lvl"], ExitCode.USAGE, "level=lvl: lvl is not a column of samples"),
        (GOOD, ["--map", "level"], ExitCode.USAGE, "--map level: is not COLUMN=FIELD"),
        (GOOD, ["--map", "a=level", "--map", "b=level"], ExitCode.USAGE, "several columns stand for level"),
        (GOOD, ["--map", "a=level", "--map", "a=time"], ExitCode.USAGE, "the column a is mapped twice"),
        (GOOD, ["--map", "state=apps"], ExitCode.OK, "column apps: another column is mapped to it"),
        (GOOD, ["--scale", "0"], ExitCode.USAGE, "0"),
        (GOOD.replace("80", "0.80"), ["--scale", "100"], ExitCode.OK, ""),
    ],
)
def test_a_map_that_contradicts_the_file(  # noqa: PLR0917
    text: str, options: list[str], code: ExitCode, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, content in enumerate((text, _as_json(text))):
        (file := tmp_path / ("a.csv", "a.jsonl")[number]).write_text(content)
        assert run(["fleet", "ingest", str(tmp_path / f"fleet{number}"), str(file), *options]) == code
        printed = capsys.readouterr()
        assert message in " ".join((printed.out + printed.err).split()), printed


def _as_json(text: str) -> str:
    names, cells = (line.split(",") for line in text.splitlines())
    return json.dumps(dict(zip(names, cells, strict=True)))


def test_a_file_can_be_read_again_by_another_map(tmp_path: Path) -> None:
    (file := tmp_path / "a.csv").write_text(GOOD.replace("80", "180"))
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file)]) == ExitCode.TROUBLE
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file), "--scale", "200"]) == ExitCode.OK
    assert [row["level_ppm"] for row in stored(tmp_path / "fleet")] == [900_000]


def test_unknown_states_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """More phones would not help."""
    rows: list[dict[str, object]] = [
        {"client": f"p{phone}", "time": time, "level": 95 - i, "apps": ["a"]}
        for phone in range(5)
        for i, time in enumerate(TIMES)
    ]
    store, file = str(tmp_path / "fleet"), str(_lines(tmp_path / "a.jsonl", rows))
    assert run(["fleet", "ingest", store, file]) == ExitCode.OK
    assert "the battery's state is unknown in all samples" in " ".join(capsys.readouterr().err.split())
    assert run(["fleet", "hogs", store]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "the battery's state is unknown in all samples" in shown and "three clients" not in shown
    assert run(["fleet", "rates", store]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "unknown in all samples" in " ".join(shown.split()) and "not discharging" not in shown
