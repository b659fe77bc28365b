"""How nodes and edges are drawn: as in paper 2, figure 9."""

from __future__ import annotations

from navitas.base.units import joules
from navitas.base.untrusted_text import boxed
from navitas.insight.graph.module_graph import EdgeKind, ModuleEdge, ModuleGraph, ModuleNode

BLACK, YELLOW = "#000000", "#e6b800"
_COLORED = (EdgeKind.PERIODIC, EdgeKind.BROADCAST, EdgeKind.SYSTEM_BROADCAST)
THINNEST, THICKEST = 1.0, 8.0
LONGEST_LABEL = 60


def edge_color(edge: ModuleEdge) -> str:
    """Yellow for periodic messages and broadcasts, black for all others."""
    return YELLOW if edge.kind in _COLORED else BLACK


def edge_widths(graph: ModuleGraph) -> dict[tuple[str, str, str], float]:
    """The width of each edge in points, by its key: it grows with the edge's share of all messages."""
    total = sum(edge.count for edge in graph.edges)
    return {edge.key: THINNEST + (THICKEST - THINNEST) * edge.count / max(total, 1) for edge in graph.edges}


def drawn_nodes(graph: ModuleGraph) -> dict[str, ModuleNode | None]:
    """The modules and `outside` by name, then the other names that an edge has, without a node."""
    nodes = {node.name: node for node in (*graph.nodes, graph.outside)}
    named = {name for edge in graph.edges for name in (edge.sender, edge.receiver)}
    return {**nodes, **dict.fromkeys(sorted(named - nodes.keys()))}


def node_lines(name: str, node: ModuleNode | None) -> list[str]:
    """The lines of a node's label: its name without packages, and its energy."""
    short = name if node is None or name.startswith("(") else name.rpartition(".")[2] or name
    return [boxed(short, LONGEST_LABEL), *([] if node is None else [joules(node.energy_j)])]
