"""The method map that a user names: a build's map.json, or its bundle."""

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
    """The map in a file, which can be read: a recording that it is put into is none the worse for it.

    Raises `RecordingError` (or what a bundle is refused with) when there is none.
    """
    if _is_zip(path):
        known = map_cache.of_bundle(open_bundle(path))
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
        raise RecordingError(f"{error.message}: no method map", remedy) from None
    return map_cache.KnownMap(map_id, ":", project, json.dumps(document).encode())


def _is_zip(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return zipfile.is_zipfile(file)
    except OSError:  # named by what reads it next
        return False
