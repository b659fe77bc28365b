"""What one alarm, job, work or broadcast costs: the energy of everything that it starts.

A module's energy is split evenly among the messages that it received. A message also has the cost of the messages that its
receiver sent in response, which follows from their numbers: c = e + P c, where e is the energy of each module per message
received, and P the messages that it sent to each module per message received. The next alarm, job or work does not count as a
response, because it has a cost of its own.

The equations are solved cycle by cycle. A column of a cycle's matrix adds up to the messages that entered at that module. If
there are any, the matrix has an inverse, which has no negative element; else the cycle has no beginning, and no cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.base.strong_components import strong_components
from navitas.insight.graph.module_graph import EdgeKind, ModuleEdge, ModuleGraph, ModuleNode

WAKING = (EdgeKind.PERIODIC, EdgeKind.SYSTEM_BROADCAST, EdgeKind.BROADCAST)
_DAY_NS = 86_400_000_000_000
_MOST_IN_CYCLE = 3000


@dataclass(frozen=True, slots=True)
class WakeUp:
    """The cost of the messages of one edge. `each_j` is per message, `total_j` of all of them in the recording.

    `per_day_j` follows from the period that the app requested; without one, it extrapolates from the recording's time. All
    are None if the cost is not determined (`message_costs`).
    """

    edge: ModuleEdge
    each_j: float | None
    total_j: float | None
    per_day_j: float | None


def wake_ups(graph: ModuleGraph, edges: Iterable[ModuleEdge] | None = None) -> tuple[WakeUp, ...]:
    """Return the alarms, jobs, work and broadcasts of a graph, largest total first. `edges`: only those of these edges."""
    costs = message_costs(graph)
    found = []
    for edge in graph.edges if edges is None else edges:
        each_j = costs.get(edge.receiver)
        if edge.kind not in WAKING or edge.receiver not in costs:
            continue
        total_j = None if each_j is None else each_j * edge.count
        per_day = _per_day(edge, graph)
        per_day_j = each_j * per_day if each_j is not None and per_day is not None else None
        found.append(WakeUp(edge, each_j, total_j, per_day_j))
    return tuple(sorted(found, key=lambda one: (-(one.total_j or 0.0), one.edge.key)))


def _per_day(edge: ModuleEdge, graph: ModuleGraph) -> float | None:
    """The number of messages in a day. Times of the recording do not matter for those whose period was requested.

    Several alarms of one period, such as those of several accounts, come as often as each other.
    """
    requested, others = 0.0, edge.count
    if edge.period_ms:
        requested, others = _DAY_NS / 1e6 / edge.period_ms * edge.repeating.at_once, edge.count - edge.requested
    if not others:
        return requested
    return requested + others * _DAY_NS / graph.run_ns if graph.run_ns > 0 else None


def message_costs(graph: ModuleGraph) -> dict[str, float | None]:
    """The energy that one message to each module starts. Modules without messages are left out.

    None if it is not determined: the message leads into a cycle without a beginning, or into one of more than 3000 modules.
    """
    nodes = {node.name: node for node in graph.nodes if node.received > 0}
    answers: dict[str, dict[str, int]] = {name: {} for name in nodes}
    for edge in graph.edges:
        if edge.kind != EdgeKind.PERIODIC and edge.sender in nodes and edge.receiver in nodes:
            counts = answers[edge.sender]
            counts[edge.receiver] = counts.get(edge.receiver, 0) + edge.count
    costs: dict[str, float | None] = {}
    for cycle in strong_components(answers):
        costs |= _costs_of([nodes[name] for name in cycle], answers, costs)
    return {name: costs[name] for name in nodes}


def _costs_of(
    cycle: Sequence[ModuleNode], answers: Mapping[str, Mapping[str, int]], known: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Solve the modules of a cycle, or one module, by the `known` costs of all others that they lead to."""
    place = {node.name: i for i, node in enumerate(cycle)}
    outer = [(name, other, count) for name in place for other, count in answers[name].items() if other not in place]
    if len(cycle) > _MOST_IN_CYCLE or any(known[other] is None for _, other, _ in outer):
        return dict.fromkeys(place)
    started_j = np.array([node.energy_j for node in cycle])
    for name, other, count in outer:
        started_j[place[name]] += count * (known[other] or 0.0)
    system = np.diag(np.array([node.received for node in cycle], np.float64))
    for name, row in place.items():
        for other in answers[name].keys() & place.keys():
            system[row, place[other]] -= answers[name][other]
    entering = system.sum(axis=0)
    if entering.min() < 0 or entering.max() <= 0:
        return dict.fromkeys(place)
    return dict(zip(place, np.linalg.solve(system, started_j).tolist(), strict=True))
