"""DOT, SVG, GraphML, JSON and SARIF of a graph: content, hostile names, and time for 500 modules."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from support.hostile_profile import HOSTILE
from support.reports import data_of, text_of
from test_graph_costs import FAULTY, edge, graph

from navitas.insight.graph.advice import RULES, advice
from navitas.insight.graph.edge_style import BLACK, THICKEST, THINNEST, YELLOW
from navitas.insight.graph.graphml_format import write_graphml
from navitas.insight.graph.graphviz import write_dot
from navitas.insight.graph.message_kinds import protected_broadcasts
from navitas.insight.graph.module_graph import OUTSIDE_MODULES, SYSTEM, EdgeKind, ModuleGraph, UnmatchedMessages
from navitas.insight.graph.node_link_format import graph_document, write_node_link
from navitas.insight.graph.processing import processing
from navitas.insight.graph.sarif_format import write_sarif
from navitas.insight.graph.svg_format import layered_layout, write_svg
from navitas.insight.graph.wake_ups import wake_ups

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
MADE = graph(
    {"p.Main": 1.5, "p.Sync": 0.25},
    edge("p.Main", "p.Sync", EdgeKind.NORMAL, 6),
    edge("p.Main", "p.Sync", EdgeKind.PERIODIC, 2, period_s=60),
    edge(SYSTEM, "p.Main", EdgeKind.SYSTEM_BROADCAST, 1),
    edge("p.Sync", "p.Main", EdgeKind.BIND, 1),
)


def hostile() -> ModuleGraph:
    names = [f"p.{text}" for text in (*HOSTILE, 'quote" -> n0; \\', "x" * 5000, "line\nfeed")]
    edges = [edge(a, b, EdgeKind.BROADCAST, 3) for a, b in pairwise(names)]
    edges = [replace(one, actions=(HOSTILE[0],)) for one in edges]
    made = graph(dict.fromkeys(names, 1.0), *edges)
    return replace(made, project=HOSTILE[1], unmatched=(UnmatchedMessages(names[0], "receive", HOSTILE[3], "no_identity", 1),))


def large(modules: int, edges: int) -> ModuleGraph:
    random = Random(3)
    kinds = list(EdgeKind)
    found = {}
    for _ in range(edges):
        one = edge(f"p.M{random.randrange(modules)}", f"p.M{random.randrange(modules)}", random.choice(kinds), 5)
        found[one.key] = one
    return graph({f"p.M{i}": float(i) for i in range(modules)}, *found.values())


def test_dot_is_as_in_paper_2() -> None:
    """Energy in the node, count on the edge, width by the share of messages, black and yellow."""
    text = text_of(write_dot, MADE)
    assert 'n0 [label="Main\\n1.50 J", tooltip="p.Main"];' in text and 'label="(outside modules)\\n5.00 J"' in text
    edges = re.findall(r'(n\d) -> (n\d) \[label="(\d+)", color="(#\w+)", penwidth=([\d.]+), tooltip="(\w+)"\];', text)
    span = THICKEST - THINNEST
    assert [one[:4] for one in edges] == [
        ("n0", "n1", "6", BLACK),
        ("n0", "n1", "2", YELLOW),
        ("n3", "n0", "1", YELLOW),
        ("n1", "n0", "1", BLACK),
    ]
    assert [float(one[4]) for one in edges] == pytest.approx([THINNEST + span * share for share in (0.6, 0.2, 0.1, 0.1)])


def test_hostile_names_stay_inside_of_strings() -> None:
    """Without the strings, only the syntax of nodes and edges is left."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"', "S", text_of(write_dot, hostile()))
    attributes = r"\[label=S, (?:tooltip=S|color=S, penwidth=[\d.]+, tooltip=S)\]"
    lines = bare.splitlines()
    assert lines[0] == "digraph S {" and lines[-1] == "}"
    assert all(re.fullmatch(rf"  n\d+(?: -> n\d+)? {attributes};", line) for line in lines[2:-1])


@pytest.mark.parametrize("made", [MADE, hostile(), graph({}), large(40, 100)], ids=["small", "hostile", "empty", "large"])
def test_the_own_svg_is_well_formed_and_loads_nothing(made: ModuleGraph) -> None:
    text = text_of(write_svg, made)
    root = ET.fromstring(text)
    classes = [node.get("class") for node in root.iter()]
    assert classes.count("edge") == len(made.edges) and classes.count("node") >= len(made.nodes)
    assert "<script" not in text and text.count("http") == text.count("http://www.w3.org/")
    assert not {node.tag.rpartition("}")[2] for node in root.iter()} - {
        *("svg", "defs", "marker", "path", "rect", "g", "title", "text"),
    }


def test_boxes_of_the_own_layout_do_not_overlap() -> None:
    root = ET.fromstring(text_of(write_svg, large(120, 300)))
    boxes = [(float(node.get("x", 0)), float(node.get("y", 0))) for node in root.iter() if node.get("rx")]
    assert len(boxes) == len(set(boxes)) >= 120


def test_the_layout_points_down_without_cycles() -> None:
    layout = layered_layout(4, [(0, 1), (1, 2), (0, 3), (3, 2)])
    assert [layout.row[node] for node in range(4)] == [0, 1, 2, 1]
    assert layered_layout(3, [(0, 1), (1, 2), (2, 0), (1, 1)]).rows == 3 and layered_layout(0, []).rows == 0


def test_graphml_has_all_nodes_and_edges() -> None:
    root = ET.fromstring(text_of(write_graphml, MADE))
    names = [node.text for node in root.iter(f"{GRAPHML}data") if node.get("key") == "node_name"]
    assert names == ["p.Main", "p.Sync", OUTSIDE_MODULES, SYSTEM]
    kinds = [node.text for node in root.iter(f"{GRAPHML}data") if node.get("key") == "edge_kind"]
    assert kinds == ["normal", "periodic", "system_broadcast", "bind"]
    declared = {node.get("id") for node in root.iter(f"{GRAPHML}key")}
    assert {node.get("key") for node in root.iter(f"{GRAPHML}data")} <= declared


def test_networkx_reads_graphml_and_json() -> None:
    networkx = pytest.importorskip("networkx", reason="make setup")
    for made in (MADE, hostile()):
        read = networkx.parse_graphml(text_of(write_graphml, made))
        assert (read.number_of_edges(), read.is_directed()) == (len(made.edges), True)
        found = networkx.node_link_graph(graph_document(made), edges="links")
        assert found.number_of_edges() == len(made.edges) and set(made.by_name) <= set(found.nodes)


def test_json_has_schema_version_figures_and_findings() -> None:
    wakes = wake_ups(MADE)
    document = graph_document(MADE, wakes=wakes, found=advice(MADE, wakes), reached=processing(MADE, ["p.Sync"]))
    found = data_of(write_node_link, document)
    assert found["schema_version"] == 1 and found["graph"]["components"] == ["cpu"]
    assert sum(node["energy_j"] or 0.0 for node in found["nodes"]) == pytest.approx(found["graph"]["energy_j"], rel=1e-9)
    assert found["links"][1] == {
        **found["links"][1],
        **{"source": "p.Main", "target": "p.Sync", "kind": "periodic", "count": 2, "mean_period_ns": 60e9},
    }
    assert found["processing"] == {
        "from": ["p.Sync"],
        "energy_j": 1.75,
        "components": {"cpu": 1.75},
        "modules": ["p.Main", "p.Sync"],
    }
    assert {one["kind"] for one in found["wake_ups"]} == {"periodic", "system_broadcast"}


def sarif(made: ModuleGraph) -> dict[str, object]:
    return data_of(write_sarif, made, advice(made), "1.2.3")


def results(made: ModuleGraph) -> list[dict[str, Any]]:
    (run,) = sarif(made)["runs"]  # type: ignore[misc]
    return list(run["results"])


FAULTS = graph(
    {"p.R": 1.0, "p.Q": 1.0},
    replace(FAULTY["exact-repeating-alarm"], methods=(1, 2)),
    replace(FAULTY["broadcast-storm"], receiver="p.Q"),
)
PLACED = replace(FAULTS, places={1: ("p.q.Main$A.on Click", "Mä in.java", 12), 2: ("p.Other.run", None, None)})


def test_sarif_names_rules_messages_places_and_savings() -> None:
    document = sarif(PLACED)
    (run,) = document["runs"]  # type: ignore[misc]
    driver = run["tool"]["driver"]
    assert (document["version"], driver["name"], driver["version"]) == ("2.1.0", "Navitas", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == [rule.id for rule in RULES]
    by_rule = {result["ruleId"]: result for result in run["results"]}
    assert set(by_rule) == {"exact-repeating-alarm", "broadcast-storm"}
    first = by_rule["exact-repeating-alarm"]
    assert driver["rules"][first["ruleIndex"]]["id"] == first["ruleId"]
    physical = first["locations"][0]["physicalLocation"]
    assert physical == {
        "artifactLocation": {"uri": "p/q/M%C3%A4%20in.java", "uriBaseId": "SOURCE_ROOT"},
        "region": {"startLine": 12},
    }
    assert "physicalLocation" not in first["locations"][1] and first["properties"]["saving_j"] > 0
    assert "SOURCE_ROOT" in run["originalUriBaseIds"]
    alarm, rule = PLACED.edges[0], RULES[first["ruleIndex"]]
    assert first["message"]["text"] == f"{rule.title}: {alarm.sender} → {alarm.receiver}. {rule.mechanism} {rule.change}"
    assert first["properties"]["measured"].startswith("an exact alarm of")


def test_sarif_of_the_same_advice_is_the_same_in_each_run() -> None:
    """Energy, times, numbers of messages and the order of methods differ. The rule and the modules are the same."""
    later = replace(
        PLACED,
        nodes=tuple(replace(node, energy_j=3 * node.energy_j) for node in PLACED.nodes),
        edges=tuple(
            replace(
                one,
                count=one.count + 1,
                methods=one.methods[::-1],
                exact=replace(one.exact, mean_period_ns=1.01 * (one.exact.mean_period_ns or 0)),
            )
            for one in PLACED.edges[::-1]
        ),
        energy_j=7.0,
    )
    runs = [{one["partialFingerprints"]["primaryLocationLineHash"]: one for one in results(made)} for made in (PLACED, later)]
    assert len(runs[0]) == 2 and runs[0].keys() == runs[1].keys()
    for identity, first in runs[0].items():
        second = runs[1][identity]
        same = {key for key in first if first[key] == second[key]}
        assert same - {"locations"} == {"ruleId", "ruleIndex", "level", "message", "partialFingerprints"}


def test_sarif_fits_its_schema() -> None:
    """By the models of sarif-pydantic."""
    models = pytest.importorskip("sarif_pydantic", reason="make setup")
    for made in (PLACED, graph({})):
        models.Sarif.model_validate(sarif(made))


def test_sarif_has_what_its_schema_requires() -> None:
    document = sarif(PLACED)
    assert set(document) == {"$schema", "version", "runs"}
    (run,) = document["runs"]  # type: ignore[misc]
    assert set(run) <= {"tool", "results", "columnKind", "originalUriBaseIds"} and run["columnKind"] in (
        "utf16CodeUnits",
        "unicodeCodePoints",
    )
    for result in run["results"]:
        assert set(result) == {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "properties"}
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        assert result["level"] in ("none", "note", "warning", "error") and isinstance(result["message"]["text"], str)
        for location in result["locations"]:
            assert set(location) <= {"physicalLocation", "logicalLocations"}
            assert location["logicalLocations"][0]["kind"] in ("function", "type")


def test_protected_broadcasts_are_whole_actions() -> None:
    actions = protected_broadcasts()
    assert len(actions) > 500 and all(re.fullmatch(r"android\.[\w.-]+[\w]", action) for action in actions)
    assert {"android.intent.action.BOOT_COMPLETED", "android.net.conn.CONNECTIVITY_CHANGE"} <= actions
    later = {"android.intent.action.MY_PACKAGE_SUSPENDED", "android.intent.action.PROFILE_AVAILABLE"}
    assert later | {"android.provider.Telephony.SMS_RECEIVED"} <= actions
    assert not {"android.intent.action.VIEW", "android.intent.action.MAIN", "com.google.android.c2dm.intent.RECEIVE"} & actions
