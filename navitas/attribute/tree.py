"""Call trees: parts of calls merged by their path, level by level, for all tests and threads at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls import order_by_level
from navitas.attribute.curves import F64, Bool
from navitas.attribute.items import Items, sums
from navitas.parse.tables import I64


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes of all rows (a row: one thread, or a group of threads, in one test), parents before children.

    `inclusive` and `exclusive` columns are those of `Items.amounts`. `is_outermost`: no node above has the same method.
    """

    row: I64
    method: I64
    parent: I64
    counts: I64
    inclusive: F64
    exclusive: F64
    is_outermost: Bool


def build_tree(parts: Sequence[tuple[I64, Items]], rows: int, methods: int) -> Tree:
    """Merge items by row and path; `parts` give each item's row."""
    row, method, parent, level, nodes_of = _merged(parts, rows, methods)
    size = len(row)
    counts = np.zeros((size, 3))
    inclusive, own = np.zeros((size, 4)), np.zeros((size, 4))
    for (_, items), node in zip(parts, nodes_of, strict=True):
        counts += sums(node, items.counts, size)
        target = own if items.is_self else inclusive
        target += sums(node, items.amounts, size)
    for nodes in reversed(_by_level(level)):
        own_parent = parent[nodes]
        np.add.at(own, own_parent[own_parent >= 0], own[nodes[own_parent >= 0]])
    inclusive += own
    has_parent = parent >= 0
    exclusive = inclusive - sums(parent[has_parent], inclusive[has_parent], size)
    return Tree(row, method, parent, counts.astype(np.int64), inclusive, exclusive, _outermost(parent, method))


def _merged(parts: Sequence[tuple[I64, Items]], rows: int, methods: int) -> tuple[I64, I64, I64, I64, list[I64]]:
    """Nodes as row, method, parent and level, and the node of every item."""
    levels = [_by_level(items.level) for _, items in parts]
    nodes_of = [np.empty(len(items.level), np.int64) for _, items in parts]
    columns: list[tuple[I64, I64, I64, I64]] = []
    size = 0
    for depth in range(max(map(len, levels), default=0)):
        keys = []
        at = [found[depth] if depth < len(found) else np.empty(0, np.int64) for found in levels]
        for (row, items), node, items_at in zip(parts, nodes_of, at, strict=True):
            caller = items.parent[items_at]
            above = np.where(caller >= 0, rows + node[caller], row[items_at])
            keys.append(above * methods + items.method[items_at])
        key, first, inverse = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
        for node, items_at, found in zip(
            nodes_of, at, np.split(inverse, np.cumsum([len(one) for one in keys])[:-1]), strict=True
        ):
            node[items_at] = size + found
        above = key // methods
        parent = np.where(above >= rows, above - rows, -1)
        row = np.concatenate([row[items_at] for (row, _), items_at in zip(parts, at, strict=True)])[first]
        columns.append((row, key % methods, parent, np.full(len(key), depth)))
        size += len(key)
    empty = np.empty(0, np.int64)
    row, method, parent, level = (np.concatenate([empty, *(column[i] for column in columns)]) for i in range(4))
    return row, method, parent, level, nodes_of


def _by_level(level: I64) -> list[I64]:
    """Indices of each level, from 0 on."""
    order = order_by_level(level)
    return np.split(order, np.searchsorted(level[order], np.arange(1, level.max(initial=-1) + 1))) if len(level) else []


def _outermost(parent: I64, method: I64) -> Bool:
    """Which nodes have no node of their own method above them."""
    outermost = np.ones(len(parent), bool)
    open_nodes = np.arange(len(parent))
    above = parent.copy()
    while len(open_nodes):
        going = above >= 0
        open_nodes, above = open_nodes[going], above[going]
        again = method[open_nodes] == method[above]
        outermost[open_nodes[again]] = False
        open_nodes, above = open_nodes[~again], parent[above[~again]]
    return outermost
