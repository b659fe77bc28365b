"""Output files are written atomically, and errors have the path that the user gave."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import IO

import pytest

from navitas.cli.habits.files import write_to


def test_an_error_about_another_file_keeps_its_name(tmp_path: Path) -> None:
    """Also if both are in the same folder."""

    def render(out: IO[str]) -> None:
        (tmp_path / "other").read_text()

    with pytest.raises(FileNotFoundError) as caught:
        write_to(tmp_path / "report", render)
    assert caught.value.filename == str(tmp_path / "other")
    assert not list(tmp_path.iterdir())


def test_errors_have_the_path_that_the_user_gave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full").symlink_to("/dev/full")
    Path("file").touch()
    Path("link").symlink_to("missing/folder/below")
    with pytest.raises(OSError, match="No space left") as full:
        write_to(Path("full"), lambda out: print("x", file=out))
    assert full.value.filename == "full"
    with pytest.raises(NotADirectoryError) as below:
        write_to(Path("file/report"), lambda out: None)
    assert below.value.filename == "file/report"
    with pytest.raises(FileNotFoundError):
        write_to(Path("link"), lambda out: None)
    Path("missing/folder").mkdir(parents=True)
    write_to(Path("link"), lambda out: print("µ", file=out))
    assert Path("missing/folder/below").read_bytes() == b"\xc2\xb5\n" and Path("link").is_symlink()


def test_a_failed_report_keeps_the_old_one(tmp_path: Path) -> None:
    def render(out: IO[str]) -> None:
        print("half", file=out, flush=True)
        raise ZeroDivisionError

    (tmp_path / "report").write_text("old")
    with pytest.raises(ZeroDivisionError):
        write_to(tmp_path / "report", render)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("report", "old")]


def test_bytes_go_to_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_to(tmp_path / "pipe", lambda out: out.write(b"\xff" * 1_000_000), binary=True)
    reader.join()
    assert read == [b"\xff" * 1_000_000]
