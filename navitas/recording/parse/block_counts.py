"""Decode counts of executed basic blocks (chunk type 7), which a build with block counters records (docs/dev/formats.md)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

from navitas.recording.parse.chunks import Chunk, indexes
from navitas.recording.parse.methodmap import Span
from navitas.recording.parse.tables import BlockCounts

COLLECTIONS = 0xFFFF_FFFF
"""The method id of a record that counts garbage collections. Only the process has it."""
_HEADER = struct.Struct("<qII")
_NO_TIME = 1 << 62
_MOST_COUNT = 1 << 40
_MOST_COUNTERS = 65_535


def decode_block_counts(chunks: Sequence[Chunk], serials: Sequence[int], known: Mapping[int, Span]) -> tuple[BlockCounts, int]:
    """Return the counts, and the number of records that are cut off, impossible, or of a method that no map has.

    `chunks` are those of type 7, and `serials` the serial of each thread of the run.
    """
    rows: list[tuple[int, int, int, bytes]] = []
    collected: list[tuple[int, int]] = []
    damaged = 0
    for chunk in chunks:
        span = known.get(chunk.map_id)
        found, missing = _records(chunk)
        damaged += missing
        for t_ns, method, counts in found:
            if method == COLLECTIONS and not chunk.serial and len(counts) == 8:
                collected.append((t_ns, int.from_bytes(counts, "little", signed=True)))
            elif span is not None and chunk.serial and (row := span.row_of(method)) is not None:
                rows.append((t_ns, chunk.serial, row, counts))
            else:
                damaged += 1
    rows.sort(key=lambda row: row[:3])
    collected.sort()
    lengths = np.array([len(counts) // 8 for *_, counts in rows], np.int64)
    flat = np.frombuffer(b"".join(counts for *_, counts in rows), "<i8").astype(np.int64)
    collected_ns, collections = np.array(collected, np.int64).reshape(-1, 2).T
    table = BlockCounts(
        thread=indexes(np.array([serial for _, serial, _, _ in rows], np.int64), serials).astype(np.int32),
        t_ns=np.array([t_ns for t_ns, *_ in rows], np.int64),
        method=np.array([method for _, _, method, _ in rows], np.int32),
        start=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        counts=flat,
        collected_ns=collected_ns,
        collections=collections,
    )
    return table, damaged


def _records(chunk: Chunk) -> tuple[list[tuple[int, int, bytes]], int]:
    """Return times, methods and counts of a chunk's records, and the number of those that are cut off or impossible."""
    found, damaged, at, payload = list[tuple[int, int, bytes]](), 0, 0, bytes(chunk.payload)
    for record in range(chunk.count):
        if at + _HEADER.size > len(payload):
            return found, damaged + chunk.count - record
        t_ns, method, counters = _HEADER.unpack_from(payload, at)
        at += _HEADER.size
        end = at + 8 * counters
        if end > len(payload):
            return found, damaged + chunk.count - record
        counts = payload[at:end]
        values = np.frombuffer(counts, "<i8")
        if 0 <= t_ns < _NO_TIME and 0 < counters <= _MOST_COUNTERS and values.min() >= 0 and values.max() < _MOST_COUNT:
            found.append((t_ns, method, counts))
        else:
            damaged += 1
        at = end
    return found, damaged + (at < len(payload))
