"""Reads the method map of `--map` (a build's map.json, or its bundle), and the ids of the maps that a run's events need."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from navitas.base.errors import RecordingError
from navitas.base.regular_files import open_regular
from navitas.capture.bundle.reader import MAX_MAP_BYTES, open_bundle
from navitas.capture.collect.apps import map_cache
from navitas.recording.parse.chunks import CALLS, FOLDED, Chunk, read_chunks, scan_chunks
from navitas.recording.parse.methodmap import check_map
from navitas.recording.parse.run_chunks import read_logcat_chunks
from navitas.recording.raw import read_json, read_lines


def read_map(path: Path, project: str) -> map_cache.KnownMap:
    """Read and check the method map in a file, so that it can be added to a recording.

    Raises `RecordingError` if there is none, and the errors of `open_bundle`.
    """
    if _is_zip(path):
        known = map_cache.map_of_bundle(open_bundle(path))
        check_map(json.loads(known.data), path)
        return known
    remedy = "Give the map.json that the build made, or its bundle."
    try:
        document = read_json(path, "the method map is ", MAX_MAP_BYTES)
    except RecordingError as error:
        raise RecordingError(error.message, remedy) from None
    try:
        map_id = check_map(document, path)
    except RecordingError as error:
        raise RecordingError(f"{error.message}: not a method map", remedy) from None
    return map_cache.KnownMap(map_id, ":", project, json.dumps(document).encode())


def _is_zip(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return zipfile.is_zipfile(file)
    except OSError:  # The next read reports the error.
        return False


def map_ids(folder: Path) -> set[str]:
    """Return the ids of the maps whose methods were called, as 16 hex digits, from the files in a run's folder."""
    return {f"{chunk.map_id:016x}" for chunk in _chunks(folder) if chunk.type in (CALLS, FOLDED)}


def _chunks(folder: Path) -> Iterator[Chunk]:
    for path in sorted(folder.glob("events-*.nvch")):
        yield from read_chunks(path).chunks
    for path in folder.glob("logcat.txt"):
        for stream in read_logcat_chunks(read_lines(path)).values():
            yield from scan_chunks(stream.data).chunks
