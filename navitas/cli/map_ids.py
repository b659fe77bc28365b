"""Finds the method maps of a run's events before the recording is complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from navitas.parse.chunks import CALLS, FOLDED, Chunk, read_chunks, scan_chunks
from navitas.parse.logcat_chunks import read_logcat_chunks
from navitas.recording.raw import read_lines


def map_ids(folder: Path) -> set[str]:
    """Return the ids of the maps whose methods were called, as 16 hex digits, from the files in a run's folder."""
    return {f"{chunk.map_id:016x}" for chunk in _chunks(folder) if chunk.type in (CALLS, FOLDED)}


def _chunks(folder: Path) -> Iterator[Chunk]:
    for path in sorted(folder.glob("events-*.nvch")):
        yield from read_chunks(path).chunks
    for path in folder.glob("logcat.txt"):
        for stream in read_logcat_chunks(read_lines(path)).values():
            yield from scan_chunks(stream.data).chunks
