"""What the client of HDFS does when a data node fails. Real nodes: contract/test_fleet_in_object_store.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from navitas.fleet.files import FleetError
from navitas.fleet.ingest.remote import fetch_files
from navitas.fleet.web_hdfs import WholeFilesHdfs


def answering(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> WholeFilesHdfs:
    """A client whose name node always names a data node, which gives these answers."""
    system = WholeFilesHdfs("name-node", 9870, skip_instance_cache=True)
    coming: Iterator[Any] = iter(answers)

    def request(*_: Any, **__: Any) -> Any:
        answer = next(coming)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(system, "_call", lambda *_, **__: SimpleNamespace(headers={"Location": "http://data-node"}))
    monkeypatch.setattr(system.session, "request", request)
    return system


def test_a_call_begins_again_at_the_name_node_if_a_data_node_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = SimpleNamespace(ok=True, content=b"content")
    assert answering(monkeypatch, requests.ReadTimeout(), whole)._data("OPEN", "get", "/x") == b"content"
    with pytest.raises(requests.ConnectionError, match="third"):
        answering(monkeypatch, *map(requests.ConnectionError, ("first", "second", "third")))._data("OPEN", "get", "/x")


def test_a_refusal_is_not_content(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = SimpleNamespace(ok=False, status_code=403, text="Permission denied", content=b"Permission denied")
    with pytest.raises(RuntimeError, match="a data node answers 403: Permission denied"):
        answering(monkeypatch, refusal)._data("OPEN", "get", "/x")


def test_samples_in_a_folder_that_cannot_be_listed_are_not_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def call(_: object, operation: str, *, path: str, **__: object) -> SimpleNamespace:
        if path.endswith("/private"):
            raise PermissionError("Permission denied: private")
        status = {"pathSuffix": "private", "type": "DIRECTORY", "length": 0}
        found = {"FileStatus": status} if operation == "GETFILESTATUS" else {"FileStatuses": {"FileStatus": [status]}}
        return SimpleNamespace(json=lambda: found)

    monkeypatch.setattr(WholeFilesHdfs, "_call", call)
    with pytest.raises(FleetError, match="cannot be read: Permission denied: private"):
        fetch_files("webhdfs://name-node:9870/samples", tmp_path)
