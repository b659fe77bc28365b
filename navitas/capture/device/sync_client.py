"""The host's side of adb's sync service: transfer one file to or from a device."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from navitas.base.errors import DeviceError
from navitas.capture.device.adb_transport import Transport

_HEADER = struct.Struct("<4sI")
_MAX_DATA = 64 * 1024
_REGULAR_FILE = 0o100000


class SyncError(Exception):
    """The device refused the request; the message is the device's."""


def send(transport: Transport, source: BinaryIO, remote: str, mode: int) -> None:
    """Store a file on the device. Raises `SyncError`."""
    try:
        _request(transport, b"SEND", f"{remote},{_REGULAR_FILE | mode}".encode())
        while not transport.has_input() and (data := source.read(_MAX_DATA)):
            transport.send_all(_HEADER.pack(b"DATA", len(data)) + data)
        transport.send_all(_HEADER.pack(b"DONE", int(time.time())))
    except DeviceError:
        # Older daemons report why they refuse, and disconnect before they have read everything.
        with suppress(DeviceError):
            _check_stored(transport)
        raise
    _check_stored(transport)
    _quit(transport)


def _check_stored(transport: Transport) -> None:
    kind, length = _HEADER.unpack(transport.receive_exactly(_HEADER.size))
    if kind == b"FAIL":
        raise SyncError(transport.receive_exactly(min(length, _MAX_DATA)).decode("utf-8", "replace"))
    if kind != b"OKAY":
        raise SyncError(f"unexpected answer {kind!r}")


def receive(transport: Transport, remote: str) -> Iterator[bytes]:
    """Yield a file of the device in pieces. Raises `SyncError`."""
    _request(transport, b"RECV", remote.encode())
    while True:
        kind, length = _HEADER.unpack(transport.receive_exactly(_HEADER.size))
        if kind == b"DONE":
            break
        data = transport.receive_exactly(length) if length <= _MAX_DATA else b""
        if kind == b"FAIL":
            raise SyncError(data.decode("utf-8", "replace"))
        if kind != b"DATA" or len(data) != length:
            raise SyncError(f"unexpected answer {kind!r} of {length} bytes")
        yield data
    _quit(transport)


def _quit(transport: Transport) -> None:
    """End the session. Ignores a daemon that has already disconnected: it has done its work."""
    with suppress(DeviceError):
        transport.send_all(_HEADER.pack(b"QUIT", 0))


def _request(transport: Transport, kind: bytes, argument: bytes) -> None:
    transport.send_all(_HEADER.pack(kind, len(argument)) + argument)
