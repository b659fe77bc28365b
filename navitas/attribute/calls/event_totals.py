"""Self totals of call paths from method events, in one pass with bounded memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.amounts import CALLS_J_PER_NS, WALL_NS, Amounts
from navitas.attribute.calls.event_segments import EventSegments, segments_of
from navitas.attribute.calls.paths import EMPTY, Paths
from navitas.attribute.calls.self_totals import CALLS, CUTS, THROWS, SelfTotals
from navitas.attribute.calls.stretches import CUT
from navitas.attribute.calls.walk import walk
from navitas.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.parse.arrays import F64, I64, Bool
from navitas.parse.tables import ENTER, EXIT, THROW, Thread

_MERGE_ROWS = 1 << 20
_DENSE = 4


def totals_of_events(threads: Sequence[Thread], spans: WindowSpans, amounts: Amounts, paths: Paths) -> SelfTotals:
    """Sum up the time in which each call path was innermost, by test and thread.

    A call, its exception and its cut count in the test in which the call was entered.
    """
    entered = _Entered(amounts.columns)
    parts: list[SelfTotals] = []
    rows, limit = 0, _MERGE_ROWS
    for batch in walk(threads, paths, spans.marks):
        segments = segments_of(batch, spans)
        failed, segment = segments.failed()
        carried = segments.carried(failed, segment)
        batch_totals = [
            _spent(segments, failed[~carried], amounts, len(paths)),
            entered.ends(segments, failed[carried], segment[carried], paths),
        ]
        parts += [part for part in map(_inside, batch_totals) if len(part.path)]
        rows = sum(len(part.path) for part in parts)
        if rows > limit:
            parts = [SelfTotals.merged(parts, amounts.columns)]
            limit = max(_MERGE_ROWS, 2 * len(parts[0].path))
    return SelfTotals.merged(parts, amounts.columns)


def _spent(segments: EventSegments, failed: I64, amounts: Amounts, paths: int) -> SelfTotals:
    """Amounts between points, entered calls and failed calls, by segment and path. `failed`: points at which a call failed."""
    batch, count = segments.batch, len(segments.thread)
    key = batch.path if count == 1 else np.repeat(np.arange(count) * paths, np.diff(segments.start)) + batch.path
    size = count * paths
    if size > _DENSE * len(key):
        keys, key = np.unique(key, return_inverse=True)
        size = len(keys)
    else:
        keys = np.arange(size)
    threads = [piece.thread for piece in batch.pieces]
    spent = np.zeros((size, amounts.columns))
    for column, step in amounts.steps(threads, batch.start, batch.t_ns):
        spent[:, column] = np.bincount(key, step, size)
    counts = np.zeros((size, 3), np.int64)
    entry = np.flatnonzero(batch.kind == ENTER)
    counts[:, CALLS] = np.bincount(key[entry], minlength=size)
    left = np.flatnonzero((batch.kind == EXIT) | (batch.kind == THROW))
    power = amounts.power(threads, batch.start, batch.t_ns)
    spent[:, CALLS_J_PER_NS] = _power_at_probes(power, key, entry, left, counts[:, CALLS])
    is_cut = batch.kind[failed] == CUT
    for column, ended in ((THROWS, failed[~is_cut]), (CUTS, failed[is_cut])):
        counts[:, column] = np.bincount(key[ended - 1], minlength=size)
    used = np.flatnonzero((keys % paths != EMPTY) & ((counts[:, CALLS] > 0) | (spent[:, WALL_NS] > 0)))
    segment = keys[used] // paths
    return SelfTotals(segments.window[segment], segments.thread[segment], keys[used] % paths, counts[used], spent[used])


def _power_at_probes(power: tuple[F64, F64], key: I64, entry: I64, left: I64, calls: I64) -> F64:
    """The power at the probes of calls, inside and outside of the call, summed over the calls of each key.

    A probe has a part before the clock's reading, and a part after it. `power` is that before and after each point, `entry` and
    `left` are the points at which calls begin and end. If a call ends beyond these points, the others' ends stand for its end.
    """
    (before, after), entered, ended, size = power, key[entry], key[left - 1], len(calls)
    points = calls + np.bincount(ended, minlength=size)
    inside = np.bincount(entered, after[entry], size) + np.bincount(ended, before[left], size)
    outside = np.bincount(entered, before[entry], size) + np.bincount(ended, after[left], size)
    return np.asarray(np.stack([inside, outside], axis=1) * (calls / np.maximum(points, 1))[:, None], np.float64)


class _Entered:
    """The window in which each open call was entered: calls at levels below `_levels[i]` were entered in `_windows[i]`."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
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
        return _counted(rows, self._columns)

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


def _counted(rows: Sequence[tuple[I64, int, I64, I64]], columns: int) -> SelfTotals:
    """Totals that count one call per row; rows are window, thread, path and the column to count in."""
    if not rows:
        return SelfTotals.merged([], columns)
    window, path, column = (np.concatenate([row[i] for row in rows]) for i in (0, 2, 3))
    thread = np.repeat([row[1] for row in rows], [len(row[2]) for row in rows])
    counts = np.zeros((len(path), 3), np.int64)
    counts[np.arange(len(path)), column] = 1
    return SelfTotals(window, thread.astype(np.int64), path, counts, np.zeros((len(path), columns)))


def _inside(totals: SelfTotals) -> SelfTotals:
    kept: Bool = totals.window != NO_WINDOW
    if kept.all():
        return totals
    return SelfTotals(totals.window[kept], totals.thread[kept], totals.path[kept], totals.counts[kept], totals.amounts[kept])
