"""The tests' windows of one run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.recording.parse.arrays import I64
from navitas.recording.parse.tables import Window

NO_WINDOW = -1


class WindowSpans:
    """The tests' windows of one run, in order of time. `marks` are all their edges.

    Windows do not overlap (parse.markers).
    """

    def __init__(self, windows: Sequence[Window]) -> None:
        self.windows = tuple(sorted(windows, key=lambda window: (window.start_ns, window.end_ns)))
        self.start_ns = np.array([window.start_ns for window in self.windows], np.int64)
        ends = np.array([window.end_ns for window in self.windows], np.int64)
        self.end_ns = np.maximum(ends, self.start_ns)
        self.marks = np.union1d(self.start_ns, self.end_ns)

    def reached(self, from_ns: I64, to_ns: I64) -> tuple[I64, I64]:
        """First and last window that each span from_ns … to_ns (both inclusive) overlaps; none if last < first."""
        first = np.searchsorted(np.maximum.accumulate(self.end_ns), from_ns, side="right")
        return first, np.searchsorted(self.start_ns, to_ns, side="right") - 1

    def at(self, t_ns: I64) -> I64:
        """The window that contains each time (its end is exclusive), or `NO_WINDOW`."""
        if not self.windows:
            return np.full(len(t_ns), NO_WINDOW)
        window = np.searchsorted(self.start_ns, t_ns, side="right") - 1
        return np.where((window >= 0) & (t_ns < self.end_ns[window]), window, NO_WINDOW)
