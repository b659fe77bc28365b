"""Only regular files are opened, whatever a path leads to."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from navitas.base.regular_files import as_utf8, open_regular, read_regular


def test_other_than_regular_files_are_refused_with_their_kind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((Path("/dev/zero"), "a device"), (tmp_path / "pipe", "a pipe"), (tmp_path, "a folder")):
        with pytest.raises(OSError, match=f"{kind}, not a regular file"):
            open_regular(path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")


def test_a_link_to_a_regular_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link", 4) == b"text"


def test_reading_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    tracemalloc.start()
    try:
        assert read_regular(tmp_path / "file", 4 << 30) == b"text"
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_a_kernel_file_of_size_0_is_read_completely() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert b"\nPid:" in read_regular(path, 1 << 20)
    with pytest.raises(OSError, match="larger than 100 bytes"):
        read_regular(path, 100)


def test_a_larger_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.truncate(tmp_path / "file", 8 << 30)
    with pytest.raises(OSError, match="larger than 1 MiB"):
        read_regular(tmp_path / "file", 1 << 20)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_texts_of_windows_are_utf_8(encoding: str) -> None:
    assert as_utf8("{µ}".encode(encoding)) == "{µ}".encode()
