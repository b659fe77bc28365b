"""Tables of what batterystats says of a run: the device's states, its radios' times, and the app's alarms and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from navitas.android.batterystats.checkin_statistics import ControllerCounters, read_controller
from navitas.android.batterystats.keys import STATE_NUMBERS
from navitas.android.batterystats.tables import StateIntervals
from navitas.recording.parse.arrays import I32, I64, Bool, ColumnTable

NO_UID = -1


@dataclass(frozen=True, slots=True)
class DeviceStates:
    """Intervals in which states had values. Intervals of one state may overlap, for example those of several apps.

    - `names`: names of states; `state[i]` is an index in it.
    - `value`: 1 for a state that is on; of `brightness`, the bin (0 – 4); of `gnss_quality`, 0 (poor) or 1.
    - `uid`: the app that the interval belongs to, `NO_UID` for the device's.
    - `app_uid`: the uid of the profiled app, `NO_UID` if it is unknown.

    Components read: `screen`, `screen_doze`, `brightness`, `top`, `wifi`, `mobile_radio`, `wifi_radio`, `wifi_scan`, `gnss`,
    `gnss_quality`, `camera`, `flashlight`, `audio`, `video`, `bluetooth_scan`, `wake_lock`.
    """

    names: tuple[str, ...]
    state: I32
    value: I64
    start_ns: I64
    end_ns: I64
    uid: I64
    app_uid: int = NO_UID

    def has(self, name: str) -> bool:
        """Whether any interval of this state is recorded."""
        return bool(self._rows(name).any())

    def intervals(self, name: str) -> tuple[I64, I64, I64, I64]:
        """Start, end, value and uid of each interval of a state that is not empty, sorted by start."""
        rows = np.flatnonzero(self._rows(name) & (self.end_ns > self.start_ns))
        rows = rows[np.argsort(self.start_ns[rows], kind="stable")]
        return self.start_ns[rows], self.end_ns[rows], self.value[rows], self.uid[rows]

    def on(self, name: str, span_ns: tuple[int, int]) -> tuple[I64, I64]:
        """Start and end of each interval in which a state is on, clipped to a span, sorted by start."""
        start_ns, end_ns, value, _ = self.intervals(name)
        return np.clip(start_ns[value > 0], *span_ns), np.clip(end_ns[value > 0], *span_ns)

    def values_at(self, name: str, edges_ns: I64, unknown: int) -> tuple[I64, Bool]:
        """The value of a state in each step between edges, and whether it is known; `unknown` where it is not.

        It is that of the last interval that began, if it has not ended. `edges_ns` includes the begins and ends of its intervals.
        """
        begin, end, value, _ = self.intervals(name)
        if not len(begin):
            return np.full(len(edges_ns) - 1, unknown), np.zeros(len(edges_ns) - 1, bool)
        last = np.searchsorted(begin, edges_ns[:-1], side="right") - 1
        is_known = np.asarray((last >= 0) & (end[last] > edges_ns[:-1]))
        return np.where(is_known, value[last], unknown), is_known

    def _rows(self, name: str) -> Bool:
        if name not in self.names:
            return np.zeros(len(self.state), bool)
        return np.asarray(self.state == self.names.index(name))


EVENT_STATES = ("alarm", "job")
"""States of batterystats (`Eal`, `Ejb`) that begin when Android delivers an alarm, or starts a job."""


@dataclass(frozen=True, slots=True)
class NotedEvents(ColumnTable):
    """The app's alarms and jobs by begin, each in `EVENT_STATES`, with its tag and its time of CLOCK_MONOTONIC.

    `unjoined` counts those whose time is unknown because the clock was set. `names_alarms` and `names_jobs`: the history has
    alarms or jobs of any app at any time. Android writes alarms only with `dumpsys batterystats --enable full-history`.
    """

    states: tuple[str, ...]
    tags: tuple[str, ...]
    t_ns: I64
    unjoined: int
    names_alarms: bool
    names_jobs: bool


def app_events(states: StateIntervals, uid: int) -> StateIntervals:
    """Return the alarms and jobs of an app, by begin."""
    wanted = [STATE_NUMBERS[name] for name in EVENT_STATES]
    found = states.rows(np.isin(states.state, wanted) & (states.uid == uid))
    return found.rows(np.argsort(found.start_ns, kind="stable"))


def history_events(
    found: StateIntervals, names: Sequence[str], tags: Sequence[str], t_ns: I64, run_ns: tuple[int, int], *, seen: Sequence[bool]
) -> NotedEvents:
    """Return the events that begin within a run. `t_ns` are their monotonic times, negative if unknown.

    `names` are those of all states, and `seen` whether the history has each one.
    """
    within = np.flatnonzero((t_ns >= run_ns[0]) & (t_ns <= run_ns[1]))
    return NotedEvents(
        tuple(names[state] for state in found.state[within].tolist()),
        tuple(tags[tag] for tag in found.tag[within].tolist()),
        t_ns[within],
        int(np.count_nonzero(t_ns < 0)),
        *(bool(seen[STATE_NUMBERS[name]]) for name in EVENT_STATES),
    )


@dataclass(frozen=True, slots=True)
class RadioTimes:
    """How long a radio received, sent, and was awake without doing either during a run.

    Source: the controller's activity in batterystats (AOSP: WifiActivityEnergyInfo, ModemActivityInfo).
    """

    radio: Literal["wifi", "modem"]
    received_ns: int
    sent_ns: int
    idle_ns: int


_RADIOS: Mapping[Literal["wifi", "modem"], str] = {"wifi": "gwfcd", "modem": "gmcd"}
_ZERO = ControllerCounters(0.0, 0.0, 0.0)
_MS_NS = 1_000_000
_MOST_MS = 1 << 40
"""A longer time is damage: 35 years."""


def radio_times(head: Mapping[str, Sequence[str]]) -> tuple[RadioTimes, ...]:
    """The times of each radio that reports them. `head` has the fields of `gwfcd_start`, `gwfcd_end` and so on.

    A controller without data has no line at the start. If nothing was read at the start (`start` is missing), the times are
    unknown: those of the end are since the last charge. Times that go back were reset during the run: they are left out, as
    impossible ones are.
    """
    if "start" not in head:
        return ()
    found = []
    for radio, kind in _RADIOS.items():
        if f"{kind}_end" not in head:
            continue
        start = read_controller(head[f"{kind}_start"]) if f"{kind}_start" in head else _ZERO
        end = read_controller(head[f"{kind}_end"])
        pairs = ((start.rx_ms, end.rx_ms), (start.tx_ms, end.tx_ms), (start.idle_ms, end.idle_ms))
        grown = [after - before for before, after in pairs if before is not None and after is not None]
        if len(grown) == len(pairs) and min(grown) >= 0 and max(grown) < _MOST_MS:
            found.append(RadioTimes(radio, *(round(ms * _MS_NS) for ms in grown)))
    return tuple(found)
