"""The chunks of a JFR file. Each has a header, events, and the metadata and constants that describe them."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.recording.raw import readable

HEADER = struct.Struct(">4sHHqqqqqqqi")
MAGIC = b"FLR\0"
_COMPRESSED = 1
"""The flag in `features` of numbers as LEB128."""
REMEDY = "Record again, and let the profiler stop before its JVM is killed."


@dataclass(frozen=True, slots=True)
class JfrChunk:
    """One chunk. Offsets count from its beginning; `name` names it in messages.

    `start_ticks` is the time `start_ns` since 1970, by a clock of `ticks_per_s`. An unfinished chunk has neither constants nor an
    end: its profiler died.
    """

    data: memoryview
    name: str
    constants: int
    metadata: int
    start_ns: int
    start_ticks: int
    ticks_per_s: int
    is_finished: bool

    def error(self, what: str) -> RecordingError:
        """Return the error that names this chunk."""
        return RecordingError(f"{self.name}: {what}", REMEDY)


def jfr_chunks(path: Path) -> Iterator[JfrChunk]:
    """Yield the chunks of a file. Raises `RecordingError` if the file cannot be read or has other content."""
    with readable(path, "Check the file."), open_regular(path) as stream:
        size = os.fstat(stream.fileno()).st_size
        if size < HEADER.size:
            raise RecordingError(f"{path}: {size:,} bytes are too few for a JFR file", REMEDY)
        view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    position = 0
    while position < len(view):
        chunk = _chunk(view[position:], f"{path}, byte {position:,}")
        yield chunk
        position += len(chunk.data)


def _chunk(rest: memoryview, name: str) -> JfrChunk:
    if len(rest) < HEADER.size:
        raise RecordingError(f"{name}: {len(rest):,} bytes are too few for a chunk of JFR", REMEDY)
    magic, major, minor, size, constants, metadata, start_ns, _, start_ticks, ticks_per_s, features = HEADER.unpack(
        rest[: HEADER.size]
    )
    if magic != MAGIC:
        raise RecordingError(f"{name}: no chunk of JFR begins here", "Give a file that async-profiler or a JDK wrote as JFR.")
    if major not in (1, 2) or not features & _COMPRESSED:
        what = f"version {major}.{minor}{'' if features & _COMPRESSED else ' without compressed integers'}"
        raise RecordingError(f"{name}: JFR of {what} is not supported", "Record with async-profiler or JDK 11 or newer.")
    if size < HEADER.size or ticks_per_s <= 0:
        raise RecordingError(f"{name}: the chunk's header is damaged", REMEDY)
    finished = size <= len(rest) and constants > 0
    if finished and not (HEADER.size <= constants < size and HEADER.size <= metadata < size):
        raise RecordingError(f"{name}: the chunk's header points outside of the chunk", REMEDY)
    return JfrChunk(rest[:size], name, constants, metadata, start_ns, start_ticks, ticks_per_s, finished)
