"""`navitas fleet rates|hogs|bugs|jscore`: tables, JSON and CSV say the same, and wrong usage is reported."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.findings.results import BugRow, HogRow, ScoreRow
from navitas.fleet.paper.paper_findings import PaperBugRow, PaperHogRow
from navitas.fleet.schema import client_number
from navitas.fleet.simulate.catalog import FleetModel
from navitas.fleet.simulate.simulation import simulate
from navitas.fleet.store import Store, day

_ROWS = {"hogs": ("hogs", HogRow), "bugs": ("bugs", BugRow), "jscore": ("jscores", ScoreRow)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    made = Store.create(tmp_path_factory.mktemp("fleet") / "store", buckets=2, salt="s")
    simulate(made, FleetModel(clients=200, samples=50_000, apps=100, hog_share=0.1, bug_share=0.01), seed=3)
    return made


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")


_PAPER = {"hogs --method paper": ("hogs", PaperHogRow), "bugs --method paper": ("bugs", PaperBugRow)}


@pytest.mark.parametrize("call", [*_ROWS, *_PAPER])
def test_tables_json_and_csv_say_the_same(call: str, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind, row = (_ROWS | _PAPER)[call]
    command, *options = call.split()
    files = ["--json", str(tmp_path / "r.json"), "--csv", str(tmp_path / "r.csv")]
    assert run(["fleet", command, str(store.path), *options, *files, "--top", "3"]) == ExitCode.OK
    shown = capsys.readouterr().out
    found = json.loads((tmp_path / "r.json").read_text())
    assert found["schema_version"] == 1
    rows = found[kind]
    assert len(rows) > 3
    assert f"… {len(rows) - 3} more" in shown
    assert all(list(one) == row.columns() for one in rows)
    with (tmp_path / "r.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows)
    name = "app" if command == "hogs" else "client"
    assert [line[name] for line in lines] == [one[name] for one in rows]
    assert all(one[name] in shown for one in rows[:3])
    assert run(["fleet", command, str(store.path), *options, "--csv", "-"]) == ExitCode.OK
    printed = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(line[name], line["drain_percent_h"]) for line in printed] == [
        (line[name], line["drain_percent_h"]) for line in lines
    ]
    if call in _PAPER:
        assert "by the paper's method" in shown and found["method"] == "paper"
        distances = [one["distance_percent_h"] for one in rows]
        assert distances == sorted(distances, reverse=True) and distances[-1] > 0


@pytest.mark.parametrize("command", _ROWS)
def test_a_narrow_terminal_shows_names_and_leaves_out_whole_columns(
    command: str, store: Store, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def table(width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        assert run(["fleet", command, str(store.path), "--top", "1"]) == ExitCode.OK
        return capsys.readouterr().out.splitlines()

    wide, narrow = table(140), table(80)
    assert not any("Not shown" in line for line in wide)
    (note,) = [line for line in narrow if line.startswith("Not shown at this width: ")]
    assert "FDR" not in note
    left_out = note.partition(": ")[2].removesuffix(" (see --json)").split(", ")
    titles = narrow[1].split("  ")
    assert titles[0] == wide[1].split("  ")[0] and not {title.strip() for title in titles} & set(left_out)
    assert all(len(line) <= 80 for line in narrow)
    assert narrow[2].split()[0] == wide[2].split()[0]
    assert not re.search(r"\d…|…\d", narrow[2]), "figures are whole"


def test_a_client_is_found_by_its_pseudonym_and_its_name(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "jscore", str(store.path), "--json", str(out)]) == ExitCode.OK
    rows = json.loads(out.read_text())["jscores"]
    assert sum(one["samples"] for one in rows) == 50_000
    assert run(["fleet", "jscore", str(store.path), "--client", rows[7]["client"], "--json", str(out)]) == ExitCode.OK
    assert json.loads(out.read_text())["jscores"] == [rows[7]]
    assert run(["fleet", "jscore", str(store.path), "--client", "missing"]) == ExitCode.TROUBLE
    assert "no client is called missing" in capsys.readouterr().err
    own = Store.create(tmp_path / "own")
    lines = [
        json.dumps({"client": "me", "time": 1772000000 + 1800 * i, "level": 90 - i, "state": "discharging", "apps": ["a"]})
        for i in range(9)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    assert run(["fleet", "ingest", str(own.path), str(tmp_path / "s.jsonl")]) == ExitCode.OK
    assert run(["fleet", "jscore", str(own.path), "--client", "me", "--json", str(out)]) == ExitCode.OK
    (row,) = json.loads(out.read_text())["jscores"]
    assert row["client"] == f"{client_number('me', own.key) % 2**64:016x}"
    assert row["drain_percent_h"] == pytest.approx(2.0)
    assert row["jscore_percent"] is None
    assert run(["fleet", "hogs", str(own.path)]) == ExitCode.OK


def test_pairs_are_exported(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("r.csv", "r.parquet"):
        call = ["fleet", "rates", str(store.path), "-o", str(tmp_path / name), "--json", str(tmp_path / "r.json")]
        assert run(call) == ExitCode.OK
        shown = capsys.readouterr().out
    assert "the battery was not discharging" in shown
    summary = json.loads((tmp_path / "r.json").read_text())
    assert summary["samples"] == 50_000
    assert f"samples from {day(summary['from_s'])} to {day(summary['to_s'])}" in shown
    pairs = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert len(pairs) == summary["pairs"]
    assert summary["from_s"] <= min(row["from_s"] for row in pairs) <= max(row["to_s"] for row in pairs) <= summary["to_s"]
    assert sum(summary["refused"].values()) + len(pairs) == summary["samples"] - summary["clients"]
    for row in pairs[:500]:
        hours = (row["to_s"] - row["from_s"]) / 3600
        assert row["rate_low_percent_h"] <= row["rate_percent_h"] < row["rate_high_percent_h"]
        assert row["rate_percent_h"] * hours == pytest.approx(row["drop_percent"])
        assert row["apps_both"] == sorted(set(row["apps_both"]) - set(row["apps_one"]))
    with (tmp_path / "r.csv").open() as file:
        first = next(csv.DictReader(file))
    assert first["apps_both"].split(" ") == pairs[0]["apps_both"]
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["hogs", "none"], ExitCode.USAGE, "STORE: none: No such file"),
        (["hogs", "STORE", "--engine", "abacus"], ExitCode.USAGE, "abacus"),
        (["rates", "STORE", "-o", "pairs.txt"], ExitCode.USAGE, "not a CSV or Parquet file name"),
        (["hogs", "STORE", "--method", "paper", "--app", "a"], ExitCode.USAGE, "--app does not apply to --method paper"),
        (["hogs", "STORE", "--model", "paper"], ExitCode.USAGE, "--model is now --method"),
        (["bugs", "STORE", "--model=paper"], ExitCode.USAGE, "--model is now --method"),
        (["sample", "STORE", "--history"], ExitCode.USAGE, "--history is now --battery-history"),
        (["hogs", "STORE", "--app", "none"], ExitCode.TROUBLE, "no sample has the app none"),
        (["bugs", "STORE", "--json", "x", "--csv", "x"], ExitCode.USAGE, "the same file"),
    ],
)
def test_wrong_calls_are_reported(
    arguments: list[str], code: ExitCode, text: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", *(str(store.path) if one == "STORE" else one for one in arguments)]) == code
    printed = capsys.readouterr().err
    assert text in printed
    assert "Traceback" not in printed


def test_an_app_has_a_verdict(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "hogs", str(store.path), "--json", str(out)]) == ExitCode.OK
    capsys.readouterr()
    found = json.loads(out.read_text())
    assert found["clean_limit_percent_h"] == pytest.approx(0.02 * found["usual_drain_percent_h"])
    assert all(0 <= row["screen_known_percent"] <= 100 for row in found["verdicts"] if row["screen_known_percent"] is not None)
    chosen = {row["verdict"]: row for row in found["verdicts"]}
    assert {"hog", "unclear"} <= set(chosen)
    for verdict, row in chosen.items():
        for command in ("hogs", "diagnose"):
            assert run(["fleet", command, str(store.path), "--app", row["app"], "--json", str(out)]) == ExitCode.OK
            first = capsys.readouterr().out.splitlines()[0]
            assert first.startswith(f"{row['app']}: {verdict}; ")
            assert verdict.startswith("not judged") or f"{row['extra_percent_h']:+.2f} (" in first
            own = json.loads(out.read_text())
            assert [one["app"] for one in own["verdicts"]] == [row["app"]]
            assert own["verdicts"][0]["extra_percent_h"] == pytest.approx(row["extra_percent_h"])
            assert command != "hogs" or [one["app"] for one in own["hogs"]] == ([row["app"]] if verdict == "hog" else [])
            assert verdict in ("hog", "bugs") or {one["kind"] for one in own.get("actions", [])} <= {"app", "bugs"}


def test_apps_and_clients_are_diagnosed(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.json"
    assert run(["fleet", "diagnose", str(store.path), "--json", str(out)]) == ExitCode.OK
    shown = capsys.readouterr().out
    rows = json.loads(out.read_text())["actions"]
    assert f"  killing {rows[0]['app']}: +" in shown
    truth = {row["app"] for row in pq.read_table(store.path / "truth/apps.parquet").to_pylist() if row["is_hog"]}
    assert {row["app"] for row in rows if row["kind"] == "hog"} <= truth
    assert all(row["gain_low_min"] <= row["gain_min"] <= row["gain_high_min"] for row in rows)
    app = rows[-1]["app"]
    assert run(["fleet", "diagnose", str(store.path), "--app", app, "--json", str(out)]) == ExitCode.OK
    again = json.loads(out.read_text())["actions"]
    assert [row["text"] for row in again] == [row["text"] for row in rows if row["app"] == app]
    assert run(["fleet", "bugs", str(store.path), "--json", str(out)]) == ExitCode.OK
    client = json.loads(out.read_text())["bugs"][0]["client"]
    assert run(["fleet", "diagnose", str(store.path), "--client", client, "--json", str(out)]) == ExitCode.OK
    own = json.loads(out.read_text())["actions"]
    assert {row["client"] for row in own} == {client}
    assert "bug" in {row["kind"] for row in own}
    gains = [row["gain_min"] for row in own]
    assert gains == sorted(gains, reverse=True)
    assert all(0 < row["share_percent"] <= 100 for row in own)
    assert f"Actions for client {client}" in capsys.readouterr().out
    assert run(["fleet", "diagnose", str(store.path), "--app", "none"]) == ExitCode.TROUBLE
    assert "no sample has the app none" in capsys.readouterr().err
