"""Parse packets of kernel events by protobuf's wire format, without an object for each event.

For anything that Perfetto does not write, functions return None, and protobuf decodes the packet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from navitas.recording.parse.arrays import I64, U8, U16, U64, Bool

PAD: Final = 64
"""Number of bytes that a buffer needs after the last position that is read."""
LONGER: Final = 9
"""The reported size of a varint of more than eight bytes. Its value is not decoded."""
MAX_BYTES: Final = 10
VARINT: Final = 0
CONTENT: Final = 2
_HIGH, _ONES = np.uint64(0x8080808080808080), np.uint64(0x0101010101010101)
_ODD_7, _ODD_14, _ODD_28 = (np.uint64(mask) for mask in (0x7F007F007F007F00, 0x3FFF00003FFF0000, 0x0FFFFFFF00000000))
_1, _2, _4, _7, _56 = (np.uint64(bits) for bits in (1, 2, 4, 7, 56))


class Buffer:
    """Bytes followed by `PAD` more bytes. Positions are indexes."""

    def __init__(self, data: bytes) -> None:
        self.bytes: U8 = np.frombuffer(data, np.uint8)
        self.pairs: U16 = np.ndarray((len(data) - 1,), np.dtype("<u2"), buffer=data, strides=(1,))
        self._words: U64 = np.ndarray((len(data) - 7,), np.dtype("<u8"), buffer=data, strides=(1,))

    def varints(self, at: I64) -> tuple[I64, I64]:
        """Return the number at each position and its size in bytes, or `LONGER`."""
        words = self._words[at]
        ends = ~words & _HIGH
        # All bits up to the first byte without a continuation bit; without such a byte all bits.
        mask = ends ^ (ends - _1)
        size = ((mask & _ONES) * _ONES) >> _56
        value = words & mask & ~_HIGH
        value = (value & ~_ODD_7) | ((value & _ODD_7) >> _1)
        value = (value & ~_ODD_14) | ((value & _ODD_14) >> _2)
        value = (value & ~_ODD_28) | ((value & _ODD_28) >> _4)
        return value.view(np.int64), size.view(np.int64) + (ends == 0)


def packed(parts: Sequence[bytes]) -> tuple[U64, I64, Bool]:
    """Return the numbers of all arrays in sequence, the end of each array among them, and which arrays are damaged.

    Each array is empty or ends with a complete number. An array is damaged if a number has too many bytes.
    """
    buffer = Buffer(b"".join((*parts, bytes(PAD))))
    part_ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    ends = np.flatnonzero(buffer.bytes[:-PAD] < 0x80)
    starts = np.zeros(len(ends), np.int64)
    starts[1:] = ends[:-1] + 1
    value = (buffer.bytes[starts] & 0x7F).astype(np.uint64)
    several = np.flatnonzero(ends > starts)
    value[several] = buffer.varints(starts[several])[0].view(np.uint64)
    damaged = np.zeros(len(parts), bool)
    for row in several[ends[several] - starts[several] >= LONGER - 1].tolist():
        number = buffer.bytes[starts[row] : ends[row] + 1].tolist()
        value[row] = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(number[:MAX_BYTES])) & (1 << 64) - 1
        if len(number) > MAX_BYTES or (len(number) == MAX_BYTES and number[-1] > 1):
            damaged[np.searchsorted(part_ends, ends[row], side="right")] = True
    return value, np.searchsorted(ends, part_ends), damaged


_U32, _U64 = (1 << 32) - 1, (1 << 64) - 1
# Fields of TracePacket, FtraceEventBundle and CompactSched.
_FTRACE_EVENTS, _SEQUENCE, _DROPPED, _MACHINE = 1, 10, 42, 98
_CPU, _EVENT, _LOST, _COMPACT, _CLOCK, _FTRACE_NS, _BOOT_NS = 1, 2, 3, 4, 5, 6, 7
_NAMES = 5
ARRAYS = TIMES, STATES, TIDS, COMMS = 1, 2, 3, 6
BUNDLE_FIELDS = {_CPU, _EVENT, _LOST, _COMPACT, _CLOCK, _FTRACE_NS, _BOOT_NS}
COMPACT_FIELDS = {*ARRAYS, _NAMES}
_EVENT_TAG = _EVENT << 3 | CONTENT


@dataclass(slots=True)
class Scan:
    """A bundle of one core's events. At `data[sizes[i]]` are event i's size and then the event; `arrays` are by field number."""

    data: bytes
    sizes: list[int] = field(default_factory=list)
    arrays: dict[int, bytes] = field(default_factory=dict)
    names: list[bytes] = field(default_factory=list)
    cpu: int = 0
    lost: bool = False
    clock: int = 0
    ftrace_ns: int = 0
    boot_ns: int = 0


@dataclass(frozen=True, slots=True)
class ReadPacket:
    """One packet. `message` is None if the packet has nothing but a `bundle`; a packet may have both.

    `sequence` is its writer's number, `dropped` whether packets before it are missing. `machine` is its machine in a trace of
    several: 0 is the host, others are guests or remote devices.
    """

    number: int
    data: bytes
    message: Any = None
    bundle: Scan | None = None
    sequence: int = 0
    dropped: bool = False
    machine: int = 0


class _OddError(Exception):
    """Data that Perfetto does not write there."""


def scan_packet(data: bytes, number: int) -> ReadPacket | None:
    """Return a packet that has only a bundle, or None for any other packet."""
    numbers: dict[int, int] = {}
    at, content = 0, None
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            value, at = _varint(data, at)
            if tag & 7 == VARINT and tag != VARINT:
                numbers[tag >> 3] = value
            elif tag == _FTRACE_EVENTS << 3 | CONTENT and content is None:
                content = (at, at + value)
                at += value
            else:
                return None
        if content is None or at != len(data):
            return None
        bundle = _bundle(data, *content)
    except (_OddError, IndexError):
        return None
    sequence, dropped, machine = (numbers.get(field, 0) & _U32 for field in (_SEQUENCE, _DROPPED, _MACHINE))
    return ReadPacket(number, data, None, bundle, sequence, bool(dropped), machine)


def scan_bundle(data: bytes) -> Scan | None:
    """Return a bundle that is not in a packet, or None."""
    try:
        return _bundle(data, 0, len(data))
    except (_OddError, IndexError):
        return None


def _bundle(data: bytes, at: int, end: int) -> Scan:
    scan, numbers, compact = Scan(data), dict[int, int](), None
    add = scan.sizes.append
    while at < end:
        if data[at] == _EVENT_TAG:
            at += 1
            add(at)
            size = data[at]
            if size > 0x7F:
                size, behind = _varint(data, at)
                if behind - at >= LONGER:
                    raise _OddError
                at = behind + size
            else:
                at += size + 1
            continue
        tag, at = _varint(data, at)
        value, at = _varint(data, at)
        if tag & 7 == VARINT and tag != VARINT:
            numbers[tag >> 3] = value
        elif tag == _COMPACT << 3 | CONTENT and compact is None:
            compact = (at, at + value)
            at += value
        else:
            raise _OddError
    if at != end:
        raise _OddError
    if compact is not None:
        _compact(scan, *compact)
    scan.cpu, scan.lost = numbers.get(_CPU, 0) & _U32, bool(numbers.get(_LOST, 0))
    scan.clock = numbers.get(_CLOCK, 0)
    scan.ftrace_ns, scan.boot_ns = numbers.get(_FTRACE_NS, 0), numbers.get(_BOOT_NS, 0)
    return scan


def _compact(scan: Scan, at: int, end: int) -> None:
    data = scan.data
    while at < end:
        tag, at = _varint(data, at)
        size, at = _varint(data, at)
        content, number = data[at : at + size], tag >> 3
        at += size
        if tag & 7 != CONTENT or number in scan.arrays:
            raise _OddError
        if number == _NAMES:
            scan.names.append(content)
        elif number in ARRAYS:
            if content and content[-1] > 0x7F:
                raise _OddError
            scan.arrays[number] = content
    if at != end:
        raise _OddError


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and the position after it."""
    value = data[at]
    if value < 0x80:
        return value, at + 1
    value &= 0x7F
    for place in range(1, MAX_BYTES):
        byte = data[at + place]
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value & _U64, at + place + 1
    raise _OddError
