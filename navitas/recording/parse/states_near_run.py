"""The states of a history that may overlap a run. Others are dropped while it is read, so a long history takes no more memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from navitas.android.batterystats.keys import STATE_NAMES
from navitas.android.batterystats.tables import ClockAnchor, StateIntervals, joined
from navitas.recording.parse.arrays import I64, Bool

MOST_STATES = 1 << 20
"""The most intervals near one run. A phone's whole history has fewer changes."""
OPEN_NS = np.iinfo(np.int64).max
"""The end of an interval that is open at the end of the history."""
_MS_NS = 1_000_000


class HistoryClock:
    """Converts times of a history's own clock to the wall clock. An anchor holds until the next one; the first, also before."""

    def __init__(self) -> None:
        self._read = 0
        self._at_ns, self._wall_ms = array("q"), array("q")

    def __bool__(self) -> bool:
        """Whether there is an anchor."""
        return bool(self._at_ns)

    def extend(self, anchors: Sequence[ClockAnchor]) -> None:
        """Add the new ones of a reader's anchors, which are in order of time. Anchors in local time are left out."""
        new = [anchor for anchor in anchors[self._read :] if anchor.is_utc]
        self._read = len(anchors)
        self._at_ns.extend(anchor.time_ns for anchor in new)
        self._wall_ms.extend(anchor.wall_ms for anchor in new)

    def wall_ms(self, times_ns: I64) -> I64:
        """Return the wall clock at times of the history. There must be an anchor."""
        at_ns, wall_ms = np.array(self._at_ns, np.int64), np.array(self._wall_ms, np.int64)
        held = np.maximum(np.searchsorted(at_ns, times_ns, side="right") - 1, 0)
        return np.asarray(wall_ms[held] + (times_ns - at_ns[held]) // _MS_NS, np.int64)

    def own_ns(self, wall_ms: int) -> int:
        """Return the time of the history at a wall clock: the latest one, if the clock was set back. There must be an anchor."""
        at_ns, anchor_ms = np.array(self._at_ns, np.int64), np.array(self._wall_ms, np.int64)
        found = at_ns + (wall_ms - anchor_ms) * _MS_NS
        fits = (np.append(-OPEN_NS, at_ns[1:]) <= found) & (found < np.append(at_ns[1:], OPEN_NS))
        nearest = int(np.argmin(np.abs(wall_ms - anchor_ms)))
        return int(found[np.flatnonzero(fits)[-1]] if fits.any() else found[nearest])


class StatesNearRun:
    """Collects the intervals of wanted states that may overlap a span of the wall clock, at most `MOST_STATES`.

    States of `events` count also if they end at the time of their begin.

    - `clock`: that of the history so far.
    - `seen`: whether the history has any interval of each state of `STATE_NAMES`.
    - `dropped`: the number of intervals beyond the limit.
    """

    def __init__(self, wanted: Iterable[str], span_ms: tuple[int, int], events: Iterable[str] = ()) -> None:
        self.clock = HistoryClock()
        self.seen = np.zeros(len(STATE_NAMES), bool)
        self.dropped = 0
        self._is_event = np.isin(STATE_NAMES, list(events))
        self._is_wanted = np.isin(STATE_NAMES, list(wanted)) | self._is_event
        self._span_ms = span_ms
        self._parts: list[StateIntervals] = []

    def add(self, states: StateIntervals, anchors: Sequence[ClockAnchor]) -> None:
        """Add the next intervals. `anchors` are all that the reader has found so far."""
        had_clock = bool(self.clock)
        self.clock.extend(anchors)
        self.seen[states.state] = True
        is_used = (states.end_ns > states.start_ns) | self._is_event[states.state]
        found = states.rows(self._is_wanted[states.state] & is_used)
        found = found.rows(self._is_near(found))
        kept = min(len(found), MOST_STATES - sum(map(len, self._parts)))
        self.dropped += len(found) - kept
        self._parts.append(found.rows(np.arange(len(found)) < kept))
        if self.clock and not had_clock:
            self._parts = [part.rows(self._is_near(part)) for part in self._parts]

    def end(self, states: StateIntervals, anchors: Sequence[ClockAnchor]) -> StateIntervals:
        """Add the states that are open at the end. Return all collected intervals; those that are open end at `OPEN_NS`."""
        self.add(replace(states, end_ns=np.full(len(states), OPEN_NS)), anchors)
        return joined(self._parts)

    def _is_near(self, states: StateIntervals) -> Bool:
        """Select intervals that are not wholly before or after the span. All, if there is no clock yet."""
        if not self.clock:
            return np.ones(len(states), bool)
        begin_ms, end_ms = self.clock.wall_ms(states.start_ns), self.clock.wall_ms(states.end_ns)
        # If the clock was set in between, an interval can end at an earlier time than it begins.
        low_ms, high_ms = self._span_ms
        return np.asarray((np.maximum(begin_ms, end_ms) > low_ms) & (np.minimum(begin_ms, end_ms) < high_ms))
