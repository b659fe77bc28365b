"""Batches of events split into segments. A segment is one thread's events in one test, or between two tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.calls.stretches import CUT
from navitas.attribute.calls.walk import EventBatch
from navitas.attribute.window_spans import WindowSpans
from navitas.parse.arrays import I64, Bool
from navitas.parse.tables import THROW


@dataclass(frozen=True, slots=True)
class EventSegments:
    """A batch split at the tests' edges: segment i has the points from start[i] to start[i + 1] − 1.

    `is_cut`: calls are open at the segment's end, where the recording of the thread ends.
    """

    batch: EventBatch
    start: I64
    thread: I64
    window: I64
    is_cut: Bool

    def failed(self) -> tuple[I64, I64]:
        """Points at which an exception ended a call or a call was cut, and the segment of each point."""
        point = np.flatnonzero((self.batch.kind == THROW) | (self.batch.kind == CUT))
        return point, np.searchsorted(self.start, point, side="right") - 1

    def carried(self, point: I64, segment: I64) -> Bool:
        """Whether each call that ended at these points began before its segment."""
        depth = self.batch.depth
        is_carried: Bool = depth[point] < depth[self.start[segment]]
        for number in np.unique(segment[is_carried]).tolist():
            low, high = self.start[number], self.start[number + 1]
            inside = is_carried & (segment == number)
            lowest = np.minimum.accumulate(depth[low:high])
            is_carried[inside] = lowest[point[inside] - 1 - low] > depth[point[inside]]
        return is_carried


def segments_of(batch: EventBatch, spans: WindowSpans) -> EventSegments:
    """Split a batch of `walk(…, spans.marks)` into segments."""
    start = np.append(batch.segment_start, batch.start[-1])
    piece = np.searchsorted(batch.start, batch.segment_start, side="right") - 1
    thread = np.array([one.thread for one in batch.pieces], np.int64)[piece]
    is_cut = np.array([one.is_cut for one in batch.pieces], bool)[piece] & (start[1:] == batch.start[piece + 1])
    return EventSegments(batch, start, thread, spans.at(batch.t_ns[batch.segment_start]), is_cut)
