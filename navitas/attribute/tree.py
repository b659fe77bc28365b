"""Call trees: what was spent in call paths, by rows (threads in tests), with callees and by method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.amounts import OUTSIDE_NS
from navitas.attribute.curves import F64, Bool, distinct, held
from navitas.attribute.forest import outermost, preorder, subtree_sums, sums
from navitas.attribute.items import Items
from navitas.attribute.paths import EMPTY, Paths
from navitas.parse.tables import I64


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes of all rows (a row: one thread, or a group of threads, in one test), row by row and depth first.

    `inclusive` and `exclusive` columns are those of attribute.amounts. `is_outermost`: no node above has the same method.
    """

    row: I64
    method: I64
    parent: I64
    counts: I64
    inclusive: F64
    exclusive: F64
    is_outermost: Bool


def build_tree(parts: Sequence[tuple[I64, Items]], paths: Paths) -> Tree:
    """Merge items by row and path; `parts` give each item's row."""
    width = len(paths)
    found = [row * width + items.path for row, items in parts]
    key = _with_callers(distinct(np.concatenate([np.empty(0, np.int64), *found])), paths)
    size = len(key)
    counts, exclusive = np.zeros((size, 3)), np.zeros((size, OUTSIDE_NS + 1))
    for (_, items), item in zip(parts, found, strict=True):
        node = np.searchsorted(key, item)
        counts += sums(node, items.counts, size)
        exclusive += sums(node, items.amounts, size)
    row, path = key // width, key % width
    caller = paths.parent[path]
    parent = np.where(caller == EMPTY, -1, np.searchsorted(key, row * width + caller))
    method = paths.method[path]
    whole = subtree_sums(parent, np.column_stack([exclusive, np.ones(size)]))
    below = np.rint(whole[:, -1]).astype(np.int64)
    place = preorder(parent, row * (method.max(initial=0) + 1) + method, below)
    order = np.empty(size, np.int64)
    order[place] = np.arange(size)
    free = outermost(row[order] * (method.max(initial=0) + 1) + method[order], below[order])
    up = parent[order]
    return Tree(
        row[order],
        method[order],
        np.where(up >= 0, place[up], -1),
        counts[order].astype(np.int64),
        whole[order, :-1],
        exclusive[order],
        free,
    )


def _with_callers(key: I64, paths: Paths) -> I64:
    """The keys (row × paths + path) and those of all callers, each once, ascending."""
    up = paths.parent.copy()
    up[EMPTY] = EMPTY
    stride = up
    while not held(_above(key, up), key).all():
        # 1, 2, 4, 8 … calls up: together they reach every caller.
        key = distinct(np.concatenate([key, _above(key, stride)]))
        stride = stride[stride]
    return key


def _above(key: I64, up: I64) -> I64:
    path = key % len(up)
    above: I64 = (key - path + up[path])[up[path] != EMPTY]
    return above
