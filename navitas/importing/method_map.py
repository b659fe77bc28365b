"""The method map of imported calls: names only, without descriptors or lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass

_NO_CLASS = "(unknown)"


@dataclass(frozen=True, slots=True)
class NamedMethods:
    """A method map: its id and JSON, and the id of each method by the name in the log (`a.b.C.run`)."""

    map_id: str
    data: bytes
    ids: dict[str, int]

    @property
    def package(self) -> str:
        """The package that all classes share; empty if there is none."""
        parts = [name.split(".")[:-2] for name in self.ids]
        shared = []
        for level in zip(*parts, strict=False):
            if len(set(level)) > 1:
                break
            shared.append(level[0])
        return ".".join(shared)


def named_methods(names: Iterable[str]) -> NamedMethods:
    """Return the map of methods. Overloads are one method, since they have the same name."""
    split = sorted((*_split(name), name) for name in set(names))
    classes = sorted({class_name for class_name, _, _ in split})
    methods = [
        {"id": i, "class": class_name, "name": method, "descriptor": "", "line": None}
        for i, (class_name, method, _) in enumerate(split)
    ]
    text = "".join(f"class\t{name}\n" for name in classes) + "".join(f"method\t{i}\t{one[2]}\n" for i, one in enumerate(split))
    map_id = hashlib.sha256(text.encode()).hexdigest()[:16]
    listed = [{"name": name, "sha256": None, "source": "main", "module": None, "file": None} for name in classes]
    document = {"schema_version": 1, "map_id": map_id, "classes": listed, "methods": methods, "skipped": []}
    return NamedMethods(map_id, json.dumps(document).encode(), {name: i for i, (_, _, name) in enumerate(split)})


def _split(name: str) -> tuple[str, str]:
    class_name, dot, method = name.rpartition(".")
    return (class_name, method) if dot and class_name and method else (_NO_CLASS, name)
