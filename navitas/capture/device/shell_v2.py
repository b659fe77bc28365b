"""Packets of adb's shell protocol version 2 (AOSP packages/modules/adb, shell_protocol.h)."""

from __future__ import annotations

import struct
from enum import IntEnum

_HEADER = struct.Struct("<BI")
# adbd's buffers have 1 MiB at most (AOSP: MAX_PAYLOAD).
_MAX_PACKET_BYTES = 16 << 20


class Id(IntEnum):
    """The kind of a packet. Receivers skip unknown ids."""

    STDIN = 0
    STDOUT = 1
    STDERR = 2
    EXIT = 3
    CLOSE_STDIN = 4


def encode(packet_id: Id, data: bytes = b"") -> bytes:
    """Return the bytes of one packet."""
    return _HEADER.pack(packet_id, len(data)) + data


class Decoder:
    """Splits a byte stream, fed in pieces of any size, into (id, data) packets."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the packets that `data` completes, and keep the rest. Raises `ValueError` for an invalid packet."""
        self._buffer += data
        packets = []
        start = 0
        while len(self._buffer) - start >= _HEADER.size:
            packet_id, length = _HEADER.unpack_from(self._buffer, start)
            if length > _MAX_PACKET_BYTES:
                raise ValueError(f"a shell packet of {length:,} bytes")
            end = start + _HEADER.size + length
            if len(self._buffer) < end:
                break
            packets.append((packet_id, bytes(self._buffer[start + _HEADER.size : end])))
            start = end
        del self._buffer[:start]
        return packets
