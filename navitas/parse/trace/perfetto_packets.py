"""The packets of a Perfetto file, one after another: a sequence of length-delimited messages, some of them compressed ones."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError

from navitas.errors import RecordingError
from navitas.parse.trace.gather import Gathered
from navitas.perfetto.messages import message_class
from navitas.regular_files import open_regular

_PACKET_TAG = b"\x0a"  # field 1, length-delimited
_VARINT_BYTES = 10
_PACKET_BYTES = 64 << 20
# How far compressed packets of a file may expand, all together: further than traces do, less than made-up ones could (a
# thousandfold).
_EXPANDED_LEAST = 4 << 20
_EXPANSION = 30


def read_packets(source: Path | bytes, into: Gathered) -> Iterator[Any]:
    """Decoded packets; None where one is missing that could not be decoded. What was skipped, and a cut, is noted in `into`.

    RecordingError when the file cannot be read, or begins with no packet.
    """
    if isinstance(source, bytes):
        yield from _Packets(io.BytesIO(source), into, "the trace").read()
        return
    try:
        with open_regular(source) as stream:
            yield from _Packets(stream, into, str(source)).read()
    except OSError as error:
        raise RecordingError(f"{source}: cannot be read: {error.strerror}", "Check the recording's files.") from error


class _Packets:
    def __init__(self, stream: BinaryIO, into: Gathered, name: str) -> None:
        self._stream, self._into, self._name = stream, into, name
        self._class = message_class("TracePacket")
        self._may_expand = _EXPANDED_LEAST

    def read(self) -> Iterator[Any]:
        for data in _delimited(self._stream):
            self._into.packet += 1
            if data is None:
                if self._into.packet == 1:
                    raise RecordingError(
                        f"{self._name}: is no Perfetto trace", "Check that it is what perfetto wrote, unchanged."
                    )
                self._into.cut = True
                self._into.warn(f"the trace is cut or damaged after {self._into.packet - 1} packets")
                return
            yield from self._decoded(data, nested=False)

    def _decoded(self, data: bytes, nested: bool) -> Iterator[Any]:
        if not data:
            return
        try:
            packet = self._class.FromString(data)
        except DecodeError:
            self._skip(data, "packet cannot be decoded")
            yield None
            return
        if packet.HasField("zstd_compressed_packets"):
            self._skip(data, "packet is compressed by zstd, which is not read")
            yield None
        elif packet.HasField("compressed_packets"):
            yield from self._expanded(packet.compressed_packets, nested)
        else:
            yield packet

    def _expanded(self, data: bytes, nested: bool) -> Iterator[Any]:
        self._may_expand += _EXPANSION * len(data)
        limit = min(self._may_expand, _PACKET_BYTES)
        try:
            if nested or len(content := zlib.decompressobj().decompress(data, limit + 1)) > limit:
                self._skip(data, "compressed packet expands too far")
                yield None
                return
        except zlib.error:
            self._skip(data, "compressed packet cannot be decompressed")
            yield None
            return
        self._may_expand -= len(content)
        for inner in _delimited(io.BytesIO(content)):
            if inner is None:
                self._skip(data, "compressed packet is cut")
                yield None
            else:
                yield from self._decoded(inner, nested=True)

    def _skip(self, data: bytes, reason: str) -> None:
        self._into.skip_packet(data[:32].hex().encode(), reason)


def _delimited(stream: BinaryIO) -> Iterator[bytes | None]:
    """The packets of a message `Trace`; None at last, when it ends within one or has something else in it."""
    while tag := stream.read(1):
        size = _varint(stream) if tag == _PACKET_TAG else None
        data = stream.read(size) if size is not None and size <= _PACKET_BYTES else None
        if data is None or len(data) != size:
            yield None
            return
        yield data


def _varint(stream: BinaryIO) -> int | None:
    """A number; None when the stream ends within it, or it is none."""
    value = 0
    for place in range(_VARINT_BYTES):
        byte = stream.read(1)
        if not byte:
            return None
        value |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            return value
    return None
