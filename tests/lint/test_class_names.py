"""Public class names are unique in Navitas."""

from __future__ import annotations

import ast
from collections import defaultdict

from source_tree import PACKAGE, files, nodes, place


def test_public_class_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in files(PACKAGE, ".py"):
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(place(path, PACKAGE))
    assert not {name: found for name, found in places.items() if len(found) > 1}
