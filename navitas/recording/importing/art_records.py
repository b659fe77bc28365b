"""The binary part of a method trace: its header, and the records of versions 1 to 3 with the packets of a streamed file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from navitas.base.errors import RecordingError
from navitas.recording.parse.arrays import I64, U8

MAGIC = b"SLOW"
MAX_TEXT = 64 << 20
"""Bytes of the list of methods. A million methods take about as much."""
MAX_PACKETS = 1_000_000
"""Methods and threads of a streamed trace."""
MAX_THREADS = 10_000
HEADER_BYTES = 32
_MOST_AT_ONCE = 1 << 16
_MOST_RECORD_BYTES = 64
_HEADER = struct.Struct("<4sHHQ")
_PACKED_HEADER = struct.Struct("<4sHQQQ")
_MOST_HZ = 9_000_000_000
_STREAMED = 0xF0
_WRAP_US = 1 << 32
_OLD_US = 1 << 31
_NEW_METHOD, _NEW_THREAD, _SUMMARY = 1, 2, 3
_LENGTHS = {_NEW_METHOD: 2, _SUMMARY: 4}
_RECORD_BYTES = {1: 9, 2: 10, 3: 14}


@dataclass(frozen=True, slots=True)
class ArtHeader:
    """The header of the records: version, where they begin, when the trace began (ns), and the size of a record.

    From version 4 on, records have no fixed size (0). `counter_hz` is the frequency of the counter in which their times are; 0:
    they are in ns. `has_counter`: the header states a counter.
    """

    version: int
    records_at: int
    start_ns: int
    record_bytes: int
    counter_hz: int = 0
    has_counter: bool = False

    @property
    def is_packed(self) -> bool:
        """Whether all parts are packets, and the events differences from the previous ones."""
        return self.version > 3

    @property
    def has_two_clocks(self) -> bool:
        """Whether records have the thread's CPU time and the wall time."""
        return self.version in (3, 5)


@dataclass(frozen=True, slots=True)
class ThreadEvents:
    """Events of a thread in order: ids of methods, actions (0 entry, 1 exit, 2 unrolling), wall time since the start.

    `cpu_ns` is the thread's CPU time since its first event; None: not recorded.
    """

    number: int
    ids: np.ndarray
    action: U8
    t_ns: I64
    cpu_ns: I64 | None


@dataclass(slots=True)
class Packets:
    """The parts of a trace: text, lines of methods and threads, whole records. `cut_bytes` are left over at the end."""

    text: bytes
    methods: bytes
    threads: bytes
    records: bytes | memoryview
    cut_bytes: int


def art_header(data: bytes, shown: str) -> ArtHeader:
    """Read the header at the start of the data. Raises `RecordingError` if it is impossible, or not of version 1 to 5."""
    if len(data) < _HEADER.size or not data.startswith(MAGIC):
        raise RecordingError(f"{shown}: the header of the records is missing", "The file is cut off: copy it again.")
    _, version, at, start_us = _HEADER.unpack_from(data)
    base = version & ~_STREAMED if version & _STREAMED == _STREAMED else version
    if base in (4, 5):
        return _packed_header(data, base, shown)
    if base not in _RECORD_BYTES:
        kind = " (of long calls only)" if base == 6 else ""
        raise RecordingError(
            f"{shown}: a method trace of the unknown version {base}{kind}: Navitas reads versions 1 to 5",
            "Make one with: adb shell am profile start PROCESS FILE, and am profile stop PROCESS",
        )
    size = _RECORD_BYTES[base]
    if base == 3 and len(data) >= _HEADER.size + 2:
        size = max(size, int.from_bytes(data[_HEADER.size : _HEADER.size + 2], "little"))
    if not _HEADER.size <= at <= len(data) or size > _MOST_RECORD_BYTES:
        raise RecordingError(
            f"{shown}: an impossible header: records of {size:,} bytes from byte {at:,} of {len(data):,} on",
            "The file is damaged or cut off: copy it again.",
        )
    return ArtHeader(base, at, start_us * 1000, size)


def _packed_header(data: bytes, version: int, shown: str) -> ArtHeader:
    """The header of version 4 or 5. Its start is monotonic time in ns; a counter's reading then and its frequency can follow."""
    if len(data) < HEADER_BYTES:
        raise RecordingError(f"{shown}: the header ends at byte {len(data)} of {HEADER_BYTES}", "Copy the file again.")
    _, _, start_ns, start_ticks, hz = _PACKED_HEADER.unpack_from(data)
    if hz > _MOST_HZ or start_ns >= 1 << 61:
        raise RecordingError(
            f"{shown}: an impossible header: start {start_ns:,} ns at byte 6, counter of {hz:,} Hz at byte 22",
            "The file is damaged: copy it again.",
        )
    return ArtHeader(version, HEADER_BYTES, start_ns, 0, hz, bool(hz or start_ticks))


def check_threads(count: int, shown: str) -> None:
    """Raise `RecordingError` if a trace has events of too many threads."""
    if count > MAX_THREADS:
        raise RecordingError(f"{shown}: events of more than {MAX_THREADS:,} threads", "Trace a shorter time.")


def events_of_records(packets: Packets, header: ArtHeader, shown: str) -> Iterator[ThreadEvents]:
    """Yield the events of each thread. Raises `RecordingError` if there are too many threads."""
    records = np.frombuffer(packets.records, record_type(header))
    records = records[np.argsort(records["thread"], kind="stable")]
    numbers, first = np.unique(records["thread"], return_index=True)
    check_threads(len(numbers), shown)
    for number, (start, end) in zip(numbers.tolist(), pairwise([*first.tolist(), len(records)]), strict=True):
        own = records[start:end]
        cpu_ns = _unwrapped(own["cpu"]) if header.has_two_clocks else None
        method = own["method"]
        yield ThreadEvents(number, method & ~np.uint32(3), (method & 3).astype(np.uint8), _unwrapped(own["wall"]), cpu_ns)


def _unwrapped(us: np.ndarray) -> I64:
    """Times in ns that never fall. The file has the lower 32 bits of µs: 71 minutes."""
    times = us.astype(np.int64)
    turns = np.cumsum(np.diff(times, prepend=times[:1]) < -_OLD_US)
    return np.asarray(np.maximum.accumulate(times + turns * _WRAP_US) * 1000, np.int64)


def record_type(header: ArtHeader) -> np.dtype[np.void]:
    """Return the layout of a record."""
    names = ["thread", "method", *(("cpu", "wall") if header.has_two_clocks else ("wall",))]
    first = "u1" if header.version == 1 else "<u2"
    at = [0, *range(int(first[-1]), 15, 4)][: len(names)]
    formats = [first, *["<u4"] * (len(names) - 1)]
    return np.dtype({"names": names, "formats": formats, "offsets": at, "itemsize": header.record_bytes})


def split_packets(data: bytes, header: ArtHeader, shown: str) -> Packets:
    """Split a streamed trace. A packet of the thread 0 is a method, a thread or the text; all others are records.

    Raises `RecordingError` if there are too many methods or threads.
    """
    methods, threads, records = bytearray(), bytearray(), bytearray()
    text = b""
    wide = 1 if header.version == 1 else 2
    at = header.records_at
    left = MAX_PACKETS
    while at + wide <= len(data):
        if any(data[at : at + wide]):
            end = _end_of_records(data, at, header, wide)
            if end == at:
                break
            records += memoryview(data)[at:end]
            at = end
            continue
        code = data[at + wide] if at + wide < len(data) else 0
        start = at + wide + 1
        if code == _NEW_THREAD:
            number = int.from_bytes(data[start : start + 2], "little")
            start += 2
        width = _LENGTHS.get(code, 2)
        end = start + width + int.from_bytes(data[start : start + width], "little")
        if code not in (_NEW_METHOD, _NEW_THREAD, _SUMMARY) or end > len(data):
            break
        body = data[start + width : end]
        if code == _NEW_METHOD:
            methods += body.rstrip(b"\n") + b"\n"
        elif code == _NEW_THREAD:
            threads += b"%d\t%s\n" % (number, body.replace(b"\n", b" "))
        else:
            text = body
        at = end
        left -= 1
        if not left or len(methods) + len(threads) > MAX_TEXT:
            limit = f"{MAX_TEXT >> 20} MiB" if left else f"{MAX_PACKETS:,} entries"
            raise RecordingError(f"{shown}: more than {limit} of methods and threads", "Trace a shorter time.")
    return Packets(text, bytes(methods), bytes(threads), bytes(records), len(data) - at)


def _end_of_records(data: bytes, at: int, header: ArtHeader, wide: int) -> int:
    """Where whole records that begin here end."""
    count = 1
    while (room := (len(data) - at) // header.record_bytes) > 0:
        count = min(count, room)
        numbers = np.ndarray((count,), f"<u{wide}", data, at, (header.record_bytes,))
        others = np.flatnonzero(numbers == 0)
        at += (int(others[0]) if len(others) else count) * header.record_bytes
        if len(others):
            break
        count = min(2 * count, _MOST_AT_ONCE)
    return at
