"""An adb server for one test. It sends predefined answers and remembers the requests."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from navitas.capture.device.server_client import ServerClient

Answer = bytes | Callable[[socket.socket], None]
OKAY = b"OKAY"


def block(text: str) -> bytes:
    """Return OKAY and a text, which is the format of host services."""
    data = text.encode()
    return OKAY + f"{len(data):04x}".encode() + data


def fail(text: str) -> bytes:
    """Return a refusal."""
    return b"FAIL" + block(text)[len(OKAY) :]


class FakeAdb:
    """Answers each request by its longest prefix in `answers`. Closes the connection after an unknown request."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.requests: list[str] = []
        self._answers = answers
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def client(self) -> ServerClient:
        return ServerClient("127.0.0.1", self.port)

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, ValueError):
            while True:
                request = exactly(connection, int(exactly(connection, 4), 16)).decode()
                self.requests.append(request)
                known = [prefix for prefix in self._answers if request.startswith(prefix)]
                if not known:
                    return
                answer = self._answers[max(known, key=len)]
                if callable(answer):
                    answer(connection)
                    return
                connection.sendall(answer)


def exactly(connection: socket.socket, count: int) -> bytes:
    """Return the next bytes, or raise OSError if the connection ends before."""
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise OSError("closed")
        data += piece
    return data


@contextmanager
def fake_adb(answers: Mapping[str, Answer]) -> Iterator[FakeAdb]:
    server = FakeAdb(answers)
    try:
        yield server
    finally:
        server.close()


def free_port() -> int:
    """Return a port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
