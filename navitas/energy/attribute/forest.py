"""Sums and orders over forests given by `parent` (-1 at a root). The number of passes is logarithmic in the depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.curves import Word, group_starts
from navitas.recording.parse.arrays import F64, I64, Bool


def path_sums(parent: I64, value: NDArray[Word]) -> NDArray[Word]:
    """The sum of each node's value and the values of all its ancestors (integers wrap)."""
    total, above = value.copy(), parent.copy()
    while len(going := np.flatnonzero(above >= 0)):
        up = above[going]
        total[going] += total[up]
        above[going] = above[up]
    return total


def subtree_sums(parent: I64, values: F64) -> F64:
    """The sums of each node's values and the values of all its descendants, column by column."""
    # Contiguous columns, summed one after another, need the least memory.
    total, above = values.copy(order="F"), parent.copy()
    while len(going := np.flatnonzero(above >= 0)):
        up = above[going]
        for i in range(total.shape[1]):
            total[:, i] += np.bincount(up, total[going, i], len(total))
        above[going] = above[up]
    return total


def preorder(parent: I64, rank: I64, size: I64) -> I64:
    """Each node's position in a depth-first walk, siblings and roots by `rank`. `size` has the subtrees' numbers of nodes."""
    order = np.lexsort((rank, parent))
    before = np.cumsum(size[order]) - size[order]
    first = np.flatnonzero(group_starts(parent[order]))
    before -= np.repeat(before[first], np.diff(np.append(first, len(order))))
    place = np.empty(len(parent), np.int64)
    place[order] = before
    return path_sums(parent, place + (parent >= 0))


def positions(order: I64) -> I64:
    """The position of each number in `order`, which has each number from 0 on once."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def outermost(label: I64, size: I64) -> Bool:
    """Whether each node has no ancestor with its label. Nodes are in preorder; `size` has the subtrees' numbers of nodes."""
    order = np.argsort(label, kind="stable")
    end = order + size[order]
    # A node lies before the end of an earlier subtree of its label only if that subtree contains it.
    group = (np.cumsum(group_starts(label[order])) - 1) * (len(label) + 1)
    reach = np.maximum.accumulate(end + group)
    free = np.ones(len(label), bool)
    free[order[1:]] = reach[:-1] <= (order + group)[1:]
    return free


def binned(index: I64, values: F64 | I64, size: int) -> F64:
    """The sums of values by index (0 … size − 1)."""
    return np.bincount(index, values, size).astype(np.float64, copy=False)


def row_sums(index: I64, rows: F64 | I64, size: int) -> F64:
    """The sums of each row's values by index (0 … size − 1)."""
    return np.stack([np.bincount(index, row, size) if row.any() else np.zeros(size) for row in rows])


def sums(index: I64, columns: F64 | I64, size: int) -> F64:
    """The sums of each column by index (0 … size − 1)."""
    return np.stack([np.bincount(index, columns[:, i], size) for i in range(columns.shape[1])], axis=1)
