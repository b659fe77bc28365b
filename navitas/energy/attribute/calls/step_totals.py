"""The energy of call paths over time: sums over steps of a run, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.calls.self_totals import SelfTotals
from navitas.energy.attribute.curves import group_starts, overlaps
from navitas.recording.parse.arrays import F64, I32, I64, ColumnTable

STEPS = 256
"""The steps of a run."""
_MAX_ROWS = 1 << 16
_COARSE = 16


def step_length_ns(start_ns: int, end_ns: int) -> int:
    """Return the length of the steps of a run. The last step can be shorter."""
    return max(-(-(end_ns - start_ns) // STEPS), 1)


@dataclass(frozen=True, slots=True)
class StepJoules(ColumnTable):
    """Joules of call paths by step, with those of probes, by test window and thread."""

    window: I32
    thread: I32
    path: I32
    step: I32
    joules: F64


class StepTotals:
    """Sums up the joules of call paths by step, in bounded memory.

    If there are too many rows, the smaller half of them counts in the middle of several steps. If that does not suffice, the
    smallest rows are left out: when they used their energy stays unknown.
    """

    def __init__(self, start_ns: int, end_ns: int) -> None:
        self._start_ns, self._step_ns = start_ns, step_length_ns(start_ns, end_ns)
        self.marks = np.arange(start_ns, end_ns, self._step_ns)
        """Where steps begin."""
        size = 2 * _MAX_ROWS
        # Its memory is reused: parts of many sizes would leave holes in the memory of the process.
        window, thread, path, step = np.empty((4, size), np.int32)
        self._rows = StepJoules(window, thread, path, step, np.empty(size))
        self._used = 0

    def add_at(self, t_ns: I64, window: I64, thread: I64, path: I64, joules: F64) -> None:
        """Add joules, each at a point in time."""
        self._add(window, thread, path, self._step(t_ns), joules)

    def add_spans(self, totals: SelfTotals, from_ns: I64, to_ns: I64) -> None:
        """Add totals of spans of time. Their energy is spread evenly."""
        row, step = overlaps(self._step(from_ns), self._step(np.maximum(to_ns - 1, from_ns)))
        low = np.maximum(from_ns[row], self._start_ns + step * self._step_ns)
        high = np.minimum(to_ns[row], self._start_ns + (step + 1) * self._step_ns)
        share = np.where(to_ns[row] > from_ns[row], (high - low) / np.maximum(to_ns - from_ns, 1)[row], 1.0)
        joules = sum(totals.joules.values(), np.zeros(len(totals)))[row] * share
        self._add(totals.window[row], totals.thread[row], totals.path[row], step, joules)

    def take(self) -> StepJoules:
        """Return the sums, each window, thread, path and step once, and forget them."""
        rows, self._used = _merged(self._rows.chosen(slice(self._used))), 0
        return rows

    def _add(self, window: I64, thread: I64, path: I64, step: I64, joules: F64) -> None:
        used = np.flatnonzero(joules)
        for low in range(0, len(used), _MAX_ROWS):
            part = used[low : low + _MAX_ROWS]
            if self._used + len(part) > len(self._rows):
                merged = self.take()
                self._append(merged.window, merged.thread, merged.path, merged.step, merged.joules)
            self._append(*(column[part] for column in (window, thread, path, step, joules)))

    def _append(self, *columns: I32 | I64 | F64) -> None:
        end = self._used + len(columns[0])
        for name, column in zip(self._rows.__slots__, columns, strict=True):
            getattr(self._rows, name)[self._used : end] = column
        self._used = end

    def _step(self, t_ns: I64) -> I64:
        return np.clip((t_ns - self._start_ns) // self._step_ns, 0, max(len(self.marks) - 1, 0))


def _merged(rows: StepJoules) -> StepJoules:
    """Return each window, thread, path and step once, at most `_MAX_ROWS`."""
    rows = _distinct(rows)
    if len(rows) > _MAX_ROWS:
        least = np.partition(rows.joules, len(rows) // 2)[len(rows) // 2]
        middle = rows.step - rows.step % _COARSE + _COARSE // 2
        rows = _distinct(replace(rows, step=np.where(rows.joules <= least, middle, rows.step)))
    if len(rows) > _MAX_ROWS:
        rows = rows.chosen(np.sort(np.argpartition(-rows.joules, _MAX_ROWS)[:_MAX_ROWS]))
    return rows


def _distinct(rows: StepJoules) -> StepJoules:
    keys = rows.window, rows.thread, rows.path, rows.step
    order = np.lexsort(keys[::-1])
    is_first = np.zeros(len(rows), bool)
    for key in keys:
        is_first |= group_starts(key[order])
    first = np.flatnonzero(is_first)
    joules = np.add.reduceat(rows.joules[order], first) if len(first) else rows.joules
    window, thread, path, step = (key[order[first]] for key in keys)
    return StepJoules(window, thread, path, step, joules)
