"""The client of one adb server, on a TCP port or a Unix socket."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.capture.device.local_socket import CONNECT_S, LOCAL, connect, local_address

_BAD_PORT = UsageError("ANDROID_ADB_SERVER_PORT is not a port number", "unset it, or set it to your adb server's port")
try:
    from adbutils import AdbClient, AdbConnection, AdbError, adb_path
    from adbutils.errors import AdbConnectionError, AdbTimeout
except ValueError:  # adbutils makes a client for that port on import
    raise _BAD_PORT from None

__all__ = ["AdbError", "AdbTimeout", "ServerClient", "program_path"]

_UNUSED_PORT = 5037  # placeholder for a client on a Unix socket
_LAST_PORT = 65535
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_TCP = re.compile(r"tcp:(?:(?P<host>\[[^\]]+\]|[^:\[\]]+):)?(?P<port>\d{1,5})")


def program_path() -> str:
    """Return the adb program that adbutils finds. Raises `AdbError`."""
    return str(adb_path())


class _Connection(AdbConnection):  # type: ignore[misc]
    """A connection to a running server. adbutils' own class would start a missing server on the default port."""

    def __init__(self, client: ServerClient) -> None:
        self._path = client.path
        super().__init__(client.host, client.port)

    def _safe_connect(self) -> socket.socket:
        if self._path is None:
            connection: socket.socket = self._create_socket()
            return connection
        try:
            return connect(self._path)
        except TimeoutError as error:
            raise AdbTimeout(str(error)) from None
        except OSError as error:
            raise AdbConnectionError(f"connect to adb server failed: {error}") from None


class ServerClient(AdbClient):  # type: ignore[misc]
    """The client of one adb server, of any version: all versions know the requests that Navitas makes."""

    def __init__(self, host: str | None = None, port: int = 0, *, path: Path | None = None) -> None:
        """Use the server at `host` and `port` (default: from ANDROID_ADB_SERVER_HOST and …_PORT), or on the Unix socket `path`.

        Raises `UsageError` if the port is not a number.
        """
        self.path = path
        try:
            super().__init__(*((host, port) if path is None else (_LOOPBACK[0], _UNUSED_PORT)))
        except ValueError:
            raise _BAD_PORT from None
        if not 0 < self.port <= _LAST_PORT:
            raise _BAD_PORT

    @classmethod
    def of_user(cls) -> ServerClient:
        """Return the client of the user's own server, from ADB_SERVER_SOCKET, else from host and port. Raises `UsageError`."""
        spec = os.environ.get("ADB_SERVER_SOCKET", "")
        if not spec:
            return cls()
        if spec.startswith(f"{LOCAL}/"):
            return cls(path=Path(spec.removeprefix(LOCAL)))
        if (found := _TCP.fullmatch(spec)) and 0 < int(found["port"]) <= _LAST_PORT:
            return cls((found["host"] or _LOOPBACK[0]).strip("[]"), int(found["port"]))
        raise UsageError(
            f"ADB_SERVER_SOCKET: {spec!r} is not supported",
            "set it to tcp:PORT, tcp:HOST:PORT or localfilesystem:PATH, or unset it",
        )

    @property
    def where(self) -> str:
        """Its address, for messages."""
        return f"{self.host}:{self.port}" if self.path is None else str(self.path)

    @property
    def socket_spec(self) -> str:
        """Its address as `adb -L` takes it."""
        return f"tcp:{self.host}:{self.port}" if self.path is None else local_address(self.path)

    @property
    def is_startable(self) -> bool:
        """Return whether `adb start-server` on this machine can start it."""
        return self.path is None and self.host in _LOOPBACK

    def probe(self, timeout_s: float = CONNECT_S) -> None:
        """Connect and disconnect. Raises `OSError` if there is no answer."""
        if self.path is not None:
            connect(self.path).close()
        else:
            socket.create_connection((self.host, self.port), timeout=timeout_s).close()

    def make_connection(self, timeout: float | None = None) -> AdbConnection:
        connection = _Connection(self)
        connection.conn.settimeout(timeout)
        return connection
