"""Draw a graph with Graphviz, if it is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from contextlib import suppress

from navitas.errors import UsageError
from navitas.graph.dot_format import write_dot
from navitas.graph.module_graph import ModuleGraph

TIMEOUT_S = 3.0
"""Graphviz can need minutes for a dense graph. After this time, an SVG gets Navitas's own layout."""
_PNG_TIMEOUT_S = 60.0


def graphviz_svg(graph: ModuleGraph, program: str = "dot", timeout_s: float = TIMEOUT_S) -> str | None:
    """Return the graph as SVG, or None if Graphviz is not installed, fails, or needs too long."""
    drawn = _drawn(graph, program, "svg", timeout_s)
    return None if drawn is None else drawn.decode("utf-8", "replace")


def graphviz_png(graph: ModuleGraph, program: str = "dot", timeout_s: float = _PNG_TIMEOUT_S) -> bytes:
    """Return the graph as PNG. Raises `UsageError` if Graphviz is not installed, fails, or needs too long."""
    if shutil.which(program) is None:
        raise UsageError("PNG needs Graphviz, which is not installed", "install it, or write SVG: -o modules.svg")
    drawn = _drawn(graph, program, "png", timeout_s)
    if drawn is None:
        raise UsageError(f"Graphviz failed, or needed more than {timeout_s:.0f} s", "write SVG: -o modules.svg")
    return drawn


def _drawn(graph: ModuleGraph, program: str, format_name: str, timeout_s: float) -> bytes | None:
    found = shutil.which(program)
    if found is None:
        return None
    text = io.StringIO()
    write_dot(graph, text)
    command = [found, f"-T{format_name}"]
    with suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, input=text.getvalue().encode(), capture_output=True, timeout=timeout_s, check=True).stdout
    return None
