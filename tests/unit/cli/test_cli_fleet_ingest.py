"""`navitas fleet ingest` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fleet_samples import json_lines, row, stored

from navitas.base.errors import ExitCode
from navitas.cli.main import run


def test_counts_and_reasons_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet, folder = str(tmp_path / "fleet"), tmp_path / "uploads"
    folder.mkdir()
    json_lines(folder / "a.jsonl", [row(), row(time=1_700_000_001, colour=1), row(level=101), row(level=7)])
    json_lines(folder / "b.csv", ["client,time,level,apps", "phone-2,1700000000,50,a@1 b@2"])
    (folder / ".hidden").write_text("?")
    history = tmp_path / "phone-3.txt"
    history.write_text("9,h,0:RESET:TIME:1700000000000\n9,h,0,Bl=5\n")
    assert run(["fleet", "ingest", fleet, str(folder), str(history), "--client", "{name}"]) == ExitCode.CHECK_FAILED
    printed = capsys.readouterr()
    assert "check failed: a.jsonl was stored partially: 1 of 4 rows was refused" in printed.err and "quarantine" in printed.err
    lines = [line.split() for line in printed.out.splitlines()]
    assert ["a.jsonl", "4", "2", "1", "1", "1"] in lines
    assert ["b.csv", "1", "1", "0", "0", "0"] in lines
    assert ["all", "6", "4", "1", "1", "1"] in lines
    assert ["level:", "is", "over", "100", "%", "1"] in lines
    assert ["column", "colour:", "not", "known", "1"] in lines
    assert len(stored(tmp_path / "fleet")) == 4


def test_an_unreadable_file_is_an_error_and_the_others_are_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = str(tmp_path / "fleet")
    file = json_lines(tmp_path / "a.jsonl", [row()])
    history = tmp_path / "history.txt"
    history.write_text("9,h,0:RESET:TIME:1700000000000\n")
    assert run(["fleet", "ingest", fleet, str(history), str(file), "--json", "-"]) == ExitCode.TROUBLE
    printed = capsys.readouterr()
    counts = json.loads(printed.out)
    assert counts["total"]["accepted"] == 1
    assert "does not name its phone" in counts["sources"][0]["error"] and counts["sources"][1]["error"] is None
    assert "history.txt" in printed.err and "--client NAME" in printed.err
    assert run(["fleet", "ingest", fleet, str(file), "--json", "-"]) == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["sources"][0]["known"]
    assert run(["fleet", "ingest", str(file), str(file)]) == ExitCode.USAGE
    assert run(["fleet", "ingest", fleet]) == ExitCode.USAGE
    (tmp_path / "nothing").mkdir()
    assert run(["fleet", "ingest", fleet, str(tmp_path / "nothing")]) == ExitCode.USAGE


def test_names_of_files_cannot_steer_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = json_lines(tmp_path / "a\x1b[2J[red].jsonl", [row(), {"x\x1b[0m": 1}])
    assert run(["fleet", "ingest", str(tmp_path / "fleet"), str(file)]) == ExitCode.CHECK_FAILED
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err and "[red]" in printed.out


def test_a_file_without_acceptable_rows_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = str(tmp_path / "fleet")
    wrong = json_lines(tmp_path / "wrong.jsonl", [row(level=101), row(level=102), {}])
    semicolons = tmp_path / "semicolons.csv"
    semicolons.write_text("Client;Time;Level;Apps\nphone;1700000000;5;a\n")
    for_people = tmp_path / "bugreport.txt"
    for_people.write_text("Battery History (9% used, 94KB used of 1024KB):\n")
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert run(["fleet", "ingest", fleet, *map(str, (wrong, semicolons, for_people, empty))]) == ExitCode.TROUBLE
    printed = capsys.readouterr().err
    assert "wrong.jsonl: none of its 3 rows was accepted; the reason for 2: level: is over 100 %" in printed
    assert "semicolons.csv: the header lacks client, time, level, apps; it has client;time;level;apps" in printed
    assert "dumpsys batterystats --checkin" in printed and "bugreport.txt" in printed
    assert "note: empty.jsonl has no samples" in printed
    assert not list((tmp_path / "fleet").glob("samples/*"))


def test_files_that_are_stored_in_part_fail_a_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = str(tmp_path / "fleet")
    files = [
        json_lines(tmp_path / f"{name}.jsonl", [row(time=at), row(level=101), {}]) for at, name in enumerate("ab", 1_700_000_000)
    ]
    assert run(["fleet", "ingest", fleet, *map(str, files)]) == ExitCode.CHECK_FAILED
    assert "check failed: 2 files were stored partially: 4 of 6 rows were refused" in capsys.readouterr().err
    assert len(stored(tmp_path / "fleet")) == 2
    assert run(["fleet", "ingest", fleet, *map(str, files)]) == ExitCode.OK, "nothing is read again"
    wrong = json_lines(tmp_path / "c.jsonl", [{}])
    more = json_lines(tmp_path / "d.jsonl", [row(time=1_700_000_100), {}])
    assert run(["fleet", "ingest", fleet, str(wrong), str(more)]) == ExitCode.TROUBLE, "a file of which nothing is taken is more"
    printed = capsys.readouterr().err
    assert (
        "c.jsonl: its only row was refused; the reason for 1: client: is missing" in printed
        and "d.jsonl was stored partially: 1 of 2" in printed
    )
