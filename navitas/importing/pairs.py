"""Which entries and exits of a process match, by the rules of reports (navitas.attribute.calls.walk)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from navitas.importing.probe_event import ProbeEvent


@dataclass(frozen=True, slots=True)
class CallPairs:
    """Entries without an exit and exits without an entry, with the first of each; and times in calls by the counters (ns).

    `in_calls_ns` is the time in which at least one thread was in a call, and `shared_ns` that in which several were.
    """

    cut: int = 0
    first_cut: ProbeEvent | None = None
    unmatched: int = 0
    first_unmatched: ProbeEvent | None = None
    in_calls_ns: int = 0
    shared_ns: int = 0


def pairs_of(events: Sequence[ProbeEvent], t_ns: Sequence[int], threads: Sequence[int]) -> CallPairs:
    """Match the events of a process, which are in order of their times `t_ns`.

    An exit ends the innermost open call of its method in its thread, and cuts the calls above it. Without such a call, it has no
    entry. Calls that are still open at the end have no exit.
    """
    stacks: dict[int, list[ProbeEvent]] = {}
    is_open = Counter[tuple[int, str]]()
    cut: list[ProbeEvent] = []
    unmatched: list[ProbeEvent] = []
    in_calls = shared = 0
    busy = 0
    for i, (event, thread) in enumerate(zip(events, threads, strict=True)):
        passed = t_ns[i] - t_ns[i - 1] if i else 0
        in_calls += passed if busy else 0
        shared += passed if busy > 1 else 0
        stack = stacks.setdefault(thread, [])
        was_busy = bool(stack)
        if event.is_entry:
            stack.append(event)
            is_open[thread, event.method] += 1
        elif not is_open[thread, event.method]:
            unmatched.append(event)
        else:
            while (ended := stack.pop()).method != event.method:
                is_open[thread, ended.method] -= 1
                cut.append(ended)
            is_open[thread, event.method] -= 1
        busy += bool(stack) - was_busy
    cut += [event for stack in stacks.values() for event in stack]
    cut.sort(key=lambda event: event.place)
    return CallPairs(len(cut), cut[0] if cut else None, len(unmatched), unmatched[0] if unmatched else None, in_calls, shared)
