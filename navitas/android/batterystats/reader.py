"""Reads dumps of batterystats block by block, in bounded memory. Damaged content never raises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from navitas.android.batterystats.changes import CLEAR, NAME_BITS, Names
from navitas.android.batterystats.checkin_statistics import CheckinStatistics
from navitas.android.batterystats.history import HistoryEvents, HistoryReader
from navitas.android.batterystats.keys import BATTERY_COUNT, OFF
from navitas.android.batterystats.line_counts import LineCounts
from navitas.android.batterystats.statistics import Statistics
from navitas.android.batterystats.tables import UNKNOWN, BatteryColumns, Integers, StateIntervals
from navitas.android.batterystats.text_statistics import TextStatistics
from navitas.base.errors import RecordingError
from navitas.base.line_blocks import LineBlock, blocks_of
from navitas.base.regular_files import open_regular

_NS = 1_000_000
_NAMES = (1 << NAME_BITS) - 1
_PLACE_BITS = 40
_PLACES = (1 << _PLACE_BITS) - 1


class BatteryStatsReader:
    """Reads blocks of lines in order. Each call returns the intervals that end in the block, and the battery's changes."""

    def __init__(self) -> None:
        self.lines = LineCounts()
        self.statistics = Statistics()
        self._names = Names()
        self.tags = self._names.tags
        self._text = TextStatistics(self.statistics, self.lines)
        self._checkin = CheckinStatistics(self.statistics, self.lines, self._begin_dump)
        self._history = HistoryReader(self._names, self.lines, self._other)
        self.anchors = self._history.anchors
        self._intervals = Intervals()
        self._battery = BatteryRows()
        self.end_ms = 0
        """The time of the history's last line."""

    @property
    def checkin_version(self) -> int:
        return self._history.changes.version

    def read(self, block: LineBlock) -> list[tuple[StateIntervals, BatteryColumns]]:
        """Read the next lines."""
        for refusal in block.refused:
            self.lines.refuse(refusal.reason, refusal.text)
        return [self._tables(events) for events in self._history.read(block.lines.data)] if block.lines.data else []

    def end(self) -> StateIntervals:
        """Return the states that are still open. They end with the last line."""
        return self._states(*self._intervals.end(self.end_ms))

    def _begin_dump(self, version: int) -> None:
        self._history.start_dump()
        self.statistics.begin_dump()
        self._history.changes.set_version(version)

    def _other(self, line: bytes) -> None:
        if not self._checkin.read(line):
            self._text.read(line)

    def _tables(self, events: HistoryEvents) -> tuple[StateIntervals, BatteryColumns]:
        state = events.series >> NAME_BITS
        self.end_ms = events.end_ms
        is_battery = state < BATTERY_COUNT
        battery = self._battery.add(*(column[is_battery] for column in (events.line, state, events.value, events.time_ms)))
        changes = (column[~is_battery] for column in (events.series, events.value, events.time_ms))
        return self._states(*self._intervals.add(*changes)), battery

    def _states(self, series: Integers, value: Integers, start_ms: Integers, end_ms: Integers) -> StateIntervals:
        name = series & _NAMES
        uid = np.array(self._names.uids, np.int32)[name]
        state = (series >> NAME_BITS).astype(np.int16)
        return StateIntervals(state, value.astype(np.int32), start_ms * _NS, end_ms * _NS, uid, name.astype(np.int32))


def line_blocks(path: Path) -> Iterator[LineBlock]:
    """Yield the lines of a dump. Raises `RecordingError` if it cannot be read."""
    try:
        with open_regular(path) as stream:
            yield from blocks_of(stream)
    except OSError as error:
        raise RecordingError(
            f"{path}: cannot be read: {error.strerror}", "Check the name, and that you may read the file."
        ) from error


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


class Intervals:
    """Keeps open intervals between blocks.

    A series is a state with its name. An interval of it ends when the series changes, when its state ends without a name
    (`-w` ends every wake lock), or when all states are cleared.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._series: Integers = np.empty(0, np.int64)
        self._value: Integers = np.empty(0, np.int64)
        self._start: Integers = np.empty(0, np.int64)

    def add(self, series: Integers, value: Integers, time: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return series, value, start and end of the intervals that end in these changes, in order of their end."""
        series = np.concatenate([self._series, series])
        value, time = np.concatenate([self._value, value]), np.concatenate([self._start, time])
        order = np.argsort(series, kind="stable")
        s, v = series[order], value[order]
        ended = _ended_by_others(series, value, s, order)
        same = np.append(False, (s[1:] == s[:-1]) & (v[1:] == v[:-1]) & (ended[:-1] > order[1:]))[: len(s)]
        s, v, order, ended = s[~same], v[~same], order[~same], ended[~same]
        following = np.append(np.where(s[1:] == s[:-1], order[1:], len(series)), len(series))[: len(s)]
        end = np.minimum(following, ended)
        is_on = v != OFF
        is_open = is_on & (end >= len(series))
        self._series, self._value, self._start = s[is_open], v[is_open], time[order[is_open]]
        closed = np.flatnonzero(is_on & ~is_open)
        closed = closed[np.argsort(end[closed], kind="stable")]
        return s[closed], v[closed], time[order[closed]], time[end[closed]]

    def end(self, time: int) -> tuple[Integers, Integers, Integers, Integers]:
        """Return the open intervals. They end at `time`."""
        found = self._series, self._value, self._start, np.maximum(self._start, time)
        self._forget()
        return found


def _ended_by_others(series: Integers, value: Integers, s: Integers, order: Integers) -> Integers:
    """Return for each change in series order the place of the next change that ends all states, or all names of its state."""
    none = len(series)
    state, name = series >> NAME_BITS, series & _NAMES
    clears = np.append(np.flatnonzero(state == CLEAR), none)
    ended = clears[np.searchsorted(clears[:-1], order, "right")]
    nameless = np.flatnonzero((name == 0) & (value == OFF) & (state != CLEAR))
    if not len(nameless):
        return ended
    keys: NDArray[np.int64] = np.sort(state[nameless] << _PLACE_BITS | nameless)
    wanted = (s >> NAME_BITS) << _PLACE_BITS | order
    found = np.append(keys, np.iinfo(np.int64).max)[np.searchsorted(keys, wanted, "right")]
    fits = (found >> _PLACE_BITS == s >> NAME_BITS) & (s & _NAMES != 0)
    return np.where(fits, np.minimum(ended, found & _PLACES), ended)
