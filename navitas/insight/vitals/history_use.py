"""History of a dump → use of each uid, for dumps without statistics. A history has the changes of states with their times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from navitas.android.batterystats.keys import STATE_NAMES, STATE_NUMBERS
from navitas.android.batterystats.tables import UNKNOWN, BatteryColumns, Integers, StateIntervals, joined
from navitas.insight.vitals.device_use import Bounds, DeviceUse, HeldLock, UidUse, WakeupAlarm
from navitas.insight.vitals.thresholds import is_exempt

MOST_INTERVALS = 1 << 21
"""The most intervals that are kept. A phone's whole history (4 MiB) has fewer."""
WAKEUP = "*walarm*"
"""The begin of the tag of an alarm that wakes the phone (AOSP: AlarmManagerService)."""
FIRST_ONLY = "the history names only the first of several wake locks"
_EACH, _FIRST = STATE_NUMBERS["wake_lock_in"], STATE_NUMBERS["wake_lock"]
_ALARM, _SCREEN, _PLUGGED = STATE_NUMBERS["alarm"], STATE_NUMBERS["screen"], STATE_NUMBERS["plugged"]
_WANTED = np.isin(np.arange(len(STATE_NAMES)), [_EACH, _FIRST, _ALARM, _SCREEN, _PLUGGED])


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans in order of time, each of a positive length."""

    start_ns: Integers
    end_ns: Integers

    @classmethod
    def of(cls, start_ns: Integers, end_ns: Integers) -> Spans:
        """The union of intervals, which may overlap."""
        _, start_ns, end_ns = unions(np.zeros(len(start_ns), np.int64), start_ns, end_ns)
        return cls(start_ns, end_ns)

    @property
    def length_ns(self) -> int:
        """The sum of the lengths."""
        return int((self.end_ns - self.start_ns).sum())

    def others(self, start_ns: int, end_ns: int) -> Spans:
        """The rest of a time that contains all spans."""
        return Spans.of(np.append(start_ns, self.end_ns), np.append(self.start_ns, end_ns))

    def without(self, other: Spans) -> Spans:
        """What is in these spans and not in others."""
        if not len(self.start_ns):
            return self
        low, high = int(self.start_ns[0]), int(self.end_ns[-1])
        rest = Spans.of(np.clip(other.start_ns, low, high), np.clip(other.end_ns, low, high))
        outside = self.others(low, high)
        every = Spans.of(np.append(rest.start_ns, outside.start_ns), np.append(rest.end_ns, outside.end_ns))
        return every.others(low, high)

    def before(self, time_ns: Integers) -> Integers:
        """How much of the spans is before each time."""
        ends = np.concatenate([[0], np.cumsum(self.end_ns - self.start_ns)])
        place = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        inside = np.maximum(place, 0)
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.int64)
        partly = np.clip(time_ns - self.start_ns[inside], 0, self.end_ns[inside] - self.start_ns[inside])
        return np.where(place < 0, 0, ends[inside] + partly).astype(np.int64)

    def contain(self, time_ns: Integers) -> NDArray[np.bool_]:
        """Whether each time is within a span; its ends count."""
        if not len(self.start_ns):
            return np.zeros(len(time_ns), np.bool_)
        place = np.searchsorted(self.start_ns, time_ns, side="right") - 1
        return np.asarray((place >= 0) & (time_ns <= self.end_ns[np.maximum(place, 0)]))


def unions(group: Integers, start_ns: Integers, end_ns: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the spans of the union of each group's intervals: group, start and end, in order of group and start."""
    kept = np.flatnonzero(end_ns > start_ns)
    kept = kept[np.lexsort((start_ns[kept], group[kept]))]
    start_ns, end_ns = start_ns[kept], end_ns[kept]
    groups, number = np.unique(group[kept], return_inverse=True)
    # The latest end so far in each group: of ranks, which do not overflow if groups are put one behind the other.
    ends, rank = np.unique(end_ns, return_inverse=True)
    begin = number.astype(np.int64) * len(ends)
    latest_ns = ends[np.maximum.accumulate(begin + rank) - begin]
    is_first = np.append(True, (number[1:] != number[:-1]) | (start_ns[1:] > latest_ns[:-1]))[: len(kept)]
    is_last = np.append(is_first[1:], True)[: len(kept)]
    return groups[number[is_first]], start_ns[is_first], latest_ns[is_last]


@dataclass(slots=True)
class HistoryCollector:
    """Keeps the intervals that vitals need. `dropped` counts those beyond `MOST_INTERVALS`."""

    dropped: int = 0
    has_states: bool = False
    end_ns: int = 0
    """The end of the history."""
    _plugs: list[tuple[int, bool]] = field(default_factory=list)
    """When a charger was connected, and when it was not, according to the battery's values."""
    _size: int = 0
    _parts: list[StateIntervals] = field(default_factory=list)

    def add(self, states: StateIntervals) -> None:
        self.has_states = self.has_states or len(states) > 0
        found = states.rows(_WANTED[states.state])
        kept = found.rows(np.arange(len(found)) < MOST_INTERVALS - self._size)
        self.dropped += len(found) - len(kept)
        self._size += len(kept)
        if len(kept):
            self._parts.append(kept)

    def add_battery(self, battery: BatteryColumns) -> None:
        """Add the battery's next values."""
        self.has_states = self.has_states or len(battery) > 0
        for time_ns, plug in zip(battery.time_ns.tolist(), battery.plug.tolist(), strict=True):
            if plug != UNKNOWN and (not self._plugs or self._plugs[-1][1] != (plug > 0)):
                self._plugs.append((time_ns, plug > 0))

    def states(self) -> StateIntervals:
        """Return all intervals, by begin. If the history has no state of being plugged, the kind of charger stands for it."""
        found = joined([_plugged([]), *self._parts])
        if not (found.state == _PLUGGED).any():
            ends = [*(time_ns for time_ns, _ in self._plugs), self.end_ns][1:]
            spans = [(begin, end) for (begin, is_plugged), end in zip(self._plugs, ends, strict=True) if is_plugged]
            found = joined([found, _plugged(spans)])
        return found.rows(np.argsort(found.start_ns, kind="stable"))


def _plugged(spans: Sequence[tuple[int, int]]) -> StateIntervals:
    begin_ns, end_ns = np.array(spans, np.int64).reshape(-1, 2).T
    ones, none = np.ones(len(spans), np.int32), np.zeros(len(spans), np.int32)
    return StateIntervals(np.full(len(spans), _PLUGGED, np.int16), ones, begin_ns, end_ns, none - 1, none)


def history_use(
    states: StateIntervals, tags: Sequence[str], span_ns: tuple[int, int], packages: Mapping[int, tuple[str, ...]]
) -> DeviceUse:
    """Return the use of the part `span_ns` of a history. `states` are in the order of their begin."""
    states = states.rows((states.end_ns >= span_ns[0]) & (states.start_ns <= span_ns[1]))
    start_ns, end_ns = np.clip(states.start_ns, *span_ns), np.clip(states.end_ns, *span_ns)

    def of(state: int) -> Spans:
        rows = states.state == state
        return Spans.of(start_ns[rows], end_ns[rows])

    on_battery = of(_PLUGGED).others(*span_ns)
    dark = on_battery.without(of(_SCREEN))
    is_each = bool((states.state == _EACH).any())
    lock_rows = np.flatnonzero((states.state == (_EACH if is_each else _FIRST)) & (states.tag > 0))
    alarm_rows = np.flatnonzero(states.state == _ALARM)
    locks = _locks(states.rows(lock_rows), tags, start_ns[lock_rows], end_ns[lock_rows], dark, is_first_only=not is_each)
    alarms = _alarms(states.rows(alarm_rows), tags, on_battery.contain(start_ns[alarm_rows]))
    uids = sorted({*locks, *alarms})
    return DeviceUse(
        "history",
        on_battery.length_ns / 1e6,
        dark.length_ns / 1e6,
        tuple(_use(uid, locks.get(uid), alarms.get(uid, []), has_alarms=len(alarm_rows) > 0) for uid in uids),
        packages,
    )


def _use(uid: int, locks: tuple[list[HeldLock], Bounds] | None, alarms: list[WakeupAlarm], *, has_alarms: bool) -> UidUse:
    found, held_ms = locks or ([], Bounds.exactly(0.0))
    wakeups = Bounds.exactly(sum(alarm.count for alarm in alarms)) if has_alarms else None
    return UidUse(uid, held_ms, wakeups, None, None, None, tuple(found), tuple(alarms))


def _locks(
    states: StateIntervals, tags: Sequence[str], start_ns: Integers, end_ns: Integers, dark: Spans, *, is_first_only: bool
) -> dict[int, tuple[list[HeldLock], Bounds]]:
    order = np.lexsort((start_ns, states.tag, states.uid))
    uid, tag = states.uid[order].astype(np.int64), states.tag[order]
    begin_ns, last_ns = start_ns[order], end_ns[order]
    dark_ns, all_ns = _sums(dark.before(last_ns) - dark.before(begin_ns)), _sums(last_ns - begin_ns)
    begins = np.flatnonzero(np.append(True, (np.diff(uid) != 0) | (np.diff(tag) != 0))[: len(uid)]).tolist()
    locks: defaultdict[int, list[HeldLock]] = defaultdict(list)
    for begin, end in zip(begins, [*begins[1:], len(uid)][: len(begins)], strict=True):
        held_ms, all_ms = (float(sums[end] - sums[begin]) / 1e6 for sums in (dark_ns, all_ns))
        one = HeldLock(int(uid[begin]), tags[tag[begin]], held_ms, end - begin, None, all_ms, is_first_only)
        locks[one.uid].append(one)
    counts = ~np.array([is_exempt(name) for name in tags], np.bool_)[tag]
    any_uid, any_start_ns, any_end_ns = unions(uid[counts], begin_ns[counts], last_ns[counts])
    any_ns: defaultdict[int, int] = defaultdict(int)
    for number, length_ns in zip(any_uid.tolist(), (dark.before(any_end_ns) - dark.before(any_start_ns)).tolist(), strict=True):
        any_ns[number] += length_ns
    return {number: (own, _bounds(any_ns[number] / 1e6, is_first_only=is_first_only)) for number, own in locks.items()}


def _bounds(held_ms: float, *, is_first_only: bool) -> Bounds:
    return Bounds(held_ms, None, FIRST_ONLY) if is_first_only else Bounds.exactly(held_ms)


def _sums(values: Integers) -> Integers:
    """The sum before each value, and of all."""
    return np.concatenate([[0], np.cumsum(values)])


def _alarms(states: StateIntervals, tags: Sequence[str], is_counted: NDArray[np.bool_]) -> dict[int, list[WakeupAlarm]]:
    """By uid. Alarms that do not wake the phone have other tags."""
    names = list(zip(states.uid.tolist(), states.tag.tolist(), strict=True))
    every, on_battery = Counter(names), Counter(name for name, counts in zip(names, is_counted.tolist(), strict=True) if counts)
    found: defaultdict[int, list[WakeupAlarm]] = defaultdict(list)
    for (uid, tag), count in every.items():
        if tags[tag].startswith(WAKEUP):
            found[uid].append(WakeupAlarm(uid, tags[tag], on_battery[uid, tag], count))
    return dict(found)
