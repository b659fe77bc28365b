"""A public class's name means one thing in all of Navitas."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "navitas"
OWN_NAMES = ("fleet", "collect", "build", "cli", "apk", "bundle")
"""Packages whose classes share no name, also not with a class of another package."""
NOT_YET = {
    *("Block", "Calls", "Clocks", "Device", "Element", "Lines", "Lost", "Missed", "Nodes", "Placement", "Process", "Profile"),
    *("Rails", "Rows", "Run", "Source", "Spans", "Switch", "Thread"),
}
"""Names that several classes of other packages have. No name comes to this list."""


def _places() -> dict[str, list[str]]:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(PACKAGE).as_posix())
    return places


def test_no_two_public_classes_have_one_name() -> None:
    shared = {name: places for name, places in _places().items() if len(places) > 1}
    assert not {name: places for name, places in shared.items() if name not in NOT_YET}
    assert not {name: places for name, places in shared.items() if any(place.startswith(OWN_NAMES) for place in places)}
