"""Alarms and jobs of the app that batterystats noted during a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.android.batterystats.keys import STATE_NUMBERS
from navitas.android.batterystats.tables import StateIntervals
from navitas.recording.parse.arrays import I64, ColumnTable

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
