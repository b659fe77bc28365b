"""The graph as SVG, drawn without Graphviz, in layers: Sugiyama's method with the barycenter heuristic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import IO

from navitas.base.untrusted_text import boxed
from navitas.insight.graph.edge_style import BLACK, YELLOW, drawn_nodes, edge_color, edge_widths, node_lines
from navitas.insight.graph.module_graph import ModuleGraph

_WIDTH, _HEIGHT = 190, 44
_STEP_X, _STEP_Y = 230, 120
_MARGIN = 40
_LINE = 16
_FIT = 26
"""The number of characters that fit into a node."""
_SWEEPS = 8
_ROW_LIMIT = 12
"""The largest number of nodes in a row. Larger layers continue in the next row."""


def write_svg(graph: ModuleGraph, out: IO[str]) -> None:
    """Write a picture that loads nothing. Titles show the whole names of modules."""
    nodes = drawn_nodes(graph)
    numbers = {name: i for i, name in enumerate(nodes)}
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
    for name, node in nodes.items():
        x, y = _corner(layout, numbers[name])
        box = f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="4" fill="#f4f7fb" stroke="#4a6fa5"/>'
        lines = "".join(
            f'<text x="{x + _WIDTH / 2:.0f}" y="{y + 18 + i * _LINE}" text-anchor="middle">{escape(_shortened(line))}</text>'
            for i, line in enumerate(node_lines(name, node))
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


@dataclass(frozen=True, slots=True)
class LayeredLayout:
    """The row and the place in it of each node, from 0; and the number of nodes in each row, and in the widest one."""

    row: Sequence[int]
    place: Sequence[int]
    sizes: Sequence[int]
    widest: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.sizes)


def layered_layout(count: int, edges: Sequence[tuple[int, int]]) -> LayeredLayout:
    """Place nodes 0 … count − 1 so that most edges point down. Edges from a node to itself do not matter."""
    ends = sorted({(a, b) for a, b in edges if a != b})
    after: dict[int, list[int]] = {}
    for a, b in ends:
        after.setdefault(a, []).append(b)
    layer = _layers(count, after)
    around: list[list[int]] = [[] for _ in range(count)]
    for a, b in ends:
        around[a].append(b)
        around[b].append(a)
    rows = _ordered(layer, around)
    wrapped = [row[low : low + _ROW_LIMIT] for row in rows for low in range(0, len(row), _ROW_LIMIT)]
    row_of, place_of = [0] * count, [0] * count
    for number, row in enumerate(wrapped):
        for place, node in enumerate(row):
            row_of[node], place_of[node] = number, place
    return LayeredLayout(row_of, place_of, [len(row) for row in wrapped], max(map(len, wrapped), default=0))


def _layers(count: int, after: Mapping[int, Sequence[int]]) -> list[int]:
    """The longest path to each node, without edges that close a cycle in a depth-first search."""
    order, state = list[int](), [0] * count  # state: 0 new, 1 on the stack, 2 done
    forward: list[list[int]] = [[] for _ in range(count)]
    for root in range(count):
        stack = [] if state[root] else [root]
        while stack:
            node = stack[-1]
            if state[node]:
                stack.pop()
                if state[node] == 1:
                    state[node] = 2
                    order.append(node)
                continue
            state[node] = 1
            forward[node] = [other for other in after.get(node, ()) if state[other] != 1]
            stack += [other for other in forward[node] if not state[other]]
    layer = [0] * count
    for node in reversed(order):
        for other in forward[node]:
            layer[other] = max(layer[other], layer[node] + 1)
    return layer


def _ordered(layer: Sequence[int], around: Sequence[Sequence[int]]) -> list[list[int]]:
    """The nodes of each layer, ordered by the mean place of their neighbors in other layers."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node, number in enumerate(layer):
        rows[number].append(node)
    place = {node: i / len(row) for row in rows for i, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            means = {}
            for node in row:
                others = [place[other] for other in around[node] if layer[other] != layer[node]]
                means[node] = sum(others) / len(others) if others else place[node]
            row.sort(key=means.__getitem__)
            place.update((node, i / len(row)) for i, node in enumerate(row))
    return rows
