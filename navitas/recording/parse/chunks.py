"""Reader of event files. Finds valid chunks in any bytes and counts everything it skips (docs/dev/formats.md)."""

from __future__ import annotations

import mmap
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from navitas.base.regular_files import open_regular
from navitas.recording.parse.arrays import I64
from navitas.recording.raw import readable

CALLS, ANCHORS, COUNTERS, MARKERS, FOLDED, HOOKS, BLOCK_COUNTS, TRIPLES, HANDOFFS, COMMUNICATIONS, MOUNTS = range(1, 12)
KNOWN_TYPES = frozenset(range(CALLS, MOUNTS + 1))
RECORD_BYTES = {CALLS: 8, ANCHORS: 16, HOOKS: 40, TRIPLES: 24, HANDOFFS: 40, MOUNTS: 24}

_MAGIC = b"NVCH"
_VERSION = 1
_LATEST = 101
"""Highest version that counts as a newer chunk. Higher numbers count as damage."""
_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_HEADER = struct.Struct("<4sH")
_CRC = struct.Struct("<I")
# Start of a chunk. A chunk of this version must also have a serial and base_ns within their limits.
_BEGIN = re.compile(rb"NVCH(?:\x01\0.{16}\0\0.{19}[\0-\x3f]|[\x02-%c]\0)" % _LATEST, re.DOTALL)
_TIME_LIMIT = 1 << 62
_SERIAL_LIMIT = 1 << 48
"""More than the number of threads of any process. Serials of several processes in sequence still fit 64 bits."""
_RETRY_FACTOR = 8
_RELEASE_EVERY = 64 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk with a valid CRC.

    `payload` is a view of the file. `process` is the index of the process within its run, and `serials_before` what was added to
    the serials of its threads.
    """

    type: int
    map_id: int
    serial: int
    tid: int
    seq: int
    lost_before: int
    base_ns: int
    count: int
    name: str
    payload: memoryview
    process: int = 0
    serials_before: int = 0


@dataclass(slots=True)
class ChunkScan:
    """The valid chunks of a file, in file order, with counts of everything else.

    `damaged` counts stretches of damaged bytes and `skipped_bytes` their bytes. `unknown` counts chunks by unknown type.
    `newer` counts chunks by later format version, and `newer_bytes` their bytes; they are not damage.
    """

    chunks: list[Chunk] = field(default_factory=list)
    damaged: int = 0
    skipped_bytes: int = 0
    unknown: Counter[int] = field(default_factory=Counter)
    newer: Counter[int] = field(default_factory=Counter)
    newer_bytes: int = 0


def read_chunks(path: Path) -> ChunkScan:
    """Map an event file into memory and scan it.

    Raises `RecordingError` if the file cannot be opened. Damaged content never raises.
    """
    with readable(path), open_regular(path) as stream:
        if not path.stat().st_size:
            return ChunkScan()
        view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        scan = scan_chunks(view)
        release(view)
        return scan


def scan_chunks(data: bytes | memoryview) -> ChunkScan:
    """Find every chunk in `data`, in time linear in its length.

    After damaged bytes, the scan continues where the next chunk may begin. A chunk with a bad CRC may have a wrong length, so
    the scan also searches the bytes that it covers. After a few passes over the data in total, the scan trusts the length.
    A chunk of a later version may have a different layout. It ends where the known layout says if a chunk begins there,
    otherwise where the next chunk may begin.
    """
    view = memoryview(data)
    raw = view.obj if isinstance(view.obj, bytes | mmap.mmap) and len(view) == len(view.obj) else bytes(view)
    scan = ChunkScan()
    end, position, bad_from = len(view), 0, -1
    retry_bytes = _RETRY_FACTOR * end
    release_at = _RELEASE_EVERY
    while position < end:
        if position >= release_at:
            release(view)
            release_at = position + _RELEASE_EVERY
        read = _read_at(view, position)
        if bad_from >= 0 and (read.chunk is not None or read.newer):
            _note_damage(scan, position - bad_from)
            bad_from = -1
        if read.is_whole:
            after = position + read.length
        else:
            retry_bytes -= read.length
            after = _next_chunk(raw, position + (1 if retry_bytes > 0 else max(1, read.length)))
        if read.newer:
            scan.newer[read.newer] += 1
            scan.newer_bytes += after - position
        elif read.chunk is None:
            bad_from = position if bad_from < 0 else bad_from
        elif read.chunk.type in KNOWN_TYPES:
            scan.chunks.append(read.chunk)
        else:
            scan.unknown[read.chunk.type] += 1
        position = after
    if bad_from >= 0:
        _note_damage(scan, end - bad_from)
    return scan


def release(view: memoryview) -> None:
    """Free the pages of a mapped file. The system reads them from the file again on the next access."""
    if isinstance(view.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        view.obj.madvise(mmap.MADV_DONTNEED)


def records(chunks: Iterable[Chunk], header: struct.Struct) -> Iterator[tuple[tuple[int, ...], memoryview] | int]:
    """Yield each record's header and its data, whose length is the header's last field.

    Yields an integer, the number of missing records, for a chunk that is cut off.
    """
    for chunk in chunks:
        at, payload = 0, chunk.payload
        for record in range(chunk.count):
            fields = header.unpack_from(payload, at) if at + header.size <= len(payload) else None
            at += header.size
            if fields is None or at + fields[-1] > len(payload):
                yield chunk.count - record
                break
            yield fields, payload[at : at + fields[-1]]
            at += fields[-1]


def integer_rows(chunks: Iterable[Chunk], width: int) -> I64:
    """Return the records of chunks whose records are `width` 64-bit integers, as rows."""
    return np.frombuffer(b"".join(chunk.payload for chunk in chunks), "<i8").astype(np.int64).reshape(-1, width)


def serials_by_record(chunks: Sequence[Chunk]) -> tuple[I64, I64]:
    """Return the thread of each record, and what to add to serials in its payload.

    Those are of the process; the run's serials continue after those of earlier processes.
    """
    counts = [chunk.count for chunk in chunks]
    serial = np.array([chunk.serial for chunk in chunks], np.int64)
    before = np.array([chunk.serials_before for chunk in chunks], np.int64)
    return np.repeat(serial, counts), np.repeat(before, counts)


def in_order(chunks: list[Chunk]) -> tuple[list[Chunk], int]:
    """Return the chunks of one thread and type by sequence number without duplicates, and the number of missing chunks."""
    ordered = sorted(chunks, key=lambda chunk: chunk.seq)
    unique = [chunk for i, chunk in enumerate(ordered) if i == 0 or chunk.seq != ordered[i - 1].seq]
    return unique, (unique[-1].seq + 1 - len(unique)) if unique else 0


def by_thread_and_type(chunks: list[Chunk]) -> Iterator[tuple[int, int, list[Chunk], int]]:
    """Yield (serial, type, chunks in order, number of missing chunks) for every thread and type.

    Process-wide chunks are grouped by process, because each process numbers them from 0.
    """
    groups: dict[tuple[int, int, int], list[Chunk]] = {}
    for chunk in chunks:
        groups.setdefault((chunk.process, chunk.serial, chunk.type), []).append(chunk)
    for (_, serial, kind), group in groups.items():
        yield serial, kind, *in_order(group)


class _Read(NamedTuple):
    """The result of reading at one position: a valid chunk, a chunk of a `newer` version (0: none), or neither.

    If `is_whole`, it ends after `length` bytes. Otherwise `length` is the number of bytes that were checked without success.
    """

    chunk: Chunk | None = None
    newer: int = 0
    length: int = 0
    is_whole: bool = False


def _read_at(view: memoryview, at: int) -> _Read:
    version = int.from_bytes(view[at + 4 : at + 6], "little")
    if view[at : at + 4] != _MAGIC or not _VERSION <= version <= _LATEST:
        return _Read()
    newer = version if version > _VERSION else 0
    if len(view) - at < _FIXED.size + _CRC.size:
        return _Read(newer=newer)
    _, _, kind, map_id, serial, tid, seq, lost, base_ns, count, payload_bytes, name_len = _FIXED.unpack_from(view, at)
    name_at = at + _FIXED.size
    crc_at = name_at + name_len
    payload_at = crc_at + _CRC.size
    end = payload_at + payload_bytes
    length = end - at
    if end > len(view):
        return _Read(newer=newer)
    wanted = _CRC.unpack_from(view, crc_at)[0]

    def fits(header: bytes | memoryview) -> bool:
        start = zlib.crc32(view[at + _HEADER.size : crc_at], zlib.crc32(header))
        return bool(zlib.crc32(view[payload_at:end], zlib.crc32(bytes(_CRC.size), start)) == wanted)

    is_whole = fits(view[at : at + _HEADER.size])
    record_bytes = RECORD_BYTES.get(kind)
    fits_type = record_bytes is None or count * record_bytes == payload_bytes
    if newer:
        damaged = not is_whole and fits(_HEADER.pack(_MAGIC, _VERSION))  # version 1 with a damaged version field
        return _Read(newer=0 if damaged else newer, length=length, is_whole=is_whole)
    if not is_whole or not fits_type or not 0 <= base_ns < _TIME_LIMIT or serial >= _SERIAL_LIMIT:
        return _Read(length=length)
    name = str(view[name_at:crc_at], "utf-8", "replace")
    chunk = Chunk(kind, map_id, serial, tid, seq, lost, base_ns, count, name, view[payload_at:end])
    return _Read(chunk, length=length, is_whole=True)


def _next_chunk(raw: bytes | mmap.mmap, position: int) -> int:
    """Return the next position where a chunk of any version may begin, or the end of the data."""
    found = _BEGIN.search(raw, position)
    return found.start() if found is not None else len(raw)


def _note_damage(scan: ChunkScan, skipped: int) -> None:
    scan.damaged += 1
    scan.skipped_bytes += skipped


def indexes(serial: I64, serials: Sequence[int]) -> I64:
    """The index of each serial in `serials`, -1 for a serial that is not there or that no probed thread has."""
    known = np.array(serials, np.int64)
    if not len(known):
        return np.full(len(serial), -1)
    order = np.argsort(known, kind="stable")
    place = order[np.minimum(np.searchsorted(known[order], serial), len(known) - 1)]
    return np.where((known[place] == serial) & (serial >= 0), place, -1)
