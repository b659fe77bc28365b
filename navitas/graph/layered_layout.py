"""A layered layout of a graph, for computers without Graphviz: Sugiyama's method with the barycenter heuristic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SWEEPS = 8
_ROW_LIMIT = 12
"""The largest number of nodes in a row. Larger layers continue in the next row."""


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
