"""Read the packets of a Perfetto file, a sequence of length-delimited messages, and convert their times to boottime."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from navitas.android.perfetto.messages import message_class
from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import TIME_LIMIT_NS
from navitas.recording.parse.trace.perfetto_sample_wire import PlainSamples, plain_samples
from navitas.recording.parse.trace.perfetto_wire import BUNDLE_FIELDS, COMPACT_FIELDS, ReadPacket, scan_bundle, scan_packet
from navitas.recording.parse.trace.trace_tables import UNKNOWN
from navitas.recording.raw import readable

REALTIME: Final = 1
MONOTONIC: Final = 3
BOOTTIME: Final = 6
_MAX_SEQUENCES = 4096
# Clock ids from here on belong to one sequence and have its unit. No packet that is read here uses one for its time.
_FIRST_OF_SEQUENCE = 64


class PacketClocks:
    """Reads clock snapshots and packets in file order (Perfetto: TracePacket.timestamp_clock_id, TracePacketDefaults)."""

    def __init__(self) -> None:
        self._behind_ns: dict[int, int] = {BOOTTIME: 0}
        self._default_of: dict[int, int] = {}

    def snapshot(self, clocks: Any) -> dict[int, int]:
        """Return the readings of a snapshot by clock. Later packets are converted by it."""
        read = {clock.clock_id: clock.timestamp for clock in clocks if 0 < clock.timestamp < TIME_LIMIT_NS}
        if BOOTTIME in read:
            known = {number: t_ns for number, t_ns in read.items() if number < _FIRST_OF_SEQUENCE}
            self._behind_ns |= {number: read[BOOTTIME] - t_ns for number, t_ns in known.items()}
        return read

    def defaults(self, packet: Any) -> None:
        """Keep a packet's defaults, which apply to later packets of its sequence."""
        sequence = packet.trusted_packet_sequence_id
        has_room = sequence in self._default_of or len(self._default_of) < _MAX_SEQUENCES
        if packet.HasField("trace_packet_defaults") and has_room:
            self._default_of[sequence] = packet.trace_packet_defaults.timestamp_clock_id

    def time(self, packet: Any) -> int:
        """Return the packet's boottime, or `UNKNOWN` without a timestamp or if no earlier snapshot has its clock."""
        return self.boottime(packet.timestamp, packet.timestamp_clock_id, packet.trusted_packet_sequence_id)

    def boottime(self, timestamp: int, clock: int, sequence: int) -> int:
        """Return a boottime as `time` does. A clock of 0 is the sequence's default."""
        behind_ns = self._behind_ns.get(clock or self._default_of.get(sequence) or BOOTTIME)
        if behind_ns is None or not 0 < timestamp < TIME_LIMIT_NS:
            return UNKNOWN
        t_ns = timestamp + behind_ns
        return t_ns if 0 < t_ns < TIME_LIMIT_NS else UNKNOWN

    def boottimes(self, timestamp: I64, clock: int, sequence: int) -> I64:
        """Return many boottimes of a clock as `boottime` does."""
        behind_ns = self._behind_ns.get(clock or self._default_of.get(sequence) or BOOTTIME)
        if behind_ns is None:
            return np.full(len(timestamp), UNKNOWN)
        t_ns = timestamp + behind_ns
        is_known = (timestamp > 0) & (timestamp < TIME_LIMIT_NS) & (t_ns > 0) & (t_ns < TIME_LIMIT_NS)
        return np.where(is_known, t_ns, UNKNOWN)


_PACKET_TAG = 0x0A  # field 1 of Trace, length-delimited
_VARINT_BYTES = 10
_PACKET_BYTES = 64 << 20
_BLOCK_BYTES = 1 << 20
# Limit of the expansion of a file's compressed packets in total. Real traces expand less; malicious ones may expand a
# thousandfold.
_EXPANDED_LEAST = 4 << 20
_EXPANSION = 30


class PacketBlock(NamedTuple):
    """Complete packets, and where the content of each begins and ends. The bytes are valid until the next block is read."""

    data: memoryview
    begins: list[int]
    ends: list[int]

    def packets(self, low: int = 0, high: int | None = None) -> Iterator[bytes]:
        """Yield the content of the packets from `low` to `high`."""
        for begin, end in zip(self.begins[low:high], self.ends[low:high], strict=True):
            yield bytes(self.data[begin:end])


@dataclass(frozen=True, slots=True)
class Damaged:
    """A packet that cannot be used: its first bytes, and the reason."""

    number: int
    text: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of the readable part: from this packet on, the file has no complete packet."""

    number: int


class SampledPackets(NamedTuple):
    """Neighboring packets with stack samples, and their numbers."""

    numbers: Sequence[int]
    samples: PlainSamples


Found = ReadPacket | Damaged | Cut | SampledPackets


def read_packets(source: Path | bytes) -> Iterator[Found]:
    """Yield the packets in order, with compressed packets expanded.

    Raises `RecordingError` if the file cannot be read or does not begin with a packet.
    """
    if isinstance(source, bytes):
        yield from _Packets(_blocks(BytesIO(source)), "the trace").read()
    else:
        yield from _Packets(packet_blocks(source), str(source)).read()


def raw_packets(path: Path) -> Iterator[bytes | None]:
    """Yield the packets of a file as they are. Yields None and stops if it ends within a packet or contains anything else.

    Raises `RecordingError` if the file cannot be read.
    """
    for block in packet_blocks(path):
        if block is None:
            yield None
        else:
            yield from block.packets()


def packet_blocks(path: Path) -> Iterator[PacketBlock | None]:
    """Yield the packets of a file as `raw_packets` does, many at a time.

    Raises `RecordingError` if the file cannot be read.
    """
    with readable(path), open_regular(path) as stream:
        yield from _blocks(stream)


def by_protobuf(data: bytes, number: int) -> ReadPacket | Damaged:
    """Decode a packet by protobuf."""
    try:
        message = message_class("TracePacket").FromString(data)
    except DecodeError:
        return damaged(data, number, "packet cannot be decoded")
    bundle = None
    if message.HasField("ftrace_events"):
        bundle = scan_bundle(_plain(message.ftrace_events).SerializeToString())
    dropped = bool(message.previous_packet_dropped)
    return ReadPacket(number, data, message, bundle, message.trusted_packet_sequence_id, dropped, message.machine_id)


def field_numbers(packet: ReadPacket) -> set[int]:
    """Return the numbers of the fields of a packet that has more than a bundle, also of those that the schema lacks."""
    if packet.message is None:
        return set()
    fields = {field.number for field, _ in packet.message.ListFields()}
    return fields | {field.field_number for field in UnknownFieldSet(packet.message)}


def damaged(data: bytes, number: int, reason: str) -> Damaged:
    """Return the record of a packet that cannot be used."""
    return Damaged(number, data[:32].hex().encode(), reason)


class _Packets:
    def __init__(self, blocks: Iterator[PacketBlock | None], name: str) -> None:
        self._blocks, self._name = blocks, name
        self._may_expand = _EXPANDED_LEAST
        self._number = 0

    def read(self) -> Iterator[Found]:
        for block in self._blocks:
            if block is None:
                if not self._number:
                    raise RecordingError(
                        f"{self._name}: not a Perfetto trace", "Check that it is the unchanged output of perfetto."
                    )
                yield Cut(self._number + 1)
                return
            for part in _parts(block):
                first = self._number + 1
                if isinstance(part, PlainSamples):
                    self._number += part.high - part.low
                    yield SampledPackets(range(first, self._number + 1), part)
                else:
                    self._number = first
                    yield from self._decoded(part, nested=False)

    def _decoded(self, data: bytes, nested: bool) -> Iterator[Found]:
        if not data:
            return
        if plain := scan_packet(data, self._number):
            yield plain
            return
        packet = by_protobuf(data, self._number)
        if isinstance(packet, Damaged) or packet.machine:
            yield packet
        elif packet.message.HasField("zstd_compressed_packets"):
            yield self._damaged(data, "packet is compressed by zstd: traceconv decompress_packets unpacks the trace")
        elif packet.message.HasField("compressed_packets"):
            yield from self._expanded(packet.message.compressed_packets, nested)
        else:
            yield packet

    def _expanded(self, data: bytes, nested: bool) -> Iterator[Found]:
        self._may_expand += _EXPANSION * len(data)
        limit = min(self._may_expand, _PACKET_BYTES)
        try:
            if nested or len(content := zlib.decompressobj().decompress(data, limit + 1)) > limit:
                yield self._damaged(data, "compressed packet expands too far")
                return
        except zlib.error:
            yield self._damaged(data, "compressed packet cannot be decompressed")
            return
        self._may_expand -= len(content)
        for block in _blocks(BytesIO(content)):
            if block is None:
                yield self._damaged(data, "compressed packet is cut")
                return
            for part in _parts(block):
                if isinstance(part, PlainSamples):
                    yield SampledPackets([self._number] * (part.high - part.low), part)
                else:
                    yield from self._decoded(part, nested=True)

    def _damaged(self, data: bytes, reason: str) -> Damaged:
        return damaged(data, self._number, reason)


def _plain(bundle: Any) -> Any:
    """Remove everything from a bundle that `scan_bundle` does not read."""
    bundle.DiscardUnknownFields()
    for message, used in ((bundle, BUNDLE_FIELDS), (bundle.compact_sched, COMPACT_FIELDS)):
        for field, _ in message.ListFields():
            if field.number not in used:
                message.ClearField(field.name)
    return bundle


def _parts(block: PacketBlock) -> Iterator[bytes | PlainSamples]:
    """Yield the packets of a block in order, stack samples many at once."""
    at = 0
    for samples in plain_samples(*block):
        yield from block.packets(at, samples.low)
        yield samples
        at = samples.high
    yield from block.packets(at)


def _blocks(stream: BufferedIOBase) -> Iterator[PacketBlock | None]:
    """Read the packets of a message `Trace`. Yields None and stops if it ends within a packet or contains anything else."""
    buffer, rest = bytearray(_BLOCK_BYTES), 0
    while read := stream.readinto(memoryview(buffer)[rest:]):
        size, at, end = rest + read, 0, 0
        begins: list[int] = []
        ends: list[int] = []
        while at < size:
            begin, end = _bounds(buffer, at, size)
            if not at < end <= size:
                break
            begins.append(begin)
            ends.append(end)
            at = end
        if ends:
            yield PacketBlock(memoryview(buffer)[:at], begins, ends)
        rest = size - at
        if not end:
            break
        larger = bytearray(end - at) if end - at > len(buffer) else buffer
        larger[:rest] = buffer[at:size]
        buffer = larger
    if rest:
        yield None


def _bounds(data: bytearray, at: int, size: int) -> tuple[int, int]:
    """Return where the content of a packet begins and ends: beyond `size` if there is more of it, 0 if it is no packet."""
    length = 0
    for place in range(_VARINT_BYTES if data[at] == _PACKET_TAG else 0):
        begin = at + place + 2
        if begin > size:
            return begin, begin
        length |= (data[begin - 1] & 0x7F) << 7 * place
        if data[begin - 1] < 0x80:
            return begin, begin + length if length <= _PACKET_BYTES else 0
    return 0, 0
