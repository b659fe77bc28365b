"""The graph as GraphML, for Gephi, yEd, Cytoscape and networkx."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import IO

from navitas.base.untrusted_text import boxed
from navitas.insight.graph.edge_style import drawn_nodes
from navitas.insight.graph.module_graph import NO_CLASS, ModuleGraph

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE_KEYS = {"name": "string", "is_module": "boolean", "energy_j": "double", "busy_ns": "long", "received": "long"}
_EDGE_KEYS = {"kind": "string", "count": "long", "energy_j": "double", "mean_period_ns": "double", "actions": "string"}


def write_graphml(graph: ModuleGraph, out: IO[str]) -> None:
    """Write the graph. Nodes have numbers as ids, and the class as `name`."""
    root = ET.Element("graphml", xmlns=_NAMESPACE)
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys.items():
            ET.SubElement(root, "key", {"id": f"{domain}_{name}", "for": domain, "attr.name": name, "attr.type": kind})
    element = ET.SubElement(root, "graph", id="modules", edgedefault="directed")
    drawn = drawn_nodes(graph)
    numbers = {name: f"n{number}" for number, name in enumerate(drawn)}
    for name, node in drawn.items():
        values: dict[str, object] = {"name": name, "is_module": name not in NO_CLASS}
        if node is not None:
            values |= {"energy_j": node.energy_j, "busy_ns": node.busy_ns, "received": node.received}
        _data(ET.SubElement(element, "node", id=numbers[name]), "node", values)
    for number, edge in enumerate(graph.edges):
        ends = {"id": f"e{number}", "source": numbers[edge.sender], "target": numbers[edge.receiver]}
        values = {"kind": edge.kind.value, "count": edge.count, "energy_j": edge.energy_j, "actions": " ".join(edge.actions)}
        if edge.mean_period_ns is not None:
            values["mean_period_ns"] = edge.mean_period_ns
        _data(ET.SubElement(element, "edge", ends), "edge", values)
    ET.indent(root, " ")
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(ET.tostring(root, encoding="unicode") + "\n")


def _data(element: ET.Element, domain: str, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        text = str(value).lower() if isinstance(value, bool) else boxed(str(value), 5000)  # XML has no control characters
        ET.SubElement(element, "data", key=f"{domain}_{name}").text = text
