"""Public class names are unique in Navitas, as are the names of test modules."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "navitas"
TESTS = Path(__file__).parents[1]


def _places() -> dict[str, list[str]]:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    return places


def test_public_class_names_are_unique() -> None:
    assert not {name: places for name, places in _places().items() if len(places) > 1}


def test_names_of_test_modules_are_unique() -> None:
    """Pytest imports a test module by its file name alone."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert not [name for name, count in names.items() if count > 1]
