"""Self totals of call paths from method events, in one pass with bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.amounts import JOULES, Amounts, Growth, PointPower
from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.self_totals import (
    AMOUNTS,
    CALLS,
    CUTS,
    INSIDE_J,
    NO_TOTALS,
    OUTSIDE_J,
    THROWS,
    WALL_NS,
    SelfTotals,
    merged_totals,
)
from navitas.energy.attribute.calls.step_totals import StepTotals
from navitas.energy.attribute.calls.walk import CUT, EventBatch
from navitas.energy.attribute.curves import in_sorted
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.tables import ENTER, EXIT, THROW


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
    """Split a batch into segments. Other marks of its walk split none: a call and its end belong to one segment, if they can."""
    marks = batch.segment_start
    first = marks[in_sorted(batch.t_ns[marks], spans.marks) | in_sorted(marks, batch.start)]
    start = np.append(first, batch.start[-1])
    piece = np.searchsorted(batch.start, first, side="right") - 1
    thread = np.array([one.thread for one in batch.pieces], np.int64)[piece]
    is_cut = np.array([one.is_cut for one in batch.pieces], bool)[piece] & (start[1:] == batch.start[piece + 1])
    return EventSegments(batch, start, thread, spans.at(batch.t_ns[first]), is_cut)


_MERGE_ROWS = 1 << 20
_DENSE = 4


class EventTotals:
    """Sums up the time in which each call path was innermost, by test and thread, batch by batch, in bounded memory.

    A call, its exception and its cut count in the test in which the call was entered. `steps` gets the joules over time, if
    there is one.
    """

    def __init__(self, spans: WindowSpans, amounts: Amounts, paths: Paths, steps: StepTotals | None) -> None:
        self._spans, self._amounts, self._paths, self._steps = spans, amounts, paths, steps
        self.marks = spans.marks if steps is None else np.union1d(spans.marks, steps.marks)
        """The tests' edges, and where steps begin."""
        self._entered = _Entered()
        self._parts: list[SelfTotals] = []
        self._rows, self._limit = 0, _MERGE_ROWS

    def add(self, batch: EventBatch) -> None:
        """Add the next batch of `walk(…, marks)`."""
        segments = segments_of(batch, self._spans)
        failed, segment = segments.failed()
        carried = segments.carried(failed, segment)
        threads = [piece.thread for piece in batch.pieces]
        growth, power = self._amounts.read(threads, batch.start, batch.t_ns)
        if self._steps is not None:
            self._add_steps(self._steps, batch, growth)
        spent = _spent(segments, failed[~carried], growth, power, len(self._paths))
        for totals in (spent, self._entered.ends(segments, failed[carried], segment[carried], self._paths)):
            kept = totals.window != NO_WINDOW
            if kept.any():
                self._parts.append(totals if kept.all() else totals.chosen(kept))
                self._rows += len(self._parts[-1])
        if self._rows > self._limit:
            self._parts = [merged_totals(self._parts)]
            self._rows = len(self._parts[0])
            self._limit = max(_MERGE_ROWS, 2 * self._rows)

    def totals(self) -> SelfTotals:
        """The totals of all batches."""
        return merged_totals(self._parts)

    def _add_steps(self, steps: StepTotals, batch: EventBatch, growth: Growth) -> None:
        """Add the joules between points to the steps. A step begins at each of the walk's marks, and at others."""
        joules = sum((values for _, row, values in growth if row == JOULES), np.zeros(len(batch.t_ns)))
        used = np.flatnonzero((batch.path != OUTSIDE) & (joules != 0))
        mark = np.searchsorted(batch.segment_start, used, side="right") - 1
        key, size = mark * len(self._paths) + batch.path[used], len(batch.segment_start) * len(self._paths)
        if size > _DENSE * len(key):
            cells, cell = np.unique(key, return_inverse=True)
            of_cells = binned(cell, joules[used], len(cells))
        else:
            sums = binned(key, joules[used], size)
            cells = np.flatnonzero(sums)
            of_cells = sums[cells]
        first, path = batch.segment_start[cells // len(self._paths)], cells % len(self._paths)
        t_ns, piece = batch.t_ns[first], np.searchsorted(batch.start, first, side="right") - 1
        window = self._spans.at(t_ns)
        inside = np.flatnonzero(window != NO_WINDOW)
        thread = np.array([one.thread for one in batch.pieces], np.int64)[piece[inside]]
        steps.add_at(t_ns[inside], window[inside], thread, path[inside], of_cells[inside])


def _spent(segments: EventSegments, failed: I64, growth: Growth, power: PointPower, paths: int) -> SelfTotals:
    """Amounts between points (`growth`), entered calls and failed calls, by segment and path.

    `failed`: points at which a call failed.
    """
    batch, count = segments.batch, len(segments.thread)
    key = batch.path if count == 1 else np.repeat(np.arange(count) * paths, np.diff(segments.start)) + batch.path
    size = count * paths
    keys = None
    if size > _DENSE * len(key):
        keys, key = np.unique(key, return_inverse=True)
        size = len(keys)
    spent, joules = np.zeros((AMOUNTS, size)), {}
    for component, row, values in growth:
        total = np.bincount(key, values, size)
        if row == JOULES:
            joules[component] = total
        else:
            spent[row] = total
    counts = np.zeros((3, size), np.int64)
    entry = np.flatnonzero(batch.kind == ENTER)
    counts[CALLS] = np.bincount(key[entry], minlength=size)
    left = np.flatnonzero((batch.kind == EXIT) | (batch.kind == THROW))
    if len(power.after):
        spent[[INSIDE_J, OUTSIDE_J]] = _power_at_probes(power, key, entry, left, counts[CALLS])
    is_cut = batch.kind[failed] == CUT
    for row, ended in ((THROWS, failed[~is_cut]), (CUTS, failed[is_cut])):
        counts[row] = np.bincount(key[ended - 1], minlength=size)
    used = np.flatnonzero((counts[CALLS] > 0) | (spent[WALL_NS] > 0))
    key_used = used if keys is None else keys[used]
    used, key_used = used[key_used % paths != OUTSIDE], key_used[key_used % paths != OUTSIDE]
    segment = key_used // paths
    of_components = {component: column[used] for component, column in joules.items()}
    where = segments.window[segment], segments.thread[segment], key_used % paths
    return SelfTotals(*where, counts[:, used], spent[:, used], of_components)


def _power_at_probes(power: PointPower, key: I64, entry: I64, left: I64, calls: I64) -> F64:
    """The power at the probes of calls, inside and outside of the call, summed over the calls of each key.

    A probe has a part before the clock's reading, and a part after it. `entry` and `left` are the points at which calls begin and
    end. If a call ends beyond these points, the others' ends stand for its end.
    """
    entered, ended, size = key[entry], key[left - 1], len(calls)
    points = calls + np.bincount(ended, minlength=size)
    begins, ends = (binned(keys, power.after[at], size) for keys, at in ((entered, entry), (ended, left)))
    # Power changes at knots only, so both parts of a probe have the same power, except for the keys of few points.
    changes = np.zeros(size, bool)
    changes[key[power.at]] = changes[key[power.at - 1]] = True

    def before(keys: I64, at: I64, after: F64) -> F64:
        rows = np.flatnonzero(changes[keys])
        return np.where(changes, np.bincount(keys[rows], power.before(at[rows]), size), after)

    inside, outside = begins + before(ended, left, ends), before(entered, entry, begins) + ends
    return np.asarray(np.stack([inside, outside]) * (calls / np.maximum(points, 1)), np.float64)


class _Entered:
    """The window in which each open call was entered: calls at levels below `_levels[i]` were entered in `_windows[i]`."""

    def __init__(self) -> None:
        self._levels: list[int] = []
        self._windows: list[int] = []

    def ends(self, segments: EventSegments, failed: I64, segment_of: I64, paths: Paths) -> SelfTotals:
        """Count calls that failed in a later segment than they began in: each counts in the window of its entry."""
        kind, path, depth = segments.batch.kind, segments.batch.path, segments.batch.depth
        begin, end = depth[segments.start[:-1]], depth[segments.start[1:] - 1]
        lowest = np.minimum.reduceat(depth, segments.start[:-1])
        rows: list[tuple[I64, int, I64, I64]] = []
        for segment in np.flatnonzero((begin > 0) | (end > 0)).tolist():
            thread, points = int(segments.thread[segment]), failed[segment_of == segment]
            if len(points):
                column = np.where(kind[points] == CUT, CUTS, THROWS)
                rows.append((self._windows_at(depth[points]), thread, path[points - 1], column))
            self._leave(int(lowest[segment]) if begin[segment] else 0)
            self._enter(int(end[segment]), int(segments.window[segment]))
            if segments.is_cut[segment] and end[segment]:
                stack = paths.with_callers(int(path[segments.start[segment + 1] - 1]))
                rows.append((self._windows_at(paths.depth[stack] - 1), thread, stack, np.full(len(stack), CUTS)))
        return _counted(rows)

    def _windows_at(self, level: I64) -> I64:
        return np.array(self._windows, np.int64)[np.searchsorted(self._levels, level, side="right")]

    def _leave(self, depth: int) -> None:
        while self._levels and (self._levels[-2] if len(self._levels) > 1 else 0) >= depth:
            self._levels.pop()
            self._windows.pop()
        if self._levels:
            self._levels[-1] = min(self._levels[-1], depth)

    def _enter(self, depth: int, window: int) -> None:
        if depth > (self._levels[-1] if self._levels else 0):
            self._levels.append(depth)
            self._windows.append(window)


def _counted(rows: Sequence[tuple[I64, int, I64, I64]]) -> SelfTotals:
    """Totals that count one call per row; rows are window, thread, path and the count to increase."""
    if not rows:
        return NO_TOTALS
    window, path, row = (np.concatenate([part[i] for part in rows]) for i in (0, 2, 3))
    thread = np.repeat([part[1] for part in rows], [len(part[2]) for part in rows])
    counts = np.zeros((3, len(path)), np.int64)
    counts[row, np.arange(len(path))] = 1
    return SelfTotals(window, thread.astype(np.int64), path, counts, np.zeros((AMOUNTS, len(path))), {})
