"""Draw a graph with Graphviz, if it is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from contextlib import suppress

from navitas.graph.dot_format import write_dot
from navitas.graph.module_graph import ModuleGraph

TIMEOUT_S = 3.0
"""Graphviz can need minutes for a dense graph. After this time, the own layout is used."""


def graphviz_svg(graph: ModuleGraph, program: str = "dot", timeout_s: float = TIMEOUT_S) -> str | None:
    """Return the graph as SVG, or None if Graphviz is not installed, fails, or needs too long."""
    found = shutil.which(program)
    if found is None:
        return None
    text = io.StringIO()
    write_dot(graph, text)
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [found, "-Tsvg"], input=text.getvalue().encode(), capture_output=True, timeout=timeout_s, check=True
        )
        return done.stdout.decode("utf-8", "replace")
    return None
