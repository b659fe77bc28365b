"""Advice as SARIF (`navitas.base.sarif`), for tools of code review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any

from navitas.base.sarif import SarifResult, SarifRule, sarif_location, write_results
from navitas.insight.graph.advice import RULES, Advice
from navitas.insight.graph.module_graph import NO_CLASS, ModuleGraph

_HELP = "https://developer.android.com/topic/performance/power"
SARIF_RULES = tuple(SarifRule(rule.id, rule.title, rule.mechanism, rule.change, _HELP) for rule in RULES)


def write_sarif(graph: ModuleGraph, found: Sequence[Advice], version: str, out: IO[str]) -> None:
    """Write advice as one run of the tool Navitas. `version` is that of Navitas."""
    write_results(SARIF_RULES, sarif_results(graph, found), version, out)


def sarif_results(graph: ModuleGraph, cases: Sequence[Advice]) -> list[SarifResult]:
    """Return the cases of `SARIF_RULES`, at the methods that send the messages."""
    return [
        SarifResult(
            one.rule.id,
            f"{one.rule.title}: {one.edge.sender} → {one.edge.receiver}. {one.rule.mechanism} {one.rule.change}",
            one.edge.key,
            "navitasAdvice/v1",
            list(_locations(one, graph)),
            {
                "measured": one.message,
                "count": one.edge.count,
                "avoided": one.avoided,
                "saving_j": one.saving_j,
                "saving_share": one.saving_share,
            },
        )
        for one in cases
    ]


def _locations(one: Advice, graph: ModuleGraph) -> Iterator[dict[str, Any]]:
    """The methods that send the messages; else the module that receives them."""
    places = [graph.places[method] for method in one.edge.methods if method in graph.places]
    for label, file, line in places:
        class_name, _, name = label.rpartition(".")  # Names of methods in class files have no full stop.
        yield sarif_location(class_name, name, file, line)
    if not places:
        names = [name for name in (one.edge.receiver, one.edge.sender) if name not in NO_CLASS]
        yield sarif_location(names[0] if names else one.edge.receiver)
