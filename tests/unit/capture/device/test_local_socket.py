"""The phone's socket is for its own user."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from navitas.base.errors import DeviceError
from navitas.capture.device.local_socket import connect, is_own, make_private


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path that everyone can enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def listening(path: Path) -> socket.socket:
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    path.chmod(0o777)
    server.listen()
    return server


def test_the_own_user_is_let_in(folder: Path) -> None:
    with listening(folder / "s") as server, connect(folder / "s"):
        accepted, _ = server.accept()
        with accepted:
            assert is_own(accepted)


def test_no_server_listens(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        connect(folder / "none")
    listening(folder / "s").close()
    with pytest.raises(ConnectionRefusedError):
        connect(folder / "s")


def test_a_full_queue_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navitas.capture.device.local_socket.CONNECT_S", 1)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        server.listen(0)
        with connect(folder / "s"), pytest.raises(TimeoutError):
            connect(folder / "s")


def test_only_the_owner_can_access_a_private_folder(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    make_private(tmp_path / "a" / "b")


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o701, 0o777])
def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(mode)
    with pytest.raises(DeviceError, match="other users can enter") as caught:
        make_private(tmp_path / "open")
    assert "chmod 700" in caught.value.remedy


def test_a_link_or_another_s_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(DeviceError):
        make_private(tmp_path / "link")
    (tmp_path / "file").touch()
    with pytest.raises(DeviceError, match="exists"):
        make_private(tmp_path / "file")
    if os.getuid() == 0:
        os.chown(tmp_path / "real", 65534, 65534)
        with pytest.raises(DeviceError):
            make_private(tmp_path / "real")
