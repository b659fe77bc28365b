"""The graph as SVG, drawn without Graphviz."""

from __future__ import annotations

from html import escape
from typing import IO

from navitas.graph.edge_style import BLACK, YELLOW, drawn_nodes, edge_color, edge_widths, node_lines
from navitas.graph.layered_layout import LayeredLayout, layered_layout
from navitas.graph.module_graph import ModuleGraph
from navitas.untrusted_text import boxed

_WIDTH, _HEIGHT = 190, 44
_STEP_X, _STEP_Y = 230, 120
_MARGIN = 40
_LINE = 16
_FIT = 26
"""The number of characters that fit into a node."""


def write_svg(graph: ModuleGraph, out: IO[str]) -> None:
    """Write a picture that loads nothing. Titles show the whole names of modules."""
    nodes = drawn_nodes(graph)
    numbers = {node if isinstance(node, str) else node.name: i for i, node in enumerate(nodes)}
    layout = layered_layout(len(nodes), [(numbers[edge.sender], numbers[edge.receiver]) for edge in graph.edges])
    width, height = 2 * _MARGIN + max(layout.widest, 1) * _STEP_X, 2 * _MARGIN + max(layout.rows, 1) * _STEP_Y
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    print(f'{head} font-family="Helvetica,Arial,sans-serif" font-size="12">', file=out)
    print("<defs>" + "".join(map(_arrow, (BLACK, YELLOW))) + "</defs>", file=out)
    print(f'<rect width="{width}" height="{height}" fill="#ffffff"/>', file=out)
    widths = edge_widths(graph)
    drawn: dict[tuple[int, int], int] = {}
    for edge in graph.edges:
        ends = numbers[edge.sender], numbers[edge.receiver]
        nth = drawn.get(ends, 0)
        drawn[ends] = nth + 1
        path, middle = _curve(layout, *ends, nth)
        color = edge_color(edge)
        title = escape(boxed(f"{edge.sender} → {edge.receiver}: {edge.kind.value}", 1000))
        look = f'fill="none" stroke="{color}" stroke-width="{widths[edge.key]:.2f}" marker-end="url(#a{color[1:]})"'
        label = f'<text x="{middle[0]:.0f}" y="{middle[1]:.0f}" fill="#333333">{edge.count}</text>'
        print(f'<g class="edge"><title>{title}</title><path d="{path}" {look}/>{label}</g>', file=out)
    for number, node in enumerate(nodes):
        x, y = _corner(layout, number)
        name = node if isinstance(node, str) else node.name
        box = f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="4" fill="#f4f7fb" stroke="#4a6fa5"/>'
        lines = "".join(
            f'<text x="{x + _WIDTH / 2:.0f}" y="{y + 18 + i * _LINE}" text-anchor="middle">{escape(_shortened(line))}</text>'
            for i, line in enumerate(node_lines(node))
        )
        print(f'<g class="node"><title>{escape(boxed(name, 1000))}</title>{box}{lines}</g>', file=out)
    print("</svg>", file=out)


def _arrow(color: str) -> str:
    box = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"'
    return f'<marker id="a{color[1:]}" {box}><path d="M0,0 L10,5 L0,10 z" fill="{color}"/></marker>'


def _corner(layout: LayeredLayout, node: int) -> tuple[int, int]:
    shift = (layout.widest - layout.sizes[layout.row[node]]) * _STEP_X // 2
    return _MARGIN + shift + layout.place[node] * _STEP_X, _MARGIN + layout.row[node] * _STEP_Y


def _curve(layout: LayeredLayout, a: int, b: int, nth: int) -> tuple[str, tuple[float, float]]:
    """The path of an edge, and the place of its label. Parallel edges lie next to each other."""
    (ax, ay), (bx, by) = _corner(layout, a), _corner(layout, b)
    spread = 18 * nth
    if a == b:
        x, y = ax + _WIDTH, ay + _HEIGHT / 2
        out = x + 36 + spread
        return f"M{x},{y - 8} C{out},{y - 26} {out},{y + 26} {x},{y + 8}", (out - 8, y)
    start = (ax + _WIDTH / 2 + spread, ay + _HEIGHT if by > ay else ay)
    end = (bx + _WIDTH / 2 + spread, by if by > ay else by + _HEIGHT)
    if by == ay:
        start, end = (ax + _WIDTH / 2 + spread, ay + _HEIGHT), (bx + _WIDTH / 2 + spread, by + _HEIGHT)
    bend = 40 if by >= ay else -40
    path = f"M{start[0]:.0f},{start[1]} C{start[0]:.0f},{start[1] + bend} "
    turn = end[1] + bend if by == ay else end[1] - bend
    path += f"{end[0]:.0f},{turn} {end[0]:.0f},{end[1]}"
    middle_y = (start[1] + end[1]) / 2 + (30 if by == ay else 0)
    return path, ((start[0] + end[0]) / 2 + 4, middle_y)


def _shortened(line: str) -> str:
    return line if len(line) <= _FIT else f"{line[: _FIT - 9]}…{line[-8:]}"
