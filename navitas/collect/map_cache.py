"""Method maps of Android builds, kept by their ids: an app that is installed knows the id of its map, but not the map."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import MAX_MAP_BYTES, Bundle
from navitas.new_files import remove_abandoned, write_new
from navitas.regular_files import read_regular
from navitas.user_folders import cache_folder, make_folder

_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class KnownMap:
    """A method map (`map.json`), what it is of, and the ids of the maps that it continues."""

    map_id: str
    module: str
    project: str
    data: bytes
    includes: tuple[str, ...] = ()


def of_bundle(bundle: Bundle) -> KnownMap:
    """The map of a bundle; that of an Android build is kept, for when its app is used without the bundle."""
    manifest = bundle.manifest
    if not isinstance(manifest, AndroidManifest):
        return KnownMap(manifest.map_id, manifest.module, manifest.project, bundle.map_bytes)
    known = KnownMap(manifest.map_id, manifest.module, manifest.project, bundle.map_bytes, tuple(manifest.includes_map_ids))
    _keep(known)
    return known


def find(map_id: str) -> KnownMap | None:
    """The map of an id, or one that includes it; None when none is kept, or it cannot be read."""
    try:
        about = json.loads(read_regular(_folder() / f"{map_id}.json", MAX_MAP_BYTES))
        path = _folder() / f"{int(about['map_id'], 16):016x}.map"
        includes = tuple(f"{int(name, 16):016x}" for name in about["includes"])
        return KnownMap(path.stem, str(about["module"]), str(about["project"]), read_regular(path, MAX_MAP_BYTES), includes)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep(known: KnownMap) -> None:
    """Where nothing can be written, nothing is kept."""
    about = {"map_id": known.map_id, "module": known.module, "project": known.project, "includes": known.includes}
    files = {f"{known.map_id}.map": known.data}
    files |= {f"{name}.json": json.dumps(about).encode() for name in (known.map_id, *known.includes)}
    with contextlib.suppress(OSError):
        make_folder(_folder())
        remove_abandoned(_folder())
        for name, data in files.items():
            write_new(_folder() / name, data)
        _forget_oldest()


def _forget_oldest() -> None:
    maps = sorted(_folder().glob("*.map"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in maps[_MOST_KEPT:]:
        path.unlink()  # what names it alone is small


def _folder() -> Path:
    return cache_folder() / "maps"
