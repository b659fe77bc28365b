"""Writes chunks of event files (docs/dev/formats.md), for recordings whose events come from elsewhere."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from navitas.parse.chunks import CALLS, COUNTERS, MARKERS, TRIPLES
from navitas.parse.tables import ENTER, EXIT

_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_CRC = struct.Struct("<I")
_COUNTER = struct.Struct("<qqHI")
_TRIPLE = struct.Struct("<qqq")
_MARKER = struct.Struct("<qBBHH")
_RUN_START, _RUN_END = 0, 3
_DELTA_NS = 1 << 40
_EVENTS = 8192
_READINGS = 64

CallRow = tuple[int, bool, int]
"""Time (ns), whether it is an entry, and method id."""


def call_chunks(rows: Sequence[CallRow], *, map_id: int, serial: int, tid: int, name: str) -> Iterator[bytes]:
    """Yield chunks with the calls of one thread, which must be in order of time."""
    start, seq = 0, 0
    while start < len(rows):
        base_ns = rows[start][0]
        part = [row for row in rows[start : start + _EVENTS] if row[0] - base_ns < _DELTA_NS]
        words = [(ENTER if is_entry else EXIT) << 62 | method << 40 | t_ns - base_ns for t_ns, is_entry, method in part]
        payload = struct.pack(f"<{len(words)}Q", *words)
        yield _chunk(CALLS, payload, len(words), map_id=map_id, serial=serial, tid=tid, seq=seq, base_ns=base_ns, name=name)
        start, seq = start + len(part), seq + 1


def counter_chunks(readings: Iterable[tuple[int, int, bytes]]) -> Iterator[bytes]:
    """Yield chunks with readings of counters: time, source, text."""
    rows = iter(readings)
    seq = 0
    while part := list(islice(rows, _READINGS)):
        payload = b"".join(_COUNTER.pack(t_ns, t_ns, source, len(text)) + text for t_ns, source, text in part)
        yield _chunk(COUNTERS, payload, len(part), seq=seq)
        seq += 1


def run_chunks(start_ns: int, end_ns: int, realtime_ns: int | None) -> Iterator[bytes]:
    """Yield the markers of a run's start and end, and its clocks if the wall clock at the start is known."""
    markers = [_MARKER.pack(start_ns, _RUN_START, 0, 0, 0), _MARKER.pack(end_ns, _RUN_END, 0, 0, 0)]
    yield _chunk(MARKERS, b"".join(markers), len(markers))
    if realtime_ns is not None:
        triples = [_TRIPLE.pack(t_ns, -1, realtime_ns + t_ns - start_ns) for t_ns in (start_ns, end_ns)]
        yield _chunk(TRIPLES, b"".join(triples), len(triples))


def _chunk(
    kind: int,
    payload: bytes,
    count: int,
    *,
    map_id: int = 0,
    serial: int = 0,
    tid: int = 0,
    seq: int = 0,
    base_ns: int = 0,
    name: str = "",
) -> bytes:
    label = name.encode()
    fixed = _FIXED.pack(b"NVCH", 1, kind, map_id, serial, tid, seq, 0, base_ns, count, len(payload), len(label))
    crc = zlib.crc32(payload, zlib.crc32(bytes(_CRC.size), zlib.crc32(label, zlib.crc32(fixed))))
    return fixed + label + _CRC.pack(crc) + payload
