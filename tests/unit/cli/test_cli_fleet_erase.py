"""`navitas fleet erase`: nothing of a client is left, and nothing of it comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.fleet_samples import json_lines, row, stored

from navitas.base.errors import ExitCode
from navitas.cli.main import run
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
    assert "1 client with 9 samples from 2023-11-14 to 2023-11-15" in capsys.readouterr().out


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


def test_an_unknown_client_is_not_erased(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "rates", str(store.path)]) == ExitCode.OK
    before = {file: file.read_bytes() for file in store.path.rglob("*") if file.is_file()}
    for name in ("wrong", "0123456789abcdef"):
        assert run(["fleet", "erase", str(store.path), "--client", name]) == ExitCode.TROUBLE
        error = capsys.readouterr().err
        assert f"no client is called {name}" in error and "--also-unknown" in error
    assert before == {file: file.read_bytes() for file in store.path.rglob("*") if file.is_file() and file in before}
    assert run(["fleet", "erase", str(store.path), "--client", "three", "--also-unknown"]) == ExitCode.OK
    assert "erased 0 samples; later ones are refused" in capsys.readouterr().out
    assert run(["fleet", "erase", str(store.path), "--client", "three"]) == ExitCode.OK
    assert "which was erased before: erased 0 samples" in capsys.readouterr().out
    later = json_lines(tmp_path / "b.jsonl", [row("three", 1_700_100_000), row("two", 1_700_100_000)])
    assert run(["fleet", "ingest", str(store.path), str(later)]) == ExitCode.CHECK_FAILED
    assert len(stored(store.path)) == 19
    both = ["--also-unknown", "--allow-again"]
    assert run(["fleet", "erase", str(store.path), "--client", "three", *both]) == ExitCode.USAGE


def test_a_name_that_looks_like_a_pseudonym_is_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Android IDs have 16 hexadecimal digits."""
    name = "0123456789abcdef"
    path = tmp_path / "store"
    assert run(["fleet", "ingest", str(path), str(json_lines(tmp_path / "a.jsonl", [row(name), row("two")]))]) == ExitCode.OK
    assert run(["fleet", "erase", str(path), "--client", name]) == ExitCode.OK
    assert "erased 1 sample;" in capsys.readouterr().out
    assert run(["fleet", "erase", str(path), "--client", name, "--allow-again"]) == ExitCode.OK
    assert "later samples are accepted" in capsys.readouterr().out


def test_a_part_that_is_missing_is_an_error_until_it_is_accepted(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (_, (part, *_)), *_ = store.parts().items()
    moved = part.rename(tmp_path / "part")
    later = json_lines(tmp_path / "b.jsonl", [row("two", 1_700_200_000)])
    erase, ingest = ["erase", "--client", "two"], ["ingest", str(later)]
    commands = (["hogs"], ["rates"], ingest, [*ingest, "--dry-run"], erase, [*erase, "--allow-again"])
    for name, *more in commands:
        assert run(["fleet", name, str(store.path), *more]) == ExitCode.TROUBLE
        said = capsys.readouterr().err
        assert f"{part}: is missing; ledger.jsonl lists it" in said and f"erase {store.path} --accept-missing" in said, name
    moved.rename(part)
    assert run(["fleet", "rates", str(store.path)]) == ExitCode.OK
    assert run(["fleet", "erase", str(store.path), "--client", "three", "--also-unknown"]) == ExitCode.OK
    part.unlink()
    out = tmp_path / "out.json"
    for parts in (1, 0):
        assert run(["fleet", "erase", str(store.path), "--accept-missing", "--json", str(out)]) == ExitCode.OK
        assert json.loads(out.read_text())["parts"] == parts
    capsys.readouterr()
    assert run(["fleet", "ingest", str(store.path), str(later)]) == ExitCode.OK
    assert run(["fleet", "erase", str(store.path), "--client", "three", "--allow-again"]) == ExitCode.OK
    assert run(["fleet", "rates", str(store.path)]) == ExitCode.OK
    for options, error in (
        ([], "neither --client nor --accept-missing"),
        (["--client", "two", "--accept-missing"], "--accept-missing excludes --client"),
        (["--accept-missing", "--allow-again"], "--accept-missing excludes --client"),
    ):
        assert run(["fleet", "erase", str(store.path), *options]) == ExitCode.USAGE
        assert error in capsys.readouterr().err


def test_a_part_that_only_an_erased_client_had_is_not_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where an earlier version erased it, which did not list parts. Others may be lost, so their number is shown, once."""
    path = tmp_path / "store"
    for name in ("one", "two", "three"):
        assert (
            run(["fleet", "ingest", str(path), str(json_lines(tmp_path / "a.jsonl", [row(name), row(name, 1_700_000_900)]))]) == 0
        )
    assert run(["fleet", "erase", str(path), "--client", "one"]) == ExitCode.OK
    assert run(["fleet", "rates", str(path)]) == ExitCode.OK
    listed = json.loads((path / "erased.json").read_text())
    assert len(listed["parts"]) == 1
    capsys.readouterr()
    client, accept = ["erase", "--client", "two"], ["erase", "--accept-missing"]
    for earlier, command, warns in (
        (True, ["rates"], False),
        (False, accept, True),
        (True, client, True),
        (False, client, False),
    ):
        if earlier:
            (path / "erased.json").write_text(json.dumps({"clients": listed["clients"]}))
        assert run(["fleet", *command, str(path)]) == ExitCode.OK
        assert (f"warning: {path}: 1 absent file of samples counted as erased" in capsys.readouterr().err) is warns
    assert len(json.loads((path / "erased.json").read_text())["parts"]) == 2


def test_a_file_that_was_ingested_before_is_read_again_only_if_it_differs(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fleet", "erase", str(store.path), "--client", "one"]) == ExitCode.OK
    assert run(["fleet", "erase", str(store.path), "--client", "one", "--allow-again"]) == ExitCode.OK
    assert "files that were ingested before are still skipped" in capsys.readouterr().out
    file = tmp_path / "a.jsonl"
    assert run(["fleet", "ingest", str(store.path), str(file)]) == ExitCode.OK
    assert len(stored(store.path)) == 9
    with file.open("a") as out:
        out.write("\n")
    assert run(["fleet", "ingest", str(store.path), str(file)]) == ExitCode.CHECK_FAILED  # One of its rows has a wrong level.
    assert len(stored(store.path)) == 18
