"""The reader of event files: chunks out of any bytes, with everything that had to be skipped counted (docs/formats.md)."""

from __future__ import annotations

import mmap
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from navitas.errors import RecordingError
from navitas.regular_files import open_regular

CALLS, ANCHORS, COUNTERS, MARKERS, FOLDED, TRIPLES = 1, 2, 3, 4, 5, 8
KNOWN_TYPES = frozenset((CALLS, ANCHORS, COUNTERS, MARKERS, FOLDED, TRIPLES))
RECORD_BYTES = {CALLS: 8, ANCHORS: 16, TRIPLES: 24}

_MAGIC = b"NVCH"
_VERSION = 1
_LATEST = 101
"""The highest version of a chunk that is taken for one, and not for damage."""
_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_HEADER = struct.Struct("<4sH")
_CRC = struct.Struct("<I")
# Where a chunk may begin: with this version, also its serial and base_ns are within their limits.
_BEGIN = re.compile(rb"NVCH(?:\x01\0.{16}\0\0.{19}[\0-\x3f]|[\x02-%c]\0)" % _LATEST, re.DOTALL)
_TIME_LIMIT = 1 << 62
_SERIAL_LIMIT = 1 << 48
"""No process has so many threads; the serials of several processes, which follow each other, still fit 64 bits."""
_RETRY_FACTOR = 8
_RELEASE_EVERY = 64 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk whose CRC is right; `payload` is a view of the file. `process` numbers the processes of a run."""

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


@dataclass(slots=True)
class ChunkScan:
    """The good chunks of a file in file order, and what else was there.

    `damaged` counts places where damaged bytes had to be skipped, `skipped_bytes` how many; `unknown` counts chunks of unknown
    types. `newer` counts chunks of later versions, which are no damage, and `newer_bytes` their bytes.
    """

    chunks: list[Chunk] = field(default_factory=list)
    damaged: int = 0
    skipped_bytes: int = 0
    unknown: Counter[int] = field(default_factory=Counter)
    newer: Counter[int] = field(default_factory=Counter)
    newer_bytes: int = 0


def read_chunks(path: Path) -> ChunkScan:
    """Map an event file into memory and scan it. RecordingError when the file cannot be opened; never for what is in it."""
    try:
        with open_regular(path) as stream:
            if not path.stat().st_size:
                return ChunkScan()
            view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
            scan = scan_chunks(view)
            release(view)
            return scan
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror}", "Check the recording's files.") from error


def scan_chunks(data: bytes | memoryview) -> ChunkScan:
    """Find every chunk in any bytes, in time linear in their number.

    After bad data the scan goes on where the next chunk may begin. A chunk with a bad CRC may have a wrong length, so what it
    covers is searched too, as long as that has cost no more than a few passes over the data; after that its length is believed.
    A chunk of a later version may have another layout: it ends where this version's layout says if a chunk begins there, else
    where the next one may begin.
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
    """Release the memory that reading a mapped file has taken; its bytes are read again when they are needed."""
    if isinstance(view.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        view.obj.madvise(mmap.MADV_DONTNEED)


def records(chunks: Iterable[Chunk], header: struct.Struct) -> Iterator[tuple[tuple[int, ...], memoryview] | int]:
    """Each record's header and the bytes behind it, as long as the header's last field says; a number: so many were cut off."""
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


def in_order(chunks: list[Chunk]) -> tuple[list[Chunk], int]:
    """The chunks of one thread and type by sequence number, without repeats, and how many numbers are missing before the last."""
    ordered = sorted(chunks, key=lambda chunk: chunk.seq)
    unique = [chunk for i, chunk in enumerate(ordered) if i == 0 or chunk.seq != ordered[i - 1].seq]
    return unique, (unique[-1].seq + 1 - len(unique)) if unique else 0


def by_thread_and_type(chunks: list[Chunk]) -> Iterator[tuple[int, int, list[Chunk], int]]:
    """(serial, type, chunks in order, missing chunks) for every thread and type; what is process-wide comes by processes, each
    of which counts from 0."""
    groups: dict[tuple[int, int, int], list[Chunk]] = {}
    for chunk in chunks:
        groups.setdefault((chunk.process, chunk.serial, chunk.type), []).append(chunk)
    for (_, serial, kind), group in groups.items():
        yield serial, kind, *in_order(group)


class _Read(NamedTuple):
    """What begins at a place: a sound chunk, one of a `newer` version (0: none), or nothing of use.

    `is_whole`: it ends after `length` bytes; else so many were checked in vain, and what they hold may be anything.
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
        damaged = not is_whole and fits(_HEADER.pack(_MAGIC, _VERSION))  # a chunk of ours whose version is damaged
        return _Read(newer=0 if damaged else newer, length=length, is_whole=is_whole)
    if not is_whole or not fits_type or not 0 <= base_ns < _TIME_LIMIT or serial >= _SERIAL_LIMIT:
        return _Read(length=length)
    name = str(view[name_at:crc_at], "utf-8", "replace")
    chunk = Chunk(kind, map_id, serial, tid, seq, lost, base_ns, count, name, view[payload_at:end])
    return _Read(chunk, length=length, is_whole=True)


def _next_chunk(raw: bytes | mmap.mmap, position: int) -> int:
    """Where the next chunk of any version may begin, from a position on; the end if nowhere."""
    found = _BEGIN.search(raw, position)
    return found.start() if found is not None else len(raw)


def _note_damage(scan: ChunkScan, skipped: int) -> None:
    scan.damaged += 1
    scan.skipped_bytes += skipped
