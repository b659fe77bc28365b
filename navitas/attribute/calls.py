"""From events to what each call path spent in each test, in one pass and bounded memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.attribute.amounts import Amounts
from navitas.attribute.cells import Cells, cells_of
from navitas.attribute.curves import Bool
from navitas.attribute.items import CUTS, THROWS, Items
from navitas.attribute.paths import Paths
from navitas.attribute.spans import NO_WINDOW, Spans
from navitas.attribute.stretches import CUT
from navitas.attribute.walk import walk
from navitas.parse.tables import ENTER, I64, Thread

_MERGE_ROWS = 1 << 20
_DENSE = 4


def items_of_calls(threads: Sequence[Thread], spans: Spans, amounts: Amounts, paths: Paths) -> Items:
    """Every call path in every test, with what was spent while it was the innermost one.

    A fresh call, its throw and its cut count in the test in which it was entered.
    """
    entered = _Entered()
    parts: list[Items] = []
    rows, limit = 0, _MERGE_ROWS
    for batch in walk(threads, paths):
        cells = cells_of(batch, spans)
        failed, cell = cells.failed()
        carried = cells.carried(failed, cell)
        found = [
            _spent(cells, failed[~carried], amounts, len(paths)),
            entered.ends(cells, failed[carried], cell[carried], paths),
        ]
        parts += [part for part in map(_inside, found) if len(part.path)]
        rows = sum(len(part.path) for part in parts)
        if rows > limit:
            parts = [Items.joined(parts)]
            limit = max(_MERGE_ROWS, 2 * len(parts[0].path))
    return Items.joined(parts)


def _spent(cells: Cells, failed: I64, amounts: Amounts, paths: int) -> Items:
    """What passed from point to point, by cell and path, and calls that were entered; of those that `failed`, which did."""
    key, count = cells.path, len(cells.thread)
    if count > 1:
        key = np.repeat(np.arange(count) * paths, np.diff(cells.start)) + key
    size = count * paths
    keys = np.arange(size)
    if size > _DENSE * len(key):
        keys, key = np.unique(key, return_inverse=True)
        size = len(keys)
    steps = amounts.steps(cells.piece_thread, cells.piece_start, cells.t_ns)
    columns = [np.bincount(key, step, size) for step in steps]
    counts = np.zeros((size, 3), np.int64)
    counts[:, 0] = np.bincount(key[cells.kind == ENTER], minlength=size)
    for column, kinds in ((THROWS, cells.kind[failed] != CUT), (CUTS, cells.kind[failed] == CUT)):
        counts[:, column] = np.bincount(key[failed[kinds] - 1], minlength=size)
    some = np.flatnonzero((keys % paths > 0) & (np.any(counts > 0, axis=1) | (columns[1] > 0)))
    cell = keys[some] // paths
    spent = np.zeros((len(some), 4))
    for number, values in enumerate(columns):
        spent[:, number] = values[some].clip(0.0)
    return Items(cells.window[cell], cells.thread[cell], keys[some] % paths, counts[some], spent)


class _Entered:
    """In which window each call was entered that is open where a cell ends: levels below `_levels[i]` in `_windows[i]`."""

    def __init__(self) -> None:
        self._levels: list[int] = []
        self._windows: list[int] = []

    def ends(self, cells: Cells, failed: I64, cell_of: I64, paths: Paths) -> Items:
        """Calls that ended in another cell than they began in, by a throw or without an end, in the window of their entry."""
        begin, end = cells.depth[cells.start[:-1]], cells.depth[cells.start[1:] - 1]
        lowest = np.minimum.reduceat(cells.depth, cells.start[:-1])
        piece_of = np.searchsorted(cells.piece_start, cells.start[:-1], side="right") - 1
        is_last = cells.start[1:] == cells.piece_start[piece_of + 1]
        is_cut = cells.is_cut[piece_of] & is_last
        rows: list[tuple[I64, int, I64, I64]] = []
        for cell in np.flatnonzero((begin > 0) | (end > 0)).tolist():
            thread, own = int(cells.thread[cell]), failed[cell_of == cell]
            if len(own):
                column = np.where(cells.kind[own] == CUT, CUTS, THROWS)
                rows.append((self._of(cells.depth[own]), thread, cells.path[own - 1], column))
            self._leave(int(lowest[cell]) if begin[cell] else 0)
            self._enter(int(end[cell]), int(cells.window[cell]))
            if is_cut[cell] and end[cell]:
                path = paths.up(int(cells.path[cells.start[cell + 1] - 1]))
                rows.append((self._of(paths.depth[path] - 1), thread, path, np.full(len(path), CUTS)))
        return _counted(rows)

    def _of(self, level: I64) -> I64:
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


def _counted(rows: Sequence[tuple[I64, int, I64, I64]]) -> Items:
    """Items that count one call each: window, thread, path and column of the count."""
    if not rows:
        return Items.joined([])
    window, path, column = (np.concatenate([row[i] for row in rows]) for i in (0, 2, 3))
    thread = np.repeat([row[1] for row in rows], [len(row[2]) for row in rows])
    counts = np.zeros((len(path), 3), np.int64)
    counts[np.arange(len(path)), column] = 1
    return Items(window, thread.astype(np.int64), path, counts, np.zeros((len(path), 4)))


def _inside(items: Items) -> Items:
    kept: Bool = items.window != NO_WINDOW
    if kept.all():
        return items
    return Items(items.window[kept], items.thread[kept], items.path[kept], items.counts[kept], items.amounts[kept])
