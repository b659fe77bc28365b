"""`navitas fleet erase`: nothing of a client is left, and nothing of it comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fleet_samples import json_lines, row, stored

from navitas.cli.main import run
from navitas.errors import ExitCode
from navitas.fleet.files import FleetError
from navitas.fleet.schema import client_number, pseudonym
from navitas.fleet.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    rows = [row(name, 1_700_000_000 + 900 * i, 90 - i % 80) for name in ("one", "two") for i in range(9)]
    rows.append(row("one", 1_700_000_000, 101, apps=["secret.app"]))
    run(["fleet", "ingest", str(tmp_path / "store"), str(json_lines(tmp_path / "a.jsonl", rows))])
    return Store.open(tmp_path / "store")


@pytest.mark.parametrize("by_pseudonym", [False, True])
def test_an_erased_client_is_gone(by_pseudonym: bool, store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = client_number("one", store.key)
    assert run(["fleet", "rates", str(store.path)]) == ExitCode.OK
    out = tmp_path / "out.json"
    name = pseudonym(number) if by_pseudonym else "one"
    assert run(["fleet", "erase", str(store.path), "--client", name, "--json", str(out)]) == ExitCode.OK
    assert json.loads(out.read_text()) == {
        "schema_version": 1, "client": pseudonym(number), "samples": 9, "parts": 1, "erased_before": False,
    }  # fmt: skip
    assert {one["client"] for one in stored(store.path)} == {client_number("two", store.key)}
    left = "".join(
        file.read_text("latin-1") for file in store.path.rglob("*") if file.is_file() and file.name != "packages.parquet"
    )
    assert "secret.app" not in left
    capsys.readouterr()
    assert run(["fleet", "rates", str(store.path)]) == ExitCode.OK
    assert "1 clients with 9 samples" in capsys.readouterr().out


def test_its_later_samples_are_refused_without_their_text(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for before in (False, True):
        out = tmp_path / "out.json"
        assert run(["fleet", "erase", str(store.path), "--client", "one", "--json", str(out)]) == ExitCode.OK
        assert json.loads(out.read_text())["erased_before"] is before
    later = json_lines(tmp_path / "b.jsonl", [row("one", 1_700_100_000, apps=["later.app"]), row("two", 1_700_100_000)])
    assert run(["fleet", "ingest", str(store.path), str(later)]) == ExitCode.CHECK_FAILED
    assert "client: was erased" in capsys.readouterr().out
    assert len(stored(store.path)) == 10
    quarantine = store.path / "quarantine"
    assert not any("later.app" in file.read_text() for file in quarantine.rglob("*") if file.is_file())
    assert run(["fleet", "erase", str(store.path), "--client", "one", "--allow-again"]) == ExitCode.OK
    assert "later samples are accepted" in capsys.readouterr().out
    assert run(["fleet", "erase", str(store.path), "--client", "one", "--allow-again"]) == ExitCode.OK
    assert "was not erased" in capsys.readouterr().out
    json_lines(later, [row("one", 1_700_200_000)])
    assert run(["fleet", "ingest", str(store.path), str(later)]) == ExitCode.OK
    assert len(stored(store.path)) == 11
    (store.path / "erased.json").write_text("[]")
    assert run(["fleet", "erase", str(store.path), "--client", "one"]) == ExitCode.TROUBLE
    assert "erased.json: cannot be read" in capsys.readouterr().err


def test_the_samples_of_a_killed_ingest_do_not_come_back(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: object) -> None:
        raise FleetError("killed after the journal", "Run it again.")

    with monkeypatch.context() as patch:
        patch.setattr("navitas.fleet.ingest.commit._carry_out", killed)
        pending = json_lines(tmp_path / "b.jsonl", [row("one", 1_700_100_000), row("two", 1_700_100_000)])
        assert run(["fleet", "ingest", str(store.path), str(pending)]) == ExitCode.TROUBLE
    assert len(stored(store.path)) == 18
    assert run(["fleet", "erase", str(store.path), "--client", "one"]) == ExitCode.OK
    assert "erased 10 samples" in capsys.readouterr().out
    later = json_lines(tmp_path / "c.jsonl", [row("two", 1_700_200_000)])
    assert run(["fleet", "ingest", str(store.path), str(later)]) == ExitCode.OK
    assert {one["client"] for one in stored(store.path)} == {client_number("two", store.key)}
    assert len(stored(store.path)) == 11
