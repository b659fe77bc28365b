"""A method map that a recording lacks, put into it later: the app in use was another machine's build."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from navitas.new_files import write_new
from navitas.recording.manifest import Map
from navitas.recording.raw import read_json
from navitas.recording.store import open_recording
from navitas.recording.writer import MANIFEST_NAME, MAX_MANIFEST_BYTES, changing, unwritable

UNKNOWN_MAP = "0" * 16
"""The id of a run's map while the map is not known."""
MAP_UNKNOWN: Final = "map_unknown"
"""Code of the warning that goes when the map comes."""


def add_map(root: Path, map_id: str, module: str, data: bytes, includes: Sequence[str] = ()) -> None:
    """Put a map into a recording; runs without a known one get it. One that is there already changes nothing.

    Raises `RecordingError` for a folder that is no recording, that cannot be written, or that another process writes.
    """
    if any(known.id == map_id for known in open_recording(root).manifest.maps):
        return  # also one that can only be read
    with changing(root):
        _add(root, map_id, module, data, includes)


def _add(root: Path, map_id: str, module: str, data: bytes, includes: Sequence[str]) -> None:
    recording = open_recording(root)
    if any(known.id == map_id for known in recording.manifest.maps):
        return
    name = f"maps/{map_id}.json"
    path = recording.file(name)  # a link that leads out of the recording is refused
    entry = Map(id=map_id, file=name, sha256=hashlib.sha256(data).hexdigest(), module=module, includes=list(includes))
    document = _with_map(read_json(root / MANIFEST_NAME, "", MAX_MANIFEST_BYTES), entry)
    try:
        path.parent.mkdir(exist_ok=True)
        for place, content in ((path, data), (root / MANIFEST_NAME, f"{json.dumps(document, indent=1)}\n".encode())):
            write_new(place, content)
    except OSError as error:
        raise unwritable(root, error) from error


def _with_map(document: dict[str, Any], entry: Map) -> dict[str, Any]:
    """A manifest with a map more. What else is in it stays as it is, also what this version of Navitas does not know."""
    bound = {"map_id": entry.id, "module": entry.module}
    return document | {
        "maps": [*document["maps"], entry.model_dump(mode="json")],
        "runs": [run | bound if run["map_id"] == UNKNOWN_MAP else run for run in document["runs"]],
        "warnings": [warning for warning in document.get("warnings", ()) if warning["code"] != MAP_UNKNOWN],
    }
