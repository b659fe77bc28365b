"""Reads the method map of `--map`: a build's map.json, or its bundle."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from navitas.bundle.reader import MAX_MAP_BYTES, open_bundle
from navitas.collect import map_cache
from navitas.errors import RecordingError
from navitas.parse.methodmap import check_map
from navitas.recording.raw import read_json
from navitas.regular_files import open_regular


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
