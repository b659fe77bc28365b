"""The graph in the language of Graphviz, and drawn by it, if it is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from contextlib import suppress
from typing import IO

from navitas.base.errors import UsageError
from navitas.base.untrusted_text import boxed
from navitas.insight.graph.edge_style import drawn_nodes, edge_color, edge_widths, node_lines
from navitas.insight.graph.module_graph import ModuleGraph

TIMEOUT_S = 3.0
"""Graphviz can need minutes for a dense graph. After this time, an SVG gets Navitas's own layout."""
_PNG_TIMEOUT_S = 60.0


def write_dot(graph: ModuleGraph, out: IO[str]) -> None:
    """Write the graph: energy in the nodes, counts on the edges, line widths by the share of messages."""
    drawn, widths = drawn_nodes(graph), edge_widths(graph)
    numbers = {name: number for number, name in enumerate(drawn)}
    print(f"digraph {_quoted(graph.project)} {{", file=out)
    print('  rankdir=TB; node [shape=box, fontname="Helvetica"]; edge [fontname="Helvetica"];', file=out)
    for name, node in drawn.items():
        print(f"  n{numbers[name]} [label={_quoted(*node_lines(name, node))}, tooltip={_quoted(name)}];", file=out)
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


def graphviz_svg(graph: ModuleGraph, program: str = "dot", timeout_s: float = TIMEOUT_S) -> str | None:
    """Return the graph as SVG, or None if Graphviz is not installed, fails, or needs too long."""
    drawn = _drawn(graph, program, "svg", timeout_s)
    return None if drawn is None else drawn.decode("utf-8", "replace")


def graphviz_png(graph: ModuleGraph, program: str = "dot", timeout_s: float = _PNG_TIMEOUT_S) -> bytes:
    """Return the graph as PNG. Raises `UsageError` if Graphviz is not installed, fails, or needs too long."""
    if shutil.which(program) is None:
        raise UsageError("PNG needs Graphviz, which is not installed", "install it, or write SVG: -o modules.svg")
    drawn = _drawn(graph, program, "png", timeout_s)
    if drawn is None:
        raise UsageError(f"Graphviz failed, or needed more than {timeout_s:.0f} s", "write SVG: -o modules.svg")
    return drawn


def _drawn(graph: ModuleGraph, program: str, format_name: str, timeout_s: float) -> bytes | None:
    found = shutil.which(program)
    if found is None:
        return None
    text = io.StringIO()
    write_dot(graph, text)
    command = [found, f"-T{format_name}"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, input=text.getvalue().encode(), capture_output=True, timeout=timeout_s, check=True).stdout
    return None
