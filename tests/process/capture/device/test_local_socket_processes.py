"""The tests of tests/unit/capture/device/test_local_socket.py that start processes."""

from __future__ import annotations

from pathlib import Path

from support.stranger import as_stranger
from test_local_socket import folder, listening

from navitas.capture.device.local_socket import is_own

CONNECT_AND_LEAVE = """
import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.connect(sys.argv[1])
    s.sendall(b"x")
"""


def test_another_user_is_refused_even_after_it_has_disconnected(folder: Path) -> None:
    with listening(folder / "s") as server:
        done = as_stranger(CONNECT_AND_LEAVE, str(folder / "s"))
        assert done.returncode == 0, done.stderr
        accepted, _ = server.accept()
        with accepted:
            assert not is_own(accepted)
