"""`navitas fleet ingest` reads patterns, URLs and standard input."""

from __future__ import annotations

import functools
import io
import json
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import fsspec
import pytest
from support.fleet_samples import json_lines, row

from navitas.base.errors import ExitCode
from navitas.cli.main import run
from navitas.fleet.ingest.remote import shown_url
from navitas.fleet.store import Store


def stored_rows_of(store: Path, capsys: pytest.CaptureFixture[str], *sources: str) -> int:
    out = store.parent / "out.json"
    assert run(["fleet", "ingest", str(store), *sources, "--json", str(out)]) == ExitCode.OK, capsys.readouterr().err
    found: int = json.loads(out.read_text())["total"]["accepted"]
    return found


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "served"
    folder.mkdir()
    json_lines(folder / "a.jsonl", [row("one", 1_700_000_000 + i, 90) for i in range(5)])
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder))) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_address[1]}"
        finally:
            http.shutdown()
            thread.join()


def test_a_file_on_a_server_is_stored(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    assert stored_rows_of(store, capsys, f"{server}/a.jsonl") == 5
    ledger = (store / "ledger.jsonl").read_text()
    assert '"name": "a.jsonl"' in ledger and "127.0.0.1" not in ledger
    assert stored_rows_of(store, capsys, f"{server}/a.jsonl") == 0


def test_a_missing_file_on_a_server_is_an_error(server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"{server.replace('//', '//me:secret@')}/missing.jsonl?token=hidden"
    assert run(["fleet", "ingest", str(tmp_path / "store"), url]) == ExitCode.TROUBLE
    shown = capsys.readouterr().err
    assert "/missing.jsonl: cannot be read" in shown and "secret" not in shown and "hidden" not in shown


def test_an_object_store_may_have_folders_and_patterns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = fsspec.filesystem("memory")
    for day in range(3):
        line = json.dumps(row("one", 1_700_000_000 + 3600 * day, 90))
        memory.pipe(f"/samples/day={day}/part.jsonl", f"{line}\n".encode())
    try:
        assert stored_rows_of(tmp_path / "store", capsys, "memory://samples/day=*/part.jsonl") == 3
        assert stored_rows_of(tmp_path / "other", capsys, "memory://samples") == 3
        assert run(["fleet", "ingest", str(tmp_path / "store"), "memory://samples/*.csv"]) == ExitCode.TROUBLE
    finally:
        memory.rm("/samples", recursive=True)
    assert run(["fleet", "ingest", str(tmp_path / "store"), "nothing://samples"]) == ExitCode.USAGE


def test_a_quoted_pattern_is_expanded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("x/1.jsonl", "x/y/2.jsonl", "x/3.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        json_lines(tmp_path / name, [row(name)])
    assert stored_rows_of(tmp_path / "store", capsys, f"{tmp_path}/x/**/*.jsonl") == 2
    assert run(["fleet", "ingest", str(tmp_path / "store"), f"{tmp_path}/x/*.csv"]) == ExitCode.USAGE
    assert "no file matches" in capsys.readouterr().err


def test_the_number_of_buckets_is_that_of_the_first_ingest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(json_lines(tmp_path / "a.jsonl", [row(str(number)) for number in range(20)]))
    assert stored_rows_of(tmp_path / "store", capsys, file, "--buckets", "3") == 20
    assert Store.open(tmp_path / "store").buckets == 3
    for options in ([], ["--dry-run"]):
        assert run(["fleet", "ingest", str(tmp_path / "store"), file, "--buckets", "4", *options]) == ExitCode.TROUBLE
        assert "the fleet has 3 buckets, which cannot change" in capsys.readouterr().err
    assert run(["fleet", "ingest", str(tmp_path), file, "--dry-run"]) == ExitCode.TROUBLE
    assert f"{tmp_path}: not a fleet, and not empty" in capsys.readouterr().err


def test_standard_input_is_a_source(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(row()).encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text), isatty=lambda: False))
    assert stored_rows_of(tmp_path / "store", capsys, "-") == 1


def test_errors_name_standard_input_and_urls_instead_of_their_temporary_copies(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "served" / "a.bin").write_bytes(bytes(9))
    (tmp_path / "served" / "b.csv").write_text("client,level\n")
    for text, message in ((bytes(9), "standard input: neither text"), (b"what\n", "standard input: not JSON lines, CSV")):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text), isatty=lambda: False))
        sources, out = ["-", f"{server}/a.bin", f"{server}/b.csv"], tmp_path / "out.json"
        assert run(["fleet", "ingest", str(tmp_path / "store"), *sources, "--json", str(out)]) == ExitCode.TROUBLE
        shown = capsys.readouterr()
        assert message in shown.err and "/navitas-" not in shown.err + shown.out + out.read_text()
        assert f"{server}/a.bin: a.bin: neither text" in shown.err and f"{server}/b.csv: b.csv: the header lacks" in shown.err
    assert not (tmp_path / "store").exists()


def test_a_url_that_cannot_be_parsed_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fleet", "ingest", str(tmp_path / "store"), "http://me:secret@[bad"]) == ExitCode.USAGE
    shown = capsys.readouterr().err
    assert "http://…: not a URL that can be read" in shown and "secret" not in shown


def test_urls_are_shown_without_secrets() -> None:
    assert shown_url("s3://key:secret@bucket/a/b.jsonl?token=1#x") == "s3://bucket/a/b.jsonl"
