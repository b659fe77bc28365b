"""Join the stacks of several parts into one forest of frames."""

from __future__ import annotations

import numpy as np

from navitas.recording.parse.arrays import I32, I64
from navitas.recording.parse.samples_stacks import ROWS_LIMIT, ForestRows
from navitas.recording.parse.stack_samples import Stacks

MOST_FRAMES = 8192
"""Frames of a stack that are kept, the innermost ones: building takes one step for each level."""


class JoinedStacks:
    """A forest of frames that grows by many stacks at a time (`StackForest` adds one). Equal stacks have equal rows.

    Stacks lose their inner frames beyond `rows_limit` rows.
    """

    def __init__(self, rows_limit: int = ROWS_LIMIT) -> None:
        self._rows = ForestRows(rows_limit)

    def add(self, start: I64, frame: I64) -> tuple[I32, int]:
        """Add stacks, innermost frame first: those from `start[i]` to `start[i + 1]` of `frame`.

        Returns the row of each stack's innermost frame, -1 for one without frames, and how many stacks were cut.
        """
        every = np.diff(start)
        lengths = np.minimum(every, MOST_FRAMES)
        is_cut = every > MOST_FRAMES
        result = np.full(len(lengths), -1, np.int32)
        # Stacks of the same length or longer come first, so those with a frame on the next level are the first ones.
        order = np.argsort(-lengths, kind="stable")
        outermost = (start[:-1] + lengths - 1)[order]
        depths = lengths[order]
        limit = int(frame.max()) + 1 if len(frame) else 1
        row, is_full = np.full(len(order), -1, np.int64), np.zeros(len(order), bool)
        for level in range(int(depths[0]) if len(depths) else 0):
            count = int(np.searchsorted(-depths, -level, side="left"))
            growing = np.flatnonzero(~is_full[:count])
            keys = (row[growing] + 1) * limit + frame[outermost[growing] - level]
            distinct, inverse = np.unique(keys, return_inverse=True)
            above = distinct // limit - 1
            rows = [self._rows.row(parent, own) for parent, own in zip(above.tolist(), (distinct % limit).tolist(), strict=True)]
            new = np.array(rows, np.int64)[inverse]
            is_full[growing] = new < 0
            row[growing] = np.where(new < 0, row[growing], new)
        result[order] = row
        is_cut[order] |= is_full
        return result, int(np.count_nonzero(is_cut))

    def stacks(self) -> Stacks:
        """Return the forest."""
        return self._rows.table()
