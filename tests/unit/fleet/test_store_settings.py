"""A fleet whose salt is kept elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fleet_samples import json_lines, row

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.files import FleetError
from navitas.fleet.schema import client_number, pseudonym
from navitas.fleet.store import Store
from navitas.fleet.store_settings import SALT_VARIABLE

_SALT = "kept in a vault elsewhere"


@pytest.fixture
def fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(SALT_VARIABLE, _SALT)
    lines = json_lines(tmp_path / "a.jsonl", [row("me", 1_700_000_000 + 900 * i, 90 - i) for i in range(9)])
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(lines)]) == ExitCode.OK
    return tmp_path / "store"


def test_the_salt_is_not_in_the_folder(fleet: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert not any(_SALT in file.read_text("latin-1") for file in fleet.rglob("*") if file.is_file())
    assert (fleet / "fleet.json").stat().st_mode & 0o077 == 0
    name = pseudonym(client_number("me", _SALT))
    assert run(["fleet", "jscore", str(fleet), "--client", "me"]) == ExitCode.OK
    monkeypatch.delenv(SALT_VARIABLE)
    assert run(["fleet", "hogs", str(fleet)]) == run(["fleet", "jscore", str(fleet), "--client", name]) == ExitCode.OK
    capsys.readouterr()
    assert run(["fleet", "jscore", str(fleet), "--client", "me"]) == ExitCode.TROUBLE
    shown = capsys.readouterr().err
    assert "does not keep its salt" in shown and SALT_VARIABLE in shown
    (fleet.parent / "b.jsonl").write_text(json.dumps(row("you")))
    assert run(["fleet", "ingest", str(fleet), str(fleet.parent / "b.jsonl")]) == ExitCode.TROUBLE


def test_another_salt_is_refused(fleet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SALT_VARIABLE, "another")
    with pytest.raises(FleetError, match="is not the salt of this fleet"):
        Store.open(fleet)
    monkeypatch.setenv(SALT_VARIABLE, "x" * 65)
    with pytest.raises(FleetError, match="longer than 64 bytes"):
        Store.open(fleet)


@pytest.mark.parametrize(
    ("salt", "fault"), [("15 characters..", "has less than 16 characters"), ("secret-\udcff-0123456789", "is not UTF-8")]
)
def test_a_wrong_salt_is_refused_and_never_printed(
    salt: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(SALT_VARIABLE, salt)
    lines = json_lines(tmp_path / "a.jsonl", [row()])
    assert run(["fleet", "ingest", str(tmp_path / "store"), str(lines)]) == ExitCode.TROUBLE
    shown = capsys.readouterr()
    assert f"{SALT_VARIABLE} {fault}" in shown.err and "openssl rand -hex 16" in shown.err
    assert salt[:8] not in shown.err + shown.out and not (tmp_path / "store").exists()


def test_ingest_warns_of_a_salt_that_has_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = Store.create(tmp_path / "store")
    lines = json_lines(tmp_path / "a.jsonl", [row()])
    monkeypatch.setenv(SALT_VARIABLE, _SALT)
    assert run(["fleet", "ingest", str(own.path), str(lines)]) == ExitCode.OK
    shown = capsys.readouterr().err
    assert f"keeps its own salt in fleet.json; {SALT_VARIABLE} has no effect on it" in shown and _SALT not in shown


def test_a_fleet_with_its_own_salt_ignores_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Store.create(tmp_path / "store")
    monkeypatch.setenv(SALT_VARIABLE, _SALT)
    assert Store.open(own.path) == own
    assert Store.create(tmp_path / "simulated", salt="simulated-1").key == "simulated-1"
