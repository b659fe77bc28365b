"""Continues the counters of cores that were unplugged, which begin again at 0."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from navitas.importing.probe_event import TICK_NS, Core, ProbeEvent, columns_by_core
from navitas.importing.reading_order import LATE_NS, log_clock_ns
from navitas.parse.restarts import begun, continued, fallen, torn

_LEAST_READINGS = 2
_JITTER_TICKS = 2
"""Threads read at the same time, so a counter can be some ticks below that of the event before."""


class Restart(NamedTuple):
    """A core whose counters began again in a process, how many times, and the first event after it."""

    cpu: int
    times: int
    first: ProbeEvent


def continue_counters(events: Sequence[ProbeEvent]) -> tuple[Restart, ...]:
    """Let each core's ticks count from the reading before, also where the kernel's counters began again. Returns the restarts.

    `events` are those of a process in the order of the log.
    """
    clock = np.array(log_clock_ns(events) or _counted_clock_ns(events), np.int64)
    columns = {layout: dict(columns_by_core(layout)) for layout in {event.layout for event in events}}
    rows: dict[Core, list[int]] = defaultdict(list)
    for number, event in enumerate(events):
        for core in columns[event.layout]:
            rows[core].append(number)
    restarted = []
    for core, of_core in sorted(rows.items()):
        own = [(events[number], columns[events[number].layout][core]) for number in of_core]
        counted = np.array([[event.ticks[column] for column in at] for event, at in own], np.int64)
        kept = np.flatnonzero(~torn(counted))
        passed = np.diff(clock[of_core][kept], prepend=clock[of_core[0]])
        is_begun = begun(counted[kept], (passed + LATE_NS) // TICK_NS, jitter=_JITTER_TICKS)
        # Lines that are late are in order again later, and of a single wrong reading nothing is known.
        is_lower = fallen(counted[kept], LATE_NS // TICK_NS) & ~is_begun
        is_lower[:_LEAST_READINGS], is_lower[1 - _LEAST_READINGS :] = False, False
        restarts = kept[is_begun | is_lower].tolist()
        if not restarts:
            continue
        added = continued(counted[kept], is_begun, is_lower) - counted[kept]
        counted += added[np.searchsorted(kept, np.arange(len(counted)), side="right") - 1]
        for (event, at), ticks in zip(own, counted.tolist(), strict=True):
            event.count_ticks(at, ticks)
        restarted.append(Restart(core[0], len(restarts), own[restarts[0]][0]))
    return tuple(restarted)


def _counted_clock_ns(events: Sequence[ProbeEvent]) -> list[int]:
    """The time of each event by the core that counts most from event to event, for logs without times."""
    clock, last = [0], dict[int, int]()
    for event in events:
        totals = event.totals()
        grown = [ticks - last[cpu] for cpu, ticks in totals.items() if cpu in last]
        clock.append(clock[-1] + max([0, *grown]) * TICK_NS)
        last |= totals
    return clock[1:]
