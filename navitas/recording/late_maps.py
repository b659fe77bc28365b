"""A method map that a recording lacks, put into it later: the app in use was another machine's build."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from navitas.new_files import write_new
from navitas.recording.manifest import Map
from navitas.recording.store import open_recording
from navitas.recording.writer import MANIFEST_NAME, changing, unwritable

UNKNOWN_MAP = "0" * 16
"""The map of a run while nobody knows it."""
MAP_UNKNOWN = "map_unknown"
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
    manifest = recording.manifest
    if any(known.id == map_id for known in manifest.maps):
        return
    name = f"maps/{map_id}.json"
    path = recording.file(name)  # a link that leads out of the recording is refused
    entry = Map(id=map_id, file=name, sha256=hashlib.sha256(data).hexdigest(), module=module, includes=list(includes))
    bound = {"map_id": map_id, "module": module}
    now = manifest.model_copy(
        update={
            "maps": [*manifest.maps, entry],
            "runs": [run.model_copy(update=bound) if run.map_id == UNKNOWN_MAP else run for run in manifest.runs],
            "warnings": [warning for warning in manifest.warnings if warning.code != MAP_UNKNOWN],
        }
    )
    try:
        path.parent.mkdir(exist_ok=True)
        for place, content in (
            (path, data),
            (root / MANIFEST_NAME, f"{now.model_dump_json(by_alias=True, indent=1)}\n".encode()),
        ):
            write_new(place, content)
    except OSError as error:
        raise unwritable(root, error) from error
