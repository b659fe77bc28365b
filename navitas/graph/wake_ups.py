"""What one alarm, job, work or broadcast costs: the energy of everything that it starts.

A module's energy is split evenly among the messages that it received. A message also has the cost of the messages that its
receiver sent in response, which follows from their numbers: c = e + P c, where e is the energy of each module per message
received, and P the messages that it sent to each module per message received. The next alarm, job or work does not count as a
response, because it has a cost of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.graph.module_graph import EdgeKind, ModuleEdge, ModuleGraph
from navitas.parse.arrays import F64

WAKING = (EdgeKind.PERIODIC, EdgeKind.SYSTEM_BROADCAST, EdgeKind.BROADCAST)
_DAY_NS = 86_400_000_000_000
_MAX_MODULES = 3000
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class WakeUp:
    """The cost of the messages of one edge. `each_j` is per message, `total_j` of all of them in the recording.

    `per_day_j` extrapolates from the recording's time. All are None if the messages form a cycle without a beginning.
    """

    edge: ModuleEdge
    each_j: float | None
    total_j: float | None
    per_day_j: float | None


def wake_ups(graph: ModuleGraph) -> tuple[WakeUp, ...]:
    """Return the alarms, jobs, work and broadcasts of a graph, largest total first."""
    costs = message_costs(graph)
    found = []
    for edge in graph.edges:
        each_j = costs.get(edge.receiver)
        if edge.kind not in WAKING or edge.receiver not in costs:
            continue
        total_j = None if each_j is None else each_j * edge.count
        per_day_j = total_j * _DAY_NS / graph.run_ns if total_j is not None and graph.run_ns > 0 else None
        found.append(WakeUp(edge, each_j, total_j, per_day_j))
    return tuple(sorted(found, key=lambda one: (-(one.total_j or 0.0), one.edge.key)))


def message_costs(graph: ModuleGraph) -> dict[str, float | None]:
    """The energy that one message to each module starts, None if it is not determined. Modules without messages are left out."""
    nodes = [node for node in graph.nodes if node.received > 0]
    place = {node.name: i for i, node in enumerate(nodes)}
    if not nodes or len(nodes) > _MAX_MODULES:
        return dict.fromkeys(place)
    received = np.array([node.received for node in nodes], np.float64)
    answers = np.zeros((len(nodes), len(nodes)))
    for edge in graph.edges:
        if edge.kind != EdgeKind.PERIODIC and edge.sender in place and edge.receiver in place:
            answers[place[edge.sender], place[edge.receiver]] += edge.count
    answers /= received[:, None]
    own_j = np.array([node.energy_j for node in nodes]) / received
    costs = _solved(answers, own_j)
    return {node.name: None if costs is None else float(costs[i]) for i, node in enumerate(nodes)}


def _solved(answers: F64, own_j: F64) -> F64 | None:
    """The solution of c = e + P c, or None if there is none without negative costs."""
    system = np.eye(len(own_j)) - answers
    try:
        costs: F64 = np.linalg.solve(system, own_j).astype(np.float64)
    except np.linalg.LinAlgError:
        return None
    is_close = np.allclose(system @ costs, own_j, rtol=_TOLERANCE, atol=_TOLERANCE)
    return costs if is_close and (costs >= -_TOLERANCE).all() else None
