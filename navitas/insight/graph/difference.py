"""The difference of two graphs: new, gone and dearer modules and edges. All figures are per run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from navitas.insight.graph.module_graph import ModuleGraph

Change = Literal["new", "gone", "dearer", "cheaper", "more often", "less often"]
LEAST_CHANGE = 0.01
"""The relative change of energy or count from which a module or an edge counts as changed."""
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """A module whose energy per run changed. A new module has `before_j` 0, a gone one `after_j` 0."""

    name: str
    change: Change
    before_j: float
    after_j: float


@dataclass(frozen=True, slots=True)
class EdgeChange:
    """An edge whose energy or number of messages per run changed. If both did, `change` is that of the energy."""

    sender: str
    receiver: str
    kind: str
    change: Change
    before_j: float
    after_j: float
    before_count: float
    after_count: float


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """The changes from one graph to another, largest change of energy first. `before_j` and `after_j` are the apps' totals."""

    modules: tuple[ModuleChange, ...]
    edges: tuple[EdgeChange, ...]
    before_j: float
    after_j: float


def difference(before: ModuleGraph, after: ModuleGraph) -> GraphDifference:
    """Compare two graphs. Modules are matched by name, edges by sender, receiver and kind."""
    old, new = ({node.name: node.energy_j / max(graph.runs, 1) for node in graph.nodes} for graph in (before, after))
    modules = [
        ModuleChange(name, change, old.get(name, 0.0), new.get(name, 0.0))
        for name, change in _changes(old, new, lambda name: _word(old[name], new[name], "dearer", "cheaper"))
    ]
    old_edges, new_edges = (
        {edge.key: (edge.energy_j / max(graph.runs, 1), edge.count / max(graph.runs, 1)) for edge in graph.edges}
        for graph in (before, after)
    )

    def of_edge(key: tuple[str, str, str]) -> Change | None:
        """What changed of the energy, or else of the number of messages."""
        (before_j, before_count), (after_j, after_count) = old_edges[key], new_edges[key]
        return _word(before_j, after_j, "dearer", "cheaper") or _word(before_count, after_count, "more often", "less often")

    edges = []
    for key, change in _changes(old_edges, new_edges, of_edge):
        (before_j, before_count), (after_j, after_count) = old_edges.get(key, (0.0, 0.0)), new_edges.get(key, (0.0, 0.0))
        edges.append(EdgeChange(*key, change, before_j, after_j, before_count, after_count))
    return GraphDifference(
        tuple(sorted(modules, key=lambda one: (-abs(one.after_j - one.before_j), one.name))),
        tuple(sorted(edges, key=lambda one: (-abs(one.after_j - one.before_j), one.sender, one.receiver, one.kind))),
        before.energy_j / max(before.runs, 1),
        after.energy_j / max(after.runs, 1),
    )


def _changes(
    old: Mapping[_Key, object], new: Mapping[_Key, object], change_of: Callable[[_Key], Change | None]
) -> list[tuple[_Key, Change]]:
    found: list[tuple[_Key, Change]] = []
    for key in {**old, **new}:
        if key not in old:
            found.append((key, "new"))
        elif key not in new:
            found.append((key, "gone"))
        elif change := change_of(key):
            found.append((key, change))
    return found


def _word(before: float, after: float, more: Change, less: Change) -> Change | None:
    """The direction of a change, None if it is below `LEAST_CHANGE` of the greater value."""
    if abs(after - before) < LEAST_CHANGE * max(abs(before), abs(after)) or before == after:
        return None
    return more if after > before else less
