"""The method map that a user names: a build's map.json, or its bundle."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from navitas.build.bundle import MAX_MAP_BYTES, open_bundle
from navitas.collect import map_cache
from navitas.errors import RecordingError
from navitas.recording.raw import read_json


def read_map(path: Path, project: str) -> map_cache.KnownMap:
    """The map in a file. Raises `RecordingError` (or what a bundle is refused with) when there is none."""
    if zipfile.is_zipfile(path):
        return map_cache.of_bundle(open_bundle(path))
    document = read_json(path, "the method map is ", MAX_MAP_BYTES)
    try:
        map_id = f"{int(document['map_id'], 16):016x}"
    except (TypeError, KeyError, ValueError):
        raise RecordingError(f"{path}: no method map", "Give the map.json that the build made, or its bundle.") from None
    return map_cache.KnownMap(map_id, ":", project, json.dumps(document).encode())
