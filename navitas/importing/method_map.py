"""The method map of imported calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from navitas.errors import RecordingError

MAX_METHODS = 4_000_000
"""Event files have 22 bits for the number of a method."""
_NO_CLASS = "(unknown)"


class MethodName(NamedTuple):
    """A method as its measurement names it. The descriptor is empty, and file and line are None, if they are unknown."""

    class_name: str
    name: str
    descriptor: str = ""
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class NamedMethods:
    """A method map: its id, its JSON, and the id of each method."""

    map_id: str
    data: bytes
    ids: dict[MethodName, int]


def named_methods(methods: Iterable[MethodName]) -> NamedMethods:
    """Return the map of methods. Without descriptors, overloads are one method. Raises `RecordingError` if there are too many."""
    ordered = sorted(set(methods), key=lambda one: (*one[:3], one.file or "", one.line or 0))
    if len(ordered) > MAX_METHODS:
        raise RecordingError(f"more than {MAX_METHODS:,} methods", "Import a part of the measurements.")
    files = {one.class_name: one.file for one in ordered}
    classes = json.dumps(
        [{"name": name, "sha256": None, "source": "main", "module": None, "file": file} for name, file in files.items()]
    )
    rows = json.dumps(
        [
            {"id": i, "class": one.class_name, "name": one.name, "descriptor": one.descriptor, "line": one.line}
            for i, one in enumerate(ordered)
        ]
    )
    map_id = hashlib.sha256(f"[{classes}, {rows}]".encode()).hexdigest()[:16]
    # A million methods are 100 MB of JSON, so the document contains the text that was hashed.
    document = f'{{"schema_version": 1, "map_id": "{map_id}", "classes": {classes}, "methods": {rows}, "skipped": []}}'
    return NamedMethods(map_id, document.encode(), {one: i for i, one in enumerate(ordered)})


def split_name(name: str) -> MethodName:
    """Return the class and method of a name such as `a.b.C.run`."""
    class_name, dot, method = name.rpartition(".")
    return MethodName(class_name, method) if dot and class_name and method else MethodName(_NO_CLASS, name)


def package_of(class_names: Iterable[str]) -> str:
    """Return the package that all classes share; empty if there is none."""
    shared: list[str] = []
    for level in zip(*(name.split(".")[:-1] for name in set(class_names)), strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return ".".join(shared)
