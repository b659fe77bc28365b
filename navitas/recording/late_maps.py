"""Add a method map to a finished recording. It is missing when the app on the device was built on another machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from navitas.base.new_files import write_new
from navitas.recording.layout import MANIFEST_NAME, MAX_MANIFEST_BYTES
from navitas.recording.manifest import Map
from navitas.recording.raw import read_json
from navitas.recording.recording_folder import lock_for_change, write_error
from navitas.recording.store import open_recording

UNKNOWN_MAP = "0" * 16
"""Map id of a run whose map is unknown."""
MAP_UNKNOWN: Final = "map_unknown"
"""Code of the warning that is removed when the map is added."""


def add_map(root: Path, map_id: str, module: str, data: bytes, includes: Sequence[str] = ()) -> None:
    """Add a map to a recording, and assign it to runs without a known map. Does nothing if the recording has the map.

    Raises `RecordingError` if the folder is not a recording, cannot be written, or is in use by another process.
    """
    if any(known.id == map_id for known in open_recording(root).manifest.maps):
        return  # before the lock, so that a read-only recording works too
    with lock_for_change(root):
        _add(root, map_id, module, data, includes)


def _add(root: Path, map_id: str, module: str, data: bytes, includes: Sequence[str]) -> None:
    recording = open_recording(root)
    if any(known.id == map_id for known in recording.manifest.maps):
        return
    name = f"maps/{map_id}.json"
    path = recording.file(name)  # raises for a link that leaves the recording
    entry = Map(id=map_id, file=name, sha256=hashlib.sha256(data).hexdigest(), module=module, includes=list(includes))
    document = _with_map(read_json(root / MANIFEST_NAME, "", MAX_MANIFEST_BYTES), entry)
    try:
        path.parent.mkdir(exist_ok=True)
        for place, content in ((path, data), (root / MANIFEST_NAME, f"{json.dumps(document, indent=1)}\n".encode())):
            write_new(place, content)
    except OSError as error:
        raise write_error(root, error) from error


def _with_map(document: dict[str, Any], entry: Map) -> dict[str, Any]:
    """Return the manifest with one more map. Keeps everything else, including what this version of Navitas does not know."""
    bound = {"map_id": entry.id, "module": entry.module}
    return document | {
        "maps": [*document["maps"], entry.model_dump(mode="json")],
        "runs": [run | bound if run["map_id"] == UNKNOWN_MAP else run for run in document["runs"]],
        "warnings": [warning for warning in document.get("warnings", ()) if warning["code"] != MAP_UNKNOWN],
    }
