"""Unix sockets for adb. The permissions of a socket's folder decide who can use it."""

from __future__ import annotations

import os
import socket
import struct
from asyncio.trsock import TransportSocket
from pathlib import Path

from navitas.base.errors import DeviceError

LOCAL = "localfilesystem:"
"""The prefix that adb uses for the path of a Unix socket."""
LONGEST_PATH_BYTES = 103
"""sockaddr_un(7): 104 bytes on macOS, 108 on Linux, with a NUL at the end."""
CONNECT_S = 3

_CREDENTIALS = struct.Struct("iII")
_TIMEVAL = struct.Struct("ll")


def local_address(path: Path) -> str:
    """Return adb's name for a Unix socket: an adb server's (`adb -L`), or a device's (`adb connect`)."""
    return f"{LOCAL}{path}"


def connect(path: Path) -> socket.socket:
    """Connect to a Unix socket. Raises `OSError`."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        # Not `settimeout`: a non-blocking connect(2) fails at once while the server's queue of connections is full.
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
    """Return whether this user, or root, opened the connection.

    The kernel records the peer's user when it connects (SO_PEERCRED, unix(7)); passing the connection on does not change it.
    Systems without that option rely on the permissions of the socket's folder (`make_private`).
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    _, uid, _ = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return uid in (os.getuid(), 0)


def make_private(folder: Path) -> None:
    """Make a folder that only this user can enter, or check an existing one. Raises `DeviceError`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        info = folder.lstat()
    except OSError as error:
        raise DeviceError(f"{folder}: {error.strerror}", "name a folder that belongs to you") from None
    if info.st_uid != os.getuid() or info.st_mode & 0o077 or folder.is_symlink():
        raise DeviceError(
            f"{folder}: other users can enter this folder, and so could control the virtual phone",
            f"remove it, or run: chmod 700 {folder}",
        )
