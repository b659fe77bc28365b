"""The graph as JSON: nodes and links, as networkx's `node_link_graph` reads them (docs/graph.md, JSON)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import IO, Any

from navitas.base.json_text import fields, json_chunks
from navitas.insight.graph.advice import Advice
from navitas.insight.graph.delivery_tags import HistoryCheck
from navitas.insight.graph.difference import GraphDifference
from navitas.insight.graph.edge_style import drawn_nodes
from navitas.insight.graph.module_graph import NO_CLASS, ModuleEdge, ModuleGraph, ModuleNode
from navitas.insight.graph.processing import Processing
from navitas.insight.graph.wake_ups import WakeUp
from navitas.recording.parse.communication_records import CommunicationFlag

GRAPH_SCHEMA_VERSION = 1


def graph_document(
    graph: ModuleGraph,
    *,
    wakes: Sequence[WakeUp] = (),
    found: Sequence[Advice] = (),
    reached: Processing | None = None,
    changed: GraphDifference | None = None,
    check: HistoryCheck | None = None,
) -> dict[str, Any]:
    """Return the graph as a JSON document, with what was computed from it."""
    others = [name for name, node in drawn_nodes(graph).items() if node is None]
    document: dict[str, Any] = {
        "schema_version": GRAPH_SCHEMA_VERSION,
        "directed": True,
        "multigraph": True,
        "graph": {
            "project": graph.project,
            "components": list(graph.components),
            **fields(graph, "energy_j", "run_ns", "runs", "processes"),
            "base_classes": [_members(one, name="class") for one in graph.bases],
        },
        "nodes": [
            *(_node(node, graph.components) for node in (*graph.nodes, graph.outside)),
            *({"id": name, "is_module": False, "is_fragment": False, "energy_j": None} for name in others),
        ],
        "links": [_link(edge, graph) for edge in graph.edges],
        "unmatched": [_members(one) for one in graph.unmatched],
        "wake_ups": [
            {**_ends(one.edge), "count": one.edge.count, **fields(one, "each_j", "total_j", "per_day_j")} for one in wakes
        ],
        "advice": [_advice(one, graph) for one in found],
    }
    if reached is not None:
        document["processing"] = {
            "from": list(reached.entries),
            "energy_j": reached.energy_j,
            "components": _by_component(graph.components, reached.components),
            "modules": [node.name for node in reached.modules],
        }
    if changed is not None:
        document["difference"] = {
            **fields(changed, "before_j", "after_j"),
            "modules": [_members(one, name="id") for one in changed.modules],
            "links": [_members(one, sender="source", receiver="target") for one in changed.edges],
        }
    if check is not None:
        rows = [{**_members(one), "difference": one.difference or None} for one in check.tags]
        document["history"] = {**fields(check, "runs", "unjoined"), "tags": rows}
    return document


def write_node_link(document: Mapping[str, Any], out: IO[str]) -> None:
    """Write a graph's document."""
    for chunk in json_chunks(dict(document)):
        out.write(chunk)
    out.write("\n")


def _node(node: ModuleNode, components: Sequence[str]) -> dict[str, Any]:
    return {
        "id": node.name,
        "is_module": node.name not in NO_CLASS,
        **fields(node, "is_fragment", "energy_j", "handed_j", "busy_ns", "received"),
        "components": _by_component(components, node.components),
    }


def _link(edge: ModuleEdge, graph: ModuleGraph) -> dict[str, Any]:
    places = [graph.places[method] for method in edge.methods if method in graph.places]
    return {
        "source": edge.sender,
        "target": edge.receiver,
        "key": edge.kind.value,
        "kind": edge.kind.value,
        **fields(edge, "count", "first_ns", "last_ns", "mean_period_ns", "period_ms"),
        "exact_count": edge.exact.count,
        "energy_j": edge.energy_j,
        "flags": [str(flag.name).lower() for flag in CommunicationFlag if edge.flags & flag],
        "actions": list(edge.actions),
        "sent_by": [{"method": label, "file": file, "line": line} for label, file, line in places],
    }


def _advice(one: Advice, graph: ModuleGraph) -> dict[str, Any]:
    return {
        "rule": one.rule.id,
        **_ends(one.edge),
        "message": one.message,
        **fields(one.rule, "mechanism", "change"),
        **fields(one, "avoided", "saving_j", "saving_share"),
        "sent_by": _link(one.edge, graph)["sent_by"],
    }


def _ends(edge: ModuleEdge) -> dict[str, Any]:
    return {"source": edge.sender, "target": edge.receiver, "kind": edge.kind.value}


def _members(record: Any, **names: str) -> dict[str, Any]:
    """The fields of a record, some of them under other names."""
    members = asdict(record).items()
    return {names.get(name, name): list(value) if isinstance(value, tuple) else value for name, value in members}


def _by_component(components: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return dict(zip(components, values, strict=True))
