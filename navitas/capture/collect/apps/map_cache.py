"""Cache method maps of Android builds by id: an installed app contains the id of its map, but not the map."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from navitas.base.new_files import remove_abandoned, write_new
from navitas.base.regular_files import read_regular
from navitas.base.user_folders import cache_folder, make_folder
from navitas.capture.bundle.manifest import AndroidManifest
from navitas.capture.bundle.reader import MAX_MAP_BYTES, Bundle

_MAX_MAPS = 64


@dataclass(frozen=True, slots=True)
class KnownMap:
    """A method map (`map.json`), its module and project, and the ids of the earlier maps that it extends."""

    map_id: str
    module: str
    project: str
    data: bytes
    includes: tuple[str, ...] = ()


NO_METHODS = KnownMap(
    "e3b0c44298fc1c14",
    ":",
    "",
    b'{"schema_version": 1, "map_id": "e3b0c44298fc1c14", "probes": "none", "classes": [], "methods": [], "skipped": []}',
)
"""The map of no class: SHA-256 of nothing. Stack samples name methods themselves."""


def map_of_bundle(bundle: Bundle) -> KnownMap:
    """Return the map of a bundle. Caches an Android build's map for uses of the app without the bundle."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest):
        return KnownMap(manifest.map_id, manifest.module, manifest.project, bundle.map_bytes)
    known = KnownMap(manifest.map_id, manifest.module, manifest.project, bundle.map_bytes, tuple(manifest.includes_map_ids))
    _keep(known)
    return known


def find(map_id: str) -> KnownMap | None:
    """Return the map with an id, or one that includes it; None if none is cached or readable."""
    try:
        about = json.loads(read_regular(_folder() / f"{map_id}.json", MAX_MAP_BYTES))
        path = _folder() / f"{int(about['map_id'], 16):016x}.map"
        includes = tuple(f"{int(name, 16):016x}" for name in about["includes"])
        return KnownMap(path.stem, str(about["module"]), str(about["project"]), read_regular(path, MAX_MAP_BYTES), includes)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep(known: KnownMap) -> None:
    """Cache a map; do nothing if the cache is not writable."""
    about = {"map_id": known.map_id, "module": known.module, "project": known.project, "includes": known.includes}
    files = {f"{known.map_id}.map": known.data}
    files |= {f"{name}.json": json.dumps(about).encode() for name in (known.map_id, *known.includes)}
    with contextlib.suppress(OSError):
        make_folder(_folder())
        remove_abandoned(_folder())
        for name, data in files.items():
            write_new(_folder() / name, data)
        maps = sorted(_folder().glob("*.map"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in maps[_MAX_MAPS:]:
            path.unlink()  # the small index files stay


def _folder() -> Path:
    return cache_folder() / "maps"
