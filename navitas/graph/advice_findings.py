"""Apply the catalogue of advice to a graph."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.graph.advice_rules import RULES, AdviceRule, RuleEvidence
from navitas.graph.module_graph import ModuleEdge, ModuleGraph
from navitas.graph.wake_ups import WakeUp, wake_ups


@dataclass(frozen=True, slots=True)
class Advice:
    """A case of a rule in a recording. `message` names the modules and the frequency.

    `saving_j` is what the rule's change would have saved in this recording: the cost of one message × the messages that it
    avoids. `saving_share` is its share of the app's energy. Both are None if the cost is not determined.
    """

    rule: AdviceRule
    edge: ModuleEdge
    message: str
    avoided: float
    saving_j: float | None
    saving_share: float | None


def advice(graph: ModuleGraph, wakes: tuple[WakeUp, ...] | None = None) -> tuple[Advice, ...]:
    """Return all cases of all rules, largest saving first. Each edge has at most one case of a rule."""
    wakes = wake_ups(graph) if wakes is None else wakes
    evidence, found = RuleEvidence.of(graph, wakes), []
    for rule in RULES:
        for case in rule.find(evidence):
            each_j, avoided = case.wake_up.each_j, case.avoided
            saving_j = None if each_j is None else each_j * avoided
            share = saving_j / graph.energy_j if saving_j is not None and graph.energy_j > 0 else None
            if avoided > 0:
                found.append(Advice(rule, case.wake_up.edge, case.message, avoided, saving_j, share))
    return tuple(sorted(found, key=lambda one: (-(one.saving_j or 0.0), one.rule.id, one.edge.key)))
