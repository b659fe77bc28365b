"""Chunks of event files that programs other than the runtime write (docs/dev/formats.md)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

COUNTERS, MARKERS, TRIPLES = 3, 4, 8
_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_CRC = struct.Struct("<I")
_COUNTER = struct.Struct("<qqHI")
_TRIPLE = struct.Struct("<qqq")
_MARKER = struct.Struct("<qBBHH")
_RUN_START, _RUN_END = 0, 3
_READINGS = 64


def counter_chunks(readings: Iterable[tuple[int, int, bytes]], seq: int = 0) -> Iterator[bytes]:
    """Yield chunks with readings of counters: time, source, text. Their numbers begin with `seq`."""
    rows = iter(readings)
    while part := list(islice(rows, _READINGS)):
        payload = b"".join(_COUNTER.pack(t_ns, t_ns, source, len(text)) + text for t_ns, source, text in part)
        yield event_chunk(COUNTERS, payload, len(part), seq=seq)
        seq += 1


def run_chunks(start_ns: int, end_ns: int, realtime_ns: int | None) -> Iterator[bytes]:
    """Yield the markers of a run's start and end, and its clocks if the wall clock at the start is known."""
    yield marker_chunk(start_ns, end_ns)
    if realtime_ns is not None:
        yield triple_chunk([(t_ns, -1, realtime_ns + t_ns - start_ns) for t_ns in (start_ns, end_ns)])


def marker_chunk(start_ns: int | None, end_ns: int | None, seq: int = 0) -> bytes:
    """Return the markers of a run's start and end, without those that are None."""
    times = ((start_ns, _RUN_START), (end_ns, _RUN_END))
    markers = [_MARKER.pack(t_ns, kind, 0, 0, 0) for t_ns, kind in times if t_ns is not None]
    return event_chunk(MARKERS, b"".join(markers), len(markers), seq=seq)


def triple_chunk(triples: Sequence[tuple[int, int, int]], seq: int = 0) -> bytes:
    """Return readings of the clocks: monotonic, boottime (-1: unknown), realtime."""
    return event_chunk(TRIPLES, b"".join(_TRIPLE.pack(*triple) for triple in triples), len(triples), seq=seq)


def event_chunk(
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
    """Return a chunk with a payload of `count` records."""
    label = name.encode()
    fixed = _FIXED.pack(b"NVCH", 1, kind, map_id, serial, tid, seq, 0, base_ns, count, len(payload), len(label))
    crc = zlib.crc32(payload, zlib.crc32(bytes(_CRC.size), zlib.crc32(label, zlib.crc32(fixed))))
    return fixed + label + _CRC.pack(crc) + payload
