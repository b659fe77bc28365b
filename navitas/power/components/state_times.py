"""Time in states: the time that a timeline spends in each state within given intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from navitas.power.components.charge import I64, Column


@dataclass(frozen=True, slots=True, eq=False)
class StateTimeline:
    """The state is `state[k]`, of 0 … `states` − 1, from `start_ns[k]` until the next start. Starts ascend.

    Before the first start, the state is unknown.
    """

    start_ns: I64
    state: I64
    states: int

    def time_ns(self, begin_ns: Column, end_ns: Column) -> I64:
        """Return the time in each state within each interval, shape (intervals, states)."""
        return self._until(np.asarray(end_ns, np.int64)) - self._until(np.asarray(begin_ns, np.int64))

    def with_states_of(self, other: StateTimeline) -> StateTimeline:
        """Return the timeline of `self.state * other.states + other.state`, from the first time at which both are known."""
        start = np.union1d(self.start_ns, other.start_ns)
        states = self.states * other.states
        if not len(self.start_ns) or not len(other.start_ns):
            return StateTimeline(start[:0], start[:0], states)
        start = start[start >= max(self.start_ns[0], other.start_ns[0])]
        return StateTimeline(start, self._at(start) * other.states + other._at(start), states)

    def _at(self, t_ns: I64) -> I64:
        return self.state[np.searchsorted(self.start_ns, t_ns, "right") - 1]

    def _until(self, t_ns: I64) -> I64:
        """Return the time in each state from the first start to each time."""
        if not len(self.start_ns):
            return np.zeros((len(t_ns), self.states), np.int64)
        segments = np.zeros((len(self.start_ns), self.states), np.int64)
        segments[np.arange(1, len(self.start_ns)), self.state[:-1]] = np.diff(self.start_ns)
        at = np.searchsorted(self.start_ns, t_ns, "right") - 1
        known = at >= 0
        spent = np.cumsum(segments, axis=0)[at]
        spent[np.arange(len(t_ns)), self.state[at]] += t_ns - self.start_ns[at]
        spent[~known] = 0
        return spent


def combined(timelines: Sequence[StateTimeline]) -> StateTimeline:
    """Return one timeline whose states are combinations of states, in the order of `np.ravel_multi_index`."""
    return reduce(StateTimeline.with_states_of, timelines)


def merged(begin_ns: Column, end_ns: Column) -> tuple[I64, I64]:
    """Merge overlapping and touching intervals, and drop empty ones. Returns ascending begins and ends."""
    begin, end = np.asarray(begin_ns, np.int64), np.asarray(end_ns, np.int64)
    order = np.argsort(begin[end > begin], kind="stable")
    begin, end = begin[end > begin][order], np.maximum.accumulate(end[end > begin][order])
    if not len(begin):
        return begin, end
    first = np.concatenate([[True], begin[1:] > end[:-1]])
    return begin[first], end[np.concatenate([first[1:], [True]])]
