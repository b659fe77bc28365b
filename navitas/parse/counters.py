"""Sampled counters (chunk type 3): the raw bytes of each read, by source."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from navitas.parse.chunks import Chunk

_HEADER = struct.Struct("<qqHI")


@dataclass(slots=True)
class Readings:
    """One source's reads in time order: `texts[i]` was read at `t_ns[i]`, the middle of the read."""

    t_ns: list[int] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)


def decode_counters(chunks: Iterable[Chunk]) -> tuple[dict[int, Readings], int]:
    """Readings by source id, and how many records were dropped as impossible."""
    records: dict[int, list[tuple[int, bytes]]] = {}
    dropped = 0
    for chunk in chunks:
        at, payload = 0, chunk.payload
        for record in range(chunk.count):
            if at + _HEADER.size > len(payload):
                dropped += chunk.count - record
                break
            start, end, source, length = _HEADER.unpack_from(payload, at)
            at += _HEADER.size
            if at + length > len(payload):
                dropped += chunk.count - record
                break
            if 0 <= start <= end:
                records.setdefault(source, []).append((start + (end - start) // 2, bytes(payload[at : at + length])))
            else:
                dropped += 1
            at += length
    readings = {}
    for source, rows in records.items():
        rows.sort(key=lambda row: row[0])
        readings[source] = Readings([t for t, _ in rows], [text for _, text in rows])
    return readings, dropped
