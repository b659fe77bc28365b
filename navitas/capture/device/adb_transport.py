"""A connection to one service of a device, through its adb server, and the lines of a running command."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from navitas.base.errors import DeviceError
from navitas.capture.device import shell_v2
from navitas.capture.device.adb_server import NOT_UNDERSTOOD, quoted
from navitas.capture.device.server_client import AdbError, AdbTimeout, ServerClient

_PIECE_BYTES = 65536
_SHOWN = 80
_MAX_REQUEST_BYTES = 0xFFFF  # four hexadecimal digits
MAX_LINE_BYTES = 1 << 20
LOST = "check the cable or the emulator, and that 'adb devices' lists it as 'device'"
_REMEDIES = {
    "unauthorized": "allow USB debugging on its screen",
    "authorizing": "allow USB debugging on its screen",
    NOT_UNDERSTOOD: "restart adb (adb kill-server); if `adb devices -l` still prints this line, report it",
    "no permissions": "give your user access to it (on Linux: udev rules, group plugdev), then reconnect it",
}


def remedy_for(state: str) -> str:
    """Return a remedy for a device's state other than `device`, or for the reason of the server's refusal."""
    return next((remedy for word, remedy in _REMEDIES.items() if word in state), LOST)


class Transport:
    """An open service of a device. Every failure is a `DeviceError` that names device and action."""

    def __init__(self, client: ServerClient, serial: str, service: str, action: str, timeout_s: float | None) -> None:
        self._serial = quoted(serial)
        self._action = action if len(action) <= _SHOWN else action[: _SHOWN - 3] + "..."
        requests = [request.encode("utf-8", "surrogateescape") for request in (f"host:transport:{serial}", service)]
        if len(requests[1]) > _MAX_REQUEST_BYTES:
            message = f"device {serial}: '{self._action}' has {len(requests[1]):,} bytes; adb takes {_MAX_REQUEST_BYTES:,}"
            raise DeviceError(message, "name fewer tests")
        with self._errors():
            self._connection = client.make_connection(timeout=timeout_s)
            try:
                for data in requests:
                    self._connection.conn.sendall(f"{len(data):04x}".encode() + data)
                    self._connection.check_okay()
            except BaseException:
                self.close()
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (TimeoutError, AdbTimeout):
            raise DeviceError(
                f"device {self._serial}: no answer to '{self._action}' in time", "check whether it hangs; restart it if so"
            ) from None
        except (AdbError, OSError, EOFError, ValueError) as error:
            cause = str(error).strip().split("\n")[0] or "connection closed"
            message = f"device {self._serial} was lost during '{self._action}': {cause}"
            raise DeviceError(message, remedy_for(cause)) from None

    def set_timeout(self, timeout_s: float | None) -> None:
        self._connection.conn.settimeout(timeout_s)

    def send_all(self, data: bytes) -> None:
        with self._errors():
            self._connection.conn.sendall(data)

    def receive(self) -> bytes:
        """Return the next bytes; empty at the end."""
        with self._errors():
            data: bytes = self._connection.conn.recv(_PIECE_BYTES)
            return data

    def has_input(self) -> bool:
        """Return whether data, or the end, is ready to be received."""
        poll = select.poll()
        poll.register(self._connection.conn, select.POLLIN)
        return bool(poll.poll(0))

    def receive_exactly(self, count: int) -> bytes:
        """Return exactly `count` bytes. Raises `DeviceError` if the connection ends earlier."""
        pieces = bytearray()
        with self._errors():
            while len(pieces) < count:
                data = self._connection.conn.recv(count - len(pieces))
                if not data:
                    raise EOFError("connection closed")
                pieces += data
        return bytes(pieces)

    def packets(self, decoder: shell_v2.Decoder) -> list[tuple[int, bytes]]:
        """Return the shell packets that the next bytes complete. Raises `DeviceError` at the end, or for invalid data."""
        with self._errors():
            data = self._connection.conn.recv(_PIECE_BYTES)
            if not data:
                raise EOFError("connection closed")
            return decoder.feed(data)

    def interrupt(self) -> None:
        """End the service. A `receive` that blocks in another thread returns."""
        with contextlib.suppress(OSError, AdbError):
            self._connection.conn.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.interrupt()
        with contextlib.suppress(AdbError):  # closed already
            self._connection.conn.close()  # adbutils' own close waits for 10 ms, and a profile has 50 commands in a row


class Stream:
    """A running shell command (base.ShellStream)."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._closed = threading.Event()
        self.received_bytes = 0

    def lines(self) -> Iterator[bytes]:
        """Yield complete lines of standard output, and an unfinished last line at the end. Drops standard error.

        A line longer than `MAX_LINE_BYTES` comes in pieces of that size.
        """
        decoder = shell_v2.Decoder()
        rest = bytearray()
        while not self._closed.is_set():
            try:
                packets = self._transport.packets(decoder)
            except DeviceError:
                if self._closed.is_set():
                    return
                raise
            for packet_id, content in packets:
                self.received_bytes += len(content)
                if packet_id == shell_v2.Id.STDOUT:
                    yield from _take_lines(rest, content)
                elif packet_id == shell_v2.Id.EXIT:
                    if rest:
                        yield bytes(rest)
                    return

    def close(self) -> None:
        """End the command."""
        self._closed.set()
        self._transport.interrupt()


def _take_lines(rest: bytearray, content: bytes) -> Iterator[bytes]:
    """Yield the lines that `content` completes. `rest` keeps the unfinished line, which is searched only once."""
    first, *others = content.split(b"\n")
    rest += first
    yield from _take_pieces(rest)
    for part in others:
        yield bytes(rest)
        rest[:] = part
        yield from _take_pieces(rest)


def _take_pieces(rest: bytearray) -> Iterator[bytes]:
    """Yield pieces of a line until the rest has at most the maximum length."""
    while len(rest) > MAX_LINE_BYTES:
        yield bytes(rest[:MAX_LINE_BYTES])
        del rest[:MAX_LINE_BYTES]
