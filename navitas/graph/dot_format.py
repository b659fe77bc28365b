"""The graph in the language of Graphviz."""

from __future__ import annotations

from typing import IO

from navitas.graph.edge_style import drawn_nodes, edge_color, edge_widths, node_lines
from navitas.graph.module_graph import ModuleGraph
from navitas.untrusted_text import boxed


def write_dot(graph: ModuleGraph, out: IO[str]) -> None:
    """Write the graph: energy in the nodes, counts on the edges, line widths by the share of messages."""
    numbers, widths = dict[str, int](), edge_widths(graph)
    print(f"digraph {_quoted(graph.project)} {{", file=out)
    print('  rankdir=TB; node [shape=box, fontname="Helvetica"]; edge [fontname="Helvetica"];', file=out)
    for number, node in enumerate(drawn_nodes(graph)):
        name = node if isinstance(node, str) else node.name
        numbers[name] = number
        print(f"  n{number} [label={_quoted(*node_lines(node))}, tooltip={_quoted(name)}];", file=out)
    for edge in graph.edges:
        ends = f"n{numbers[edge.sender]} -> n{numbers[edge.receiver]}"
        look = f'color="{edge_color(edge)}", penwidth={widths[edge.key]:.3f}'
        print(f'  {ends} [label="{edge.count}", {look}, tooltip="{edge.kind.value}"];', file=out)
    print("}", file=out)


def _quoted(*lines: str) -> str:
    """A quoted string of several lines. Graphviz reads a backslash as an escape, and HTML entities as characters."""
    escaped = (
        boxed(line, 500).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", " ") for line in lines
    )
    return '"' + "\\n".join(escaped) + '"'
