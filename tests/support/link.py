"""A link to a phone that can be slow, hang, or be cut: a proxy between an adb server and the phone's socket."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from navitas.capture.device import local_socket
from navitas.capture.device.adb import AdbDevice
from navitas.capture.device.adb_server import connect

_PIECE_BYTES = 16384


class Link:
    """Settings may change at any moment. `cut_after` counts bytes of one direction, `"up"` (to the phone) or `"down"`."""

    def __init__(self, target: Path) -> None:
        self.delay_s = 0.0
        self.bytes_per_s = float("inf")
        self.hangs = threading.Event()
        self._target = target
        self._open: list[socket.socket] = []
        self._listen(0)
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"

    def cut_after(self, direction: str, count: int) -> None:
        """Disconnect after `count` more bytes."""
        self._left[direction] = count

    def cut(self) -> None:
        """Disconnect until `restore`."""
        for one in (self._server, *self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def restore(self) -> None:
        """Accept connections again at the same address."""
        self._open = []
        self._listen(int(self.address.rpartition(":")[2]))

    def _listen(self, port: int) -> None:
        self._left = {"up": float("inf"), "down": float("inf")}
        self._server = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

    def _accept(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                host, _ = server.accept()
                phone = local_socket.connect(self._target)
                self._open += [host, phone]
                for source, sink, direction in ((host, phone, "up"), (phone, host, "down")):
                    threading.Thread(target=self._pump, args=(source, sink, direction), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, direction: str) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_PIECE_BYTES):
                while self.hangs.is_set():
                    time.sleep(0.01)
                if self.delay_s or self.bytes_per_s != float("inf"):
                    time.sleep(self.delay_s + len(data) / self.bytes_per_s)
                sink.sendall(data[: int(min(len(data), self._left[direction]))])
                self._left[direction] -= len(data)
                if self._left[direction] < 0:
                    self.cut()
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def linked(phone: AdbDevice) -> Iterator[tuple[AdbDevice, Link]]:
    """Return the same phone behind a separate link."""
    link = Link(Path(phone.serial.removeprefix(local_socket.LOCAL)))
    client = phone.client
    connect(client, link.address)
    try:
        yield AdbDevice(client, link.address), link
    finally:
        link.hangs.clear()
        link.cut()
        client.disconnect(link.address)
