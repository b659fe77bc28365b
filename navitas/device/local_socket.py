"""Unix sockets that adb listens on and connects to; the folder of such a socket says who may use it."""

from __future__ import annotations

import os
import socket
import struct
from asyncio.trsock import TransportSocket
from pathlib import Path

from navitas.errors import DeviceError

LOCAL = "localfilesystem:"
"""What adb puts before the path of a Unix socket."""
LONGEST_PATH_BYTES = 103
"""sockaddr_un(7): 104 bytes on macOS, 108 on Linux, with a NUL at the end."""
CONNECT_S = 3

_CREDENTIALS = struct.Struct("iII")
_TIMEVAL = struct.Struct("ll")


def local_address(path: Path) -> str:
    """What adb calls a Unix socket: an adb server's (`adb -L`), or a device's (`adb connect`)."""
    return f"{LOCAL}{path}"


def connect(path: Path) -> socket.socket:
    """A connection to a Unix socket. Raises `OSError`."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        # Not `settimeout`: without blocking, connect(2) fails at once while the server's queue of connections is full.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(CONNECT_S, 0))
        connection.connect(str(path))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _TIMEVAL.pack(0, 0))
    except BaseException as error:
        connection.close()
        if isinstance(error, BlockingIOError):
            raise TimeoutError("it does not answer") from None
        raise
    return connection


def is_own(connection: socket.socket | TransportSocket) -> bool:
    """Whether this user, or root, opened the connection.

    The kernel notes the peer's user when it connects (SO_PEERCRED, unix(7)): closing or passing on the connection changes
    nothing. Systems without that option rely on the socket's folder alone (`make_private`).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return uid in (os.getuid(), 0)


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter, or check that an existing one is. Raises `DeviceError`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.lstat()
    except OSError as error:
        raise DeviceError(f"{folder}: {error.strerror}", "name a folder of your own") from None
    if info.st_uid != os.getuid() or info.st_mode & 0o077 or folder.is_symlink():
        raise DeviceError(
            f"{folder}: other users can enter this folder, and so could control the virtual phone",
            f"remove it, or run: chmod 700 {folder}",
        )
