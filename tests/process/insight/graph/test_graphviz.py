"""Graphviz accepts the DOT of a graph, and draws it."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from test_graph_formats import MADE, hostile, large

from navitas.base.errors import UsageError
from navitas.insight.graph.graphviz import graphviz_png, graphviz_svg
from navitas.insight.graph.module_graph import ModuleGraph

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def dot() -> str:
    """The `dot` on PATH."""
    found = shutil.which("dot")
    if found is None:
        pytest.skip("no `dot` on PATH: make test-programs")
    return found


@pytest.mark.parametrize("made", [MADE, hostile(), large(40, 80)], ids=["small", "hostile", "large"])
def test_graphviz_draws_each_node_and_edge(dot: str, made: ModuleGraph) -> None:
    text = graphviz_svg(made, dot, timeout_s=60)
    assert text is not None
    classes = [node.get("class") for node in ET.fromstring(text).iter(f"{SVG}g")]
    assert classes.count("edge") == len(made.edges) and classes.count("node") >= len(made.nodes)


def test_graphviz_draws_a_png(dot: str) -> None:
    assert graphviz_png(MADE, dot).startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("script", ["exit 1", "sleep 60", "kill -9 $$"])
def test_a_failing_or_slow_graphviz_is_replaced_by_the_own_layout(tmp_path: Path, script: str) -> None:
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\nexec </dev/null\n{script}\n")
    program.chmod(0o755)
    assert graphviz_svg(MADE, str(program), timeout_s=0.5) is None
    with pytest.raises(UsageError, match="Graphviz failed"):
        graphviz_png(MADE, str(program), timeout_s=0.5)


def test_a_missing_graphviz_is_replaced_for_svg_and_named_for_png(tmp_path: Path) -> None:
    assert graphviz_svg(MADE, str(tmp_path / "missing")) is None
    with pytest.raises(UsageError, match="PNG needs Graphviz") as raised:
        graphviz_png(MADE, str(tmp_path / "missing"))
    assert "modules.svg" in raised.value.remedy
