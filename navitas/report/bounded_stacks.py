"""Call trees as stacks of bounded depth, for formats whose size grows with the square of the depth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from navitas.energy.analyze.trees import CallTrees
from navitas.energy.attribute.forest import path_sums
from navitas.recording.parse.arrays import I64

MAX_DEPTH = 500
"""The maximum depth of a stack. Deeper calls are merged into one frame."""
DEEPER = f"(deeper than {MAX_DEPTH} calls)"

StackedCall = tuple[int, int | None, list[int]]
"""The depth of a call, from 1, its method, and its values."""


class BoundedStacks:
    """Reads call trees. `values` has a row for each of their nodes."""

    def __init__(self, trees: CallTrees, values: I64) -> None:
        self._trees, self._values = trees, values
        self._depth = path_sums(trees.parent, np.ones(len(trees.parent), np.int64))

    def of(self, tree: int) -> Iterator[StackedCall]:
        """Yield the calls of a tree, callers first.

        The caller of a call is the last one before it whose depth is less by 1. The method is None for calls that are deeper
        than `MAX_DEPTH`: those that follow one another are one, with their sum.
        """
        nodes = slice(*self._trees.start[tree : tree + 2].tolist())
        depth = np.minimum(self._depth[nodes], MAX_DEPTH + 1)
        is_deeper = depth > MAX_DEPTH
        kept = np.flatnonzero(~is_deeper | ~np.append(False, is_deeper[:-1]))
        if not len(kept):
            return
        values = np.add.reduceat(self._values[nodes], kept).tolist()
        methods = self._trees.method[nodes][kept].tolist()
        for level, method, row in zip(depth[kept].tolist(), methods, values, strict=True):
            yield level, None if level > MAX_DEPTH else method, row
