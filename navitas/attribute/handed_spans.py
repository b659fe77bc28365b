"""The time in which threads ran work that was handed to them, without the handed work inside of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.curves import overlaps, time_span
from navitas.parse.arrays import I64, Bool

NO_TASK = -1


@dataclass(frozen=True, slots=True)
class HandedSpans:
    """Spans of time in which a handoff was the innermost one of its thread, sorted by thread, then time. They never overlap.

    `task` is the row of the handoff. A handoff that was interrupted by work inside of it has several spans.
    """

    thread: I64
    start_ns: I64
    end_ns: I64
    task: I64

    def __len__(self) -> int:
        return len(self.thread)

    def split_at(self, marks: I64) -> HandedSpans:
        """Split spans at ascending times."""
        span, mark = overlaps(
            np.searchsorted(marks, self.start_ns, side="right"), np.searchsorted(marks, self.end_ns, side="left") - 1
        )
        if not len(span):
            return self
        owner = np.concatenate([np.arange(len(self)), span])
        start_ns = np.concatenate([self.start_ns, marks[mark]])
        order = np.lexsort((start_ns, owner))
        owner, start_ns = owner[order], start_ns[order]
        is_last = np.append(np.diff(owner) != 0, True)
        end_ns = np.where(is_last, self.end_ns[owner], np.roll(start_ns, -1))
        return HandedSpans(self.thread[owner], start_ns, end_ns, self.task[owner])

    def at(self, thread: I64, t_ns: I64) -> I64:
        """The span that contains each time on a thread (its end is exclusive), `NO_TASK` where there is none."""
        if not len(self) or not len(thread):
            return np.full(len(thread), NO_TASK)
        edges_ns = np.array([self.start_ns.min() - 1, self.end_ns.max()])
        origin, width = time_span(edges_ns, int(max(self.thread.max(), thread.max())) + 1)
        key = thread * width + np.clip(t_ns, *edges_ns) - origin
        place = np.searchsorted(self.thread * width + (self.start_ns - origin), key, side="right") - 1
        span = np.maximum(place, 0)
        return np.where((place >= 0) & (self.thread[span] == thread) & (t_ns < self.end_ns[span]), place, NO_TASK)


def innermost_spans(thread: I64, start_ns: I64, end_ns: I64) -> HandedSpans:
    """Find the innermost handoff of each thread at each time. Rows of unknown threads (-1) have no spans.

    Handoffs nest like calls: at a time at which one ends, the one that started last ends. Of those that start at one time, the
    longest is the outermost; of equal ones, the last row.
    """
    rows = np.flatnonzero((thread >= 0) & (end_ns > start_ns))[::-1]
    origin, width = time_span(np.concatenate([start_ns[rows], end_ns[rows]]), int(thread[rows].max(initial=0)) + 1)
    key = thread[rows] * width - origin
    order = np.lexsort((-end_ns[rows], key + start_ns[rows]))
    rows, key = rows[order], key[order]
    # Two points for each handoff. At equal times, ends precede starts.
    is_start = np.repeat([False, True], len(rows))
    t_ns = np.concatenate([end_ns[rows], start_ns[rows]])
    order = np.argsort(2 * (np.tile(key, 2) + t_ns) + is_start, kind="stable")
    is_start, t_ns, row = is_start[order], t_ns[order], np.tile(rows, 2)[order]
    depth = np.cumsum(np.where(is_start, 1, -1))
    after = _open_rows(is_start, depth, row)
    inside = np.flatnonzero(after != NO_TASK)
    inside = inside[t_ns[inside + 1] > t_ns[inside]]
    task = after[inside]
    return HandedSpans(thread[task], t_ns[inside], t_ns[inside + 1], task)


def _open_rows(is_start: Bool, depth: I64, row: I64) -> I64:
    """The innermost open row after each point, `NO_TASK` outside of all. `depth` is the number of open rows after each point."""
    starts = np.flatnonzero(is_start)
    # The innermost open row is that of the last start that reached the depth.
    width = len(depth) + 1
    key = depth[starts] * width + starts
    order = np.argsort(key)
    place = np.searchsorted(key[order], depth * width + np.arange(len(depth)), side="right") - 1
    return np.where(depth > 0, row[starts[order[np.maximum(place, 0)]]] if len(starts) else NO_TASK, NO_TASK)
