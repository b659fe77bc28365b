"""Who uses the user's adb server, so that one that Navitas has started does not stay behind.

Each process that uses the server holds a shared lock. The process that started the server ends it, or leaves that to the last
process that uses it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from navitas.device.server_client import AdbError, ServerClient
from navitas.errors import NavitasError
from navitas.folder_lock import share_lock, try_lock
from navitas.user_folders import make_folder, state_folder

_TO_BE_ENDED = b"to be ended\n"
_PATIENCE_S = 5.0


@dataclass(slots=True)
class _Use:
    """A server that this process uses."""

    client: ServerClient
    lock: int
    is_started: bool = False


_uses: dict[str, _Use] = {}


def use_server(client: ServerClient) -> None:
    """Say that this process uses a server, until `end_started_servers`. Without a state folder nothing is said."""
    if client.where in _uses:
        return
    with suppress(OSError, NavitasError):
        folder = state_folder()
        make_folder(folder)
        name = "".join(char if char.isalnum() or char in ".-" else "_" for char in client.where)
        path = folder / f"adb-server-{name[-100:]}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if try_lock(lock):
            os.ftruncate(lock, 0)  # what a killed process has left there means another server
        share_lock(lock)
        _uses[client.where] = _Use(client, lock)


def server_started(client: ServerClient) -> None:
    """Say that this process has started the server."""
    use_server(client)
    if use := _uses.get(client.where):
        use.is_started = True


def end_started_servers() -> None:
    """End each server that Navitas has started and that no other process of Navitas uses."""
    while _uses:
        use = _uses.popitem()[1]
        try:
            if try_lock(use.lock):
                if use.is_started or os.pread(use.lock, len(_TO_BE_ENDED), 0) == _TO_BE_ENDED:
                    os.ftruncate(use.lock, 0)
                    _end(use.client)
            elif use.is_started:
                os.pwrite(use.lock, _TO_BE_ENDED, 0)
        except OSError:
            pass  # it stays, as a server of the user would
        finally:
            os.close(use.lock)


def _end(client: ServerClient) -> None:
    with suppress(AdbError, OSError):
        connection = client.make_connection(timeout=_PATIENCE_S)
        try:
            connection.send_command("host:kill")
            connection.check_okay()
        finally:
            connection.close()
