"""Self totals of call paths by row, where a row is a thread in a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.calls.self_totals import SelfTotals
from navitas.attribute.curves import distinct, in_sorted
from navitas.attribute.forest import sums
from navitas.parse.arrays import F64, I64


@dataclass(frozen=True, slots=True)
class CallNodes:
    """One entry per row and call path, sorted by row, then path. All callers of a path have entries, too.

    `parent` is the caller's entry, -1 for an outermost call. The columns of `counts` are calls, throws and cut calls. `amounts`
    has the columns of `SelfTotals`.
    """

    row: I64
    path: I64
    parent: I64
    counts: I64
    amounts: F64


def nodes_of(parts: Sequence[tuple[I64, SelfTotals]], paths: Paths) -> CallNodes:
    """Merge totals by row and path. Each of `parts` has the rows of its totals, and the totals."""
    width = len(paths)
    keys = [row * width + totals.path for row, totals in parts]
    key = _with_callers(distinct(np.concatenate([np.empty(0, np.int64), *keys])), paths)
    size, columns = len(key), parts[0][1].amounts.shape[1]
    counts, amounts = np.zeros((size, 3)), np.zeros((size, columns))
    for (_, totals), part_key in zip(parts, keys, strict=True):
        node = np.searchsorted(key, part_key)
        counts += sums(node, totals.counts, size)
        amounts += sums(node, totals.amounts, size)
    row, path = key // width, key % width
    caller = paths.parent[path]
    parent = np.where(caller == EMPTY, -1, np.searchsorted(key, row * width + caller))
    return CallNodes(row, path, parent, counts.astype(np.int64), amounts)


def _with_callers(key: I64, paths: Paths) -> I64:
    """The keys (row × paths + path) and the keys of all callers, each once, ascending."""
    up = paths.parent.copy()
    up[EMPTY] = EMPTY
    stride = up
    while not in_sorted(_above(key, up), key).all():
        # Strides of 1, 2, 4, 8 … calls together reach every caller.
        key = distinct(np.concatenate([key, _above(key, stride)]))
        stride = stride[stride]
    return key


def _above(key: I64, up: I64) -> I64:
    path = key % len(up)
    above: I64 = (key - path + up[path])[up[path] != EMPTY]
    return above
