"""Changes of the battery's values → rows with all values."""

from __future__ import annotations

import numpy as np

from navitas.batterystats.keys import BATTERY_COUNT
from navitas.batterystats.tables import UNKNOWN, BatteryColumns, Integers

_NS = 1_000_000


class BatteryRows:
    """Keeps the last values between blocks."""

    def __init__(self) -> None:
        self._last: Integers = np.full(BATTERY_COUNT, UNKNOWN, np.int64)

    def add(self, line: Integers, column: Integers, value: Integers, time_ms: Integers) -> BatteryColumns:
        """Return a row for each line that changes a value."""
        order = np.argsort(column, kind="stable")
        before = np.append(UNKNOWN, value[order][:-1])
        first = np.append(True, column[order][1:] != column[order][:-1])[: len(order)]
        before = np.where(first, self._last[column[order]], before[: len(order)])
        changed = np.sort(order[value[order] != before])
        line, column, value, time_ms = line[changed], column[changed], value[changed], time_ms[changed]
        lines, first_of, row = np.unique(line, return_index=True, return_inverse=True)
        table = np.full((len(lines) + 1, BATTERY_COUNT), UNKNOWN, np.int64)
        table[0] = self._last
        table[row + 1, column] = value
        known = np.where(table == UNKNOWN, 0, np.arange(len(table))[:, None])
        table = np.take_along_axis(table, np.maximum.accumulate(known, axis=0), axis=0)
        self._last = table[-1].copy()
        return BatteryColumns(time_ms[first_of] * _NS, *table[1:].T)
