"""The energy of a processing: Σ energy of the modules that messages from given modules reach (paper 2, equation 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from navitas.base.errors import UsageError
from navitas.insight.graph.module_graph import NO_CLASS, SYSTEM, ModuleEdge, ModuleGraph, ModuleNode


@dataclass(frozen=True, slots=True)
class Processing:
    """The modules that messages from `entries` reach, with the entries, and the messages between them.

    `energy_j` is E_processing, the sum of the modules' energies, with its split by component.
    """

    entries: tuple[str, ...]
    modules: tuple[ModuleNode, ...]
    edges: tuple[ModuleEdge, ...]
    energy_j: float
    components: tuple[float, ...]


def processing(graph: ModuleGraph, entries: Sequence[str]) -> Processing:
    """Return the sub-graph that is reachable from modules, each module once.

    An entry is a class name, or its last part if that is unique, or `(Android system)`. Raises `UsageError` for an unknown one.
    """
    starts = tuple(dict.fromkeys(_resolved(graph, entry) for entry in entries))
    after: dict[str, list[ModuleEdge]] = {}
    for edge in graph.edges:
        after.setdefault(edge.sender, []).append(edge)
    reached, waiting, edges = set(starts), list(starts), list[ModuleEdge]()
    while waiting:
        for edge in after.get(waiting.pop(), ()):
            edges.append(edge)
            if edge.receiver not in reached and edge.receiver not in NO_CLASS:
                reached.add(edge.receiver)
                waiting.append(edge.receiver)
    modules = tuple(node for node in graph.nodes if node.name in reached)
    components = tuple(sum(node.components[i] for node in modules) for i in range(len(graph.components)))
    order = {edge.key: place for place, edge in enumerate(graph.edges)}
    edges.sort(key=lambda edge: order[edge.key])
    return Processing(starts, modules, tuple(edges), sum(node.energy_j for node in modules), components)


def part_of(graph: ModuleGraph, reached: Processing) -> ModuleGraph:
    """Return the graph of a processing. Energy outside of its modules is in `outside`."""
    inside = [sum(node.components[i] for node in reached.modules) for i in range(len(graph.components))]
    every = [sum(node.components[i] for node in (*graph.nodes, graph.outside)) - own for i, own in enumerate(inside)]
    names = {node.name for node in reached.modules}
    outside = replace(graph.outside, energy_j=sum(every), components=tuple(every))
    unmatched = tuple(one for one in graph.unmatched if one.module in names)
    return replace(graph, nodes=reached.modules, edges=reached.edges, outside=outside, unmatched=unmatched)


def _resolved(graph: ModuleGraph, entry: str) -> str:
    names = graph.by_name
    if entry in names or entry == SYSTEM:
        return entry
    short = _named(graph, entry)
    if len(short) == 1:
        return short[0]
    if short:
        raise UsageError(f"several modules are named {entry}", f"give one of: {', '.join(sorted(short)[:5])}")
    near = get_close_matches(entry, {*names, *(name.rpartition(".")[2] for name in names)}, 3)
    hint = f"did you mean {', '.join(near)}?" if near else "run `navitas graph` without --from to list the modules"
    raise UsageError(f"no module is named {entry or repr(entry)}", hint)


def _named(graph: ModuleGraph, entry: str) -> list[str]:
    """The modules of which this is the last part."""
    return [name for name in graph.by_name if entry in (name.rpartition(".")[2], name.rpartition("$")[2])]


def entry_name(graph: ModuleGraph, module: str) -> str:
    """Return the short name by which `processing` finds a module: its last part if that is unique."""
    last = module.rpartition(".")[2]
    return last if _named(graph, last) == [module] else module
