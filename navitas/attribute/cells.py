"""A batch of events cut at the tests' edges into cells: a cell is one thread in one test, or outside of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import Bool, overlaps
from navitas.attribute.spans import Spans
from navitas.attribute.stretches import CUT, POINT
from navitas.attribute.walk import Batch
from navitas.parse.tables import I64, THROW, U8


@dataclass(frozen=True, slots=True)
class Cells:
    """The points of a batch (walk.Batch) with one more at each edge of a test.

    Cell i has those from start[i] to start[i + 1] − 1, piece j of the batch those from piece_start[j] to piece_start[j + 1] − 1.
    """

    start: I64
    thread: I64
    window: I64
    piece_start: I64
    piece_thread: I64
    is_cut: Bool
    t_ns: I64
    kind: U8
    path: I64
    depth: I64

    def failed(self) -> tuple[I64, I64]:
        """Points at which a call ended by a throw or was cut, and the cell of each."""
        point = np.flatnonzero((self.kind == THROW) | (self.kind == CUT))
        return point, np.searchsorted(self.start, point, side="right") - 1

    def carried(self, point: I64, cell: I64) -> Bool:
        """Which of the calls that ended at these points had been open before their cell began."""
        found = self.depth[point] < self.depth[self.start[cell]]
        for one in np.unique(cell[found]).tolist():
            low, high = self.start[one], self.start[one + 1]
            inside = found & (cell == one)
            lowest = np.minimum.accumulate(self.depth[low:high])
            found[inside] = lowest[point[inside] - 1 - low] > self.depth[point[inside]]
        return found


def cells_of(batch: Batch, spans: Spans) -> Cells:
    """Cut a batch at the edges of tests."""
    thread = np.array([piece.thread for piece in batch.pieces], np.int64)
    is_cut = np.array([piece.is_cut for piece in batch.pieces], bool)
    start, t_ns, marks = batch.start, batch.t_ns, spans.marks
    first = np.searchsorted(marks, t_ns[start[:-1]], side="right")
    piece, mark = overlaps(first, np.searchsorted(marks, t_ns[start[1:] - 1], side="right") - 1)
    if not len(piece):
        window = spans.at(t_ns[start[:-1]])
        return Cells(start, thread, window, start, thread, is_cut, t_ns, batch.kind, batch.path, batch.depth)
    at = _places(batch, piece, marks[mark])
    t_ns, kind = np.insert(t_ns, at, marks[mark]), np.insert(batch.kind, at, POINT)
    path, depth = (np.insert(column, at, column[at - 1]) for column in (batch.path, batch.depth))
    piece_start = start + np.searchsorted(at, start, side="left")
    edges = at + np.arange(len(at))
    cell_start = np.sort(np.concatenate([piece_start, edges]))
    cell_thread = thread[np.searchsorted(piece_start, cell_start[:-1], side="right") - 1]
    return Cells(cell_start, cell_thread, spans.at(t_ns[cell_start[:-1]]), piece_start, thread, is_cut, t_ns, kind, path, depth)


def _places(batch: Batch, piece: I64, mark_ns: I64) -> I64:
    """The point before which each mark lies: the first of its piece that is not earlier."""
    at = np.empty(len(piece), np.int64)
    bounds = np.searchsorted(piece, np.arange(len(batch.pieces) + 1))
    for one in np.unique(piece).tolist():
        low, high = batch.start[one], batch.start[one + 1]
        own = slice(bounds[one], bounds[one + 1])
        at[own] = low + np.searchsorted(batch.t_ns[low:high], mark_ns[own], side="left")
    return at
