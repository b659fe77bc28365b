"""Separates overlapping threads in a log without thread ids (format brief)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from navitas.recording.importing.probe_event import ProbeEvent

MAX_LANES = 64
_DEEPEST = 1024
"""More exits than this are not missing in sequence."""


class _Lane:
    """The events of one inferred thread, and its open calls: method, and index of its entry in `events`."""

    def __init__(self) -> None:
        self.events: list[ProbeEvent] = []
        self.open: list[tuple[str, int]] = []
        self.count = Counter[str]()
        """The number of open calls of each method."""

    def depth_of(self, method: str, limit: int) -> int | None:
        """Return how many calls are open above a method's innermost one; None if it is not among the `limit` innermost ones."""
        if not self.count[method]:
            return None
        innermost = islice(reversed(self.open), limit)
        return next((depth for depth, (name, _) in enumerate(innermost) if name == method), None)

    def enter(self, method: str, at: int) -> None:
        """Open a call whose entry has this index."""
        self.open.append((method, at))
        self.count[method] += 1

    def leave(self, calls: int) -> list[tuple[str, int]]:
        """Close the innermost calls, and return them."""
        first = len(self.open) - calls
        left = self.open[first:]
        del self.open[first:]
        self.count.subtract(name for name, _ in left)
        return left


def lanes(events: Sequence[ProbeEvent]) -> list[list[ProbeEvent]]:
    """Split the events of a process into inferred threads: as few as possible so that the calls of each are nested.

    An exit below open calls that have exits of their own later belongs to another thread than these calls. Calls without such an
    exit were left by an exception. What two threads do one inside of the other's call looks like one thread.
    """
    surplus = Counter[str]()
    for event in events:
        surplus[event.method] += -1 if event.is_entry else 1
    all_lanes = [_Lane()]
    used = all_lanes[0]
    for event in events:
        surplus[event.method] -= -1 if event.is_entry else 1
        if event.is_entry:
            used.enter(event.method, len(used.events))
        elif (found := _nearest(all_lanes, used, event.method)) is not None:
            used, above = found
            if above and len(all_lanes) < MAX_LANES and _continue(used, above, surplus):
                all_lanes.append(_moved(used, above))
                above = 0
            used.leave(above + 1)
        used.events.append(event)
    return [lane.events for lane in all_lanes]


def _nearest(all_lanes: Sequence[_Lane], used: _Lane, method: str) -> tuple[_Lane, int] | None:
    """The lane in which the method's call is nearest to the top, preferably the one used last, and the calls above it."""
    found: tuple[_Lane, int] | None = None
    for lane in (used, *all_lanes):
        depth = lane.depth_of(method, _DEEPEST if found is None else found[1])
        if depth is not None:
            found = lane, depth
    return found


def _continue(lane: _Lane, above: int, surplus: Counter[str]) -> bool:
    """Whether a call above has an exit later: of its method, more exits than entries are to come than calls are open below it."""
    upper = Counter(name for name, _ in islice(reversed(lane.open), above))
    return any(surplus[name] > lane.count[name] - count for name, count in upper.items())


def _moved(lane: _Lane, above: int) -> _Lane:
    """Move the calls above, with all they called, to a new lane."""
    fresh = _Lane()
    left = lane.leave(above)
    first = left[0][1]
    fresh.events, lane.events = lane.events[first:], lane.events[:first]
    for name, at in left:
        fresh.enter(name, at - first)
    return fresh
