"""The folder of a phone that a person starts by hand."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from support.capture import Capture

from navitas.virtual_phone import __main__ as program


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that gets an element when the phone would run."""
    phones: list[object] = []

    async def serve(*arguments: object) -> None:
        phones.append(arguments)

    monkeypatch.setattr(program, "_serve", serve)
    return phones


def start(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> int:
    monkeypatch.setattr("sys.argv", ["virtual_phone", "--state-dir", str(folder), *options])
    return program.main()


def test_only_the_user_can_enter_a_new_folder(served: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert start(monkeypatch, tmp_path / "phone") == 0 and len(served) == 1
    assert stat.S_IMODE((tmp_path / "phone").stat().st_mode) == 0o700


def test_a_folder_that_others_can_enter_is_refused_and_kept(
    served: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    folder = tmp_path / "phone"
    folder.mkdir()
    folder.chmod(0o755)
    assert start(monkeypatch, folder, "--remove-state") == 1
    said = json.loads(capsys.readouterr().out)
    assert f"{folder}: other users can enter this folder" in said["error"] and f"chmod 700 {folder}" in said["remedy"]
    assert folder.is_dir() and not served
