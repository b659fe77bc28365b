"""The alarms of a recording: the methods that set each one, and the energy that it cost, by the tag that batterystats prints.

The tag names the intent's action, or else its component (navitas/graph/delivery_tags.py).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from navitas.analyze.profile import Profile
from navitas.graph.build_graph import module_graph
from navitas.graph.module_graph import ModuleGraph, ScheduledTag, TagKind
from navitas.graph.wake_ups import message_costs


@dataclass(frozen=True, slots=True)
class AlarmSetter:
    """A method that set alarms. `name` is class and method."""

    name: str
    file: str | None
    line: int | None

    @property
    def place(self) -> str:
        """File and line, as far as they are known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


@dataclass(frozen=True, slots=True)
class RecordedAlarm:
    """The alarms or jobs of one tag in a recording.

    `set_count`: how many times they were set. `count`: how many times a module received one. `energy_j` is the energy of all that
    followed from those receipts; None if there was none, or if it is not determined. `set_in` are the methods that set most.
    """

    kind: TagKind
    tag: str
    set_count: int
    count: int
    energy_j: float | None
    set_in: tuple[AlarmSetter, ...]


def recorded_alarms(profile: Profile) -> tuple[RecordedAlarm, ...]:
    """Return the alarms and jobs of all runs, largest energy first. Empty if the recording has no communications."""
    if profile.ledger.messages is None:
        return ()
    graph = module_graph(profile)
    by_tag: defaultdict[tuple[TagKind, str], list[ScheduledTag]] = defaultdict(list)
    for one in graph.scheduled:
        by_tag[one.kind, one.tag].append(one)
    costs = message_costs(graph)
    found = [_alarm(key, parts, graph, costs) for key, parts in by_tag.items()]
    return tuple(sorted(found, key=lambda one: (-(one.energy_j or 0.0), -one.count, one.tag)))


def _alarm(
    key: tuple[TagKind, str], parts: list[ScheduledTag], graph: ModuleGraph, costs: dict[str, float | None]
) -> RecordedAlarm:
    received = [(module, count) for part in parts for module, count in part.received.items()]
    each = [(costs.get(module), count) for module, count in received]
    known = [cost * count for cost, count in each if cost is not None]
    methods = dict.fromkeys(method for part in parts for method in part.methods)
    return RecordedAlarm(
        *key,
        set_count=sum(part.set_count for part in parts),
        count=sum(count for _, count in received),
        energy_j=sum(known) if received and len(known) == len(each) else None,
        set_in=tuple(AlarmSetter(*graph.places[method]) for method in methods),
    )
