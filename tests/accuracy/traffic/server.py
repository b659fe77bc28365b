"""A server that knows which method moved which bytes, behind a link of limited speed that all connections share."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_CHUNK = 16 << 10
_TIMEOUT_S = 60.0
_BLOCK = bytes(_CHUNK)
UNPACED = "fast"


@dataclass(frozen=True, slots=True)
class Moved:
    """Payload that a method received (from the server) or sent, at a time of CLOCK_MONOTONIC; and bytes of HTTP's headers."""

    t_ns: int
    method: str
    received_bytes: int
    sent_bytes: int
    received_headers: int = 0
    sent_headers: int = 0


@dataclass(slots=True)
class Link:
    """An access point: it passes one chunk at a time, at `bytes_per_s`."""

    bytes_per_s: float
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _free_s: float = 0.0

    def wait(self, count: int) -> None:
        """Wait until the link has passed `count` bytes."""
        with self._lock:
            start_s = max(time.monotonic(), self._free_s)
            self._free_s = start_s + count / self.bytes_per_s
            until_s = self._free_s
        time.sleep(max(0.0, until_s - time.monotonic()))


class LogServer:
    """Serves `GET /METHOD/SIZE`, `POST /METHOD` and `RAW METHOD UP|DOWN SIZE`; `log` has each chunk's payload."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.log: list[Moved] = []
        self._listener = socket.socket()
        # A small window, so that the app can't send faster than the link.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * _CHUNK)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(64)
        self.port: int = self._listener.getsockname()[1]
        self._workers: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept, name="log-server")

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """End serving. Waits for open connections."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        for worker in self._workers:
            worker.join()

    def settle(self) -> None:
        """Wait until all connections have ended, so that the log is complete."""
        for worker in list(self._workers):
            worker.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed by `stop`
                return
            worker = threading.Thread(target=self._serve, args=(connection,))
            worker.start()
            self._workers = [thread for thread in self._workers if thread.is_alive()] + [worker]

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(_TIMEOUT_S)
        with connection, connection.makefile("rb", buffering=0) as reader, suppress(OSError):
            line = _line(reader)
            words = line.split()
            if words[0] == "RAW":
                _, method, direction, size = words
                self._add(method, sent=len(line) + 1)
                if direction == "DOWN":
                    self._send(connection, method, int(size))
                else:
                    self._receive(connection, method, int(size))
                    connection.sendall(b".")
                    self._add(method, received=1)
                return
            length, request_bytes = 0, len(line) + 3  # with the end of this line, and the last, empty one
            while header := _line(reader).strip():
                name, _, value = header.partition(":")
                length = int(value) if name.lower() == "content-length" else length
                request_bytes += len(header) + 2
            _, method, *rest = words[1].split("/")
            count = int(rest[0]) if rest else 0
            if words[0] == "POST":
                self._receive(connection, method, length)
            response = f"HTTP/1.1 200 OK\r\nContent-Length: {count}\r\nConnection: close\r\n\r\n".encode()
            connection.sendall(response)
            self.log.append(Moved(time.monotonic_ns(), method, 0, 0, len(response), request_bytes))
            self._send(connection, method, count)

    def _send(self, connection: socket.socket, method: str, size: int) -> None:
        for start in range(0, size, _CHUNK):
            block = _BLOCK[: min(_CHUNK, size - start)]
            self._pass(method, len(block))
            connection.sendall(block)
            self._add(method, received=len(block))

    def _receive(self, connection: socket.socket, method: str, size: int) -> None:
        while size:
            block = connection.recv(min(size, _CHUNK))
            if not block:
                return
            self._pass(method, len(block))
            self._add(method, sent=len(block))
            size -= len(block)

    def _pass(self, method: str, count: int) -> None:
        if method != UNPACED:
            self._link.wait(count)

    def _add(self, method: str, *, received: int = 0, sent: int = 0) -> None:
        self.log.append(Moved(time.monotonic_ns(), method, received, sent))


@contextmanager
def log_server(bytes_per_s: float) -> Iterator[LogServer]:
    """Serve on a port of the loopback interface."""
    server = LogServer(Link(bytes_per_s))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _line(reader: socket.SocketIO) -> str:
    """Return a line without its end. It reads byte by byte, since what follows is not text."""
    text = bytearray()
    while (byte := reader.read(1)) not in (b"", b"\n", None):
        text += byte or b""
    return text.decode("ascii", "replace")
