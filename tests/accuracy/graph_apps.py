"""Compare the graphs of real apps with lists of their edges (`python tests/accuracy/graph_apps.py FOLDER`).

The apps are not in the repository. FOLDER has a recording of each with hooks, named as its list in `tests/accuracy/graph_apps`
(docs/dev/graph-apps.md). An app without a recording is skipped.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navitas.cli.main import run
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM

LISTS = Path(__file__).parent / "graph_apps"
_NAMES = {SYSTEM: "Android", OUTSIDE_MODULES: "Outside"}
"""What lists call the senders that are no modules."""
Edge = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of edges: `package NAME`, then a sender, a receiver and a kind in each line. Lines with `#` are the scenario.

    `Android` and `Outside` (code outside of modules) are senders, too.
    """

    package: str
    edges: frozenset[Edge]

    @classmethod
    def read(cls, text: str) -> Listed:
        first, *lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        return cls(first[1], frozenset((sender, receiver, kind) for sender, receiver, kind in lines))


@dataclass(frozen=True, slots=True)
class Score:
    """The listed edges, those of them that were not found, and the edges that are not listed."""

    listed: Set[Edge]
    missed: Set[Edge]
    false: Set[Edge]

    @property
    def found(self) -> int:
        return len(self.listed) - len(self.missed)

    @property
    def recall(self) -> float:
        return self.found / len(self.listed)

    @property
    def precision(self) -> float:
        return self.found / max(self.found + len(self.false), 1)


def score(listed: Listed, graph: Mapping[str, Any]) -> Score:
    """Compare a graph in Navitas's JSON with a list."""

    def name(module: str) -> str:
        return _NAMES.get(module) or module.removeprefix(f"{listed.package}.")

    edges = {(name(link["source"]), name(link["target"]), link["kind"]) for link in graph["links"]}
    return Score(listed.edges, listed.edges - edges, edges - listed.edges)


def total(scores: list[Score]) -> Score:
    """All apps together. Edges of different apps are different."""

    def all_of(field: str) -> set[Edge]:
        return {(f"{i} {sender}", *rest) for i, each in enumerate(scores) for sender, *rest in getattr(each, field)}

    return Score(*(all_of(field) for field in ("listed", "missed", "false")))


def main(folder: Path) -> int:
    scores = []
    for file in sorted(LISTS.glob("*.txt")):
        recording = folder / file.stem
        if not (recording / "manifest.json").is_file():
            print(f"{file.stem}: skipped, no recording {recording}")
            continue
        with tempfile.TemporaryDirectory() as place:
            document = Path(place) / "graph.json"
            if (code := run(["graph", str(recording), "--json", str(document)])) != 0:
                return code
            scores.append(score(Listed.read(file.read_text("utf-8")), json.loads(document.read_text("utf-8"))))
        _print(file.stem, scores[-1])
    if scores:
        _print("all", total(scores))
    return 0


def _print(name: str, found: Score) -> None:
    figures = f"precision {found.precision:.1%}, recall {found.recall:.1%}"
    print(f"{name}: {len(found.listed)} listed, {found.found} found, {len(found.false)} false; {figures}")
    if name != "all":
        for what, edges in (("missed", found.missed), ("false", found.false)):
            for edge in sorted(edges):
                print(f"  {what}: {' '.join(edge)}")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
