"""Writes chunks of event files (docs/dev/formats.md), for recordings whose events come from elsewhere."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from navitas.parse.arrays import I64, U8
from navitas.parse.chunks import ANCHORS, CALLS, COUNTERS, MARKERS, TRIPLES

_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_CRC = struct.Struct("<I")
_COUNTER = struct.Struct("<qqHI")
_TRIPLE = struct.Struct("<qqq")
_MARKER = struct.Struct("<qBBHH")
_RUN_START, _RUN_END = 0, 3
_DELTA_NS = 1 << 40
_EVENTS = 8192
_READINGS = 64


def call_chunks(t_ns: I64, kind: U8, method: I64, *, map_id: int, serial: int, tid: int, name: str) -> Iterator[bytes]:
    """Yield chunks with the calls of one thread: times in order (ns), kinds (`tables.ENTER` …) and method ids."""
    start, seq = 0, 0
    while start < len(t_ns):
        base_ns = int(t_ns[start])
        end = min(start + _EVENTS, int(np.searchsorted(t_ns, base_ns + _DELTA_NS)))
        part = slice(start, end)
        words = kind[part].astype(np.uint64) << np.uint64(62)
        words |= method[part].astype(np.uint64) << np.uint64(40)
        words |= (t_ns[part] - base_ns).astype(np.uint64)
        payload = words.astype("<u8").tobytes()
        yield _chunk(CALLS, payload, len(words), map_id=map_id, serial=serial, tid=tid, seq=seq, base_ns=base_ns, name=name)
        start, seq = end, seq + 1


def anchor_chunks(t_ns: I64, cpu_ns: I64, *, serial: int, tid: int, name: str) -> Iterator[bytes]:
    """Yield chunks with readings of a thread's CPU clock: times and CPU times (ns)."""
    for seq, start in enumerate(range(0, len(t_ns), _EVENTS)):
        part = slice(start, start + _EVENTS)
        rows = np.column_stack([t_ns[part], cpu_ns[part]]).astype("<i8")
        yield _chunk(ANCHORS, rows.tobytes(), len(rows), serial=serial, tid=tid, seq=seq, name=name)


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
    yield marker_chunk(start_ns, end_ns)
    if realtime_ns is not None:
        yield triple_chunk([(t_ns, -1, realtime_ns + t_ns - start_ns) for t_ns in (start_ns, end_ns)])


def marker_chunk(start_ns: int, end_ns: int) -> bytes:
    """Return the markers of a run's start and end."""
    markers = [_MARKER.pack(start_ns, _RUN_START, 0, 0, 0), _MARKER.pack(end_ns, _RUN_END, 0, 0, 0)]
    return _chunk(MARKERS, b"".join(markers), len(markers))


def triple_chunk(triples: Sequence[tuple[int, int, int]]) -> bytes:
    """Return readings of the clocks: monotonic, boottime (-1: unknown), realtime."""
    return _chunk(TRIPLES, b"".join(_TRIPLE.pack(*triple) for triple in triples), len(triples))


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
