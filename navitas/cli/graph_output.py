"""The files of `navitas graph`: one function for each format."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from navitas import __version__
from navitas.cli.files import STDOUT, write_to
from navitas.errors import UsageError
from navitas.graph.advice import Advice
from navitas.graph.graphml_format import write_graphml
from navitas.graph.graphviz import graphviz_png, graphviz_svg, write_dot
from navitas.graph.module_graph import ModuleGraph
from navitas.graph.node_link_format import write_node_link
from navitas.graph.sarif_format import write_sarif
from navitas.graph.svg_format import write_svg

FORMATS = {
    "dot": (".dot", ".gv"),
    "svg": (".svg",),
    "png": (".png",),
    "graphml": (".graphml",),
    "json": (".json",),
    "sarif": (".sarif",),
}
"""The formats, with the extensions that select them."""


@dataclass(frozen=True, slots=True)
class GraphResult:
    """A graph to write, its JSON document, and its advice."""

    graph: ModuleGraph
    document: Mapping[str, Any]
    advice: tuple[Advice, ...]


def graph_format(name: str | None, output: Path | None) -> str | None:
    """Return the format to write: the given one, or that of the file's extension. None if nothing is to be written."""
    if name is not None or output is None:
        return name
    if output == STDOUT:
        raise UsageError("-o - has no extension, so the format is unknown", "name it: --format dot -o -")
    file = output.name.lower()
    found = next((name for name, extensions in FORMATS.items() if file.endswith(extensions)), None)
    if found is None:
        known = ", ".join(extension for extensions in FORMATS.values() for extension in extensions)
        raise UsageError(f"-o {output}: no format has this extension", f"give --format, or one of: {known}")
    return found


def write_graph(file: Path, name: str, result: GraphResult) -> None:
    """Write a format to a file. Raises `UsageError` for a PNG that Graphviz cannot draw."""
    if name == "png":
        picture = graphviz_png(result.graph)
        write_to(file, lambda out: out.write(picture), binary=True)
    else:
        write_to(file, _text_writer(name, result))


def _text_writer(name: str, result: GraphResult) -> Callable[[IO[str]], object]:
    writers: dict[str, Callable[[IO[str]], object]] = {
        "dot": lambda out: write_dot(result.graph, out),
        "svg": lambda out: out.write(_svg(result.graph)),
        "graphml": lambda out: write_graphml(result.graph, out),
        "json": lambda out: write_node_link(result.document, out),
        "sarif": lambda out: write_sarif(result.graph, result.advice, __version__, out),
    }
    return writers[name]


def _svg(graph: ModuleGraph) -> str:
    """By Graphviz, if it is installed; else with Navitas's own layout."""
    drawn = graphviz_svg(graph)
    if drawn is not None:
        return drawn
    out = io.StringIO()
    write_svg(graph, out)
    return out.getvalue()
