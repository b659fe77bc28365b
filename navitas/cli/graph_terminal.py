"""What `navitas graph` prints."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from navitas.cli.graph_history_table import history_table
from navitas.cli.graph_tables import (
    advice_lines,
    difference_line,
    edge_changes_table,
    graph_edges_table,
    graph_modules_table,
    module_changes_table,
    unmatched_table,
    wake_ups_table,
)
from navitas.cli.standard_output import output_console
from navitas.graph.advice import Advice
from navitas.graph.delivery_tags import HistoryCheck
from navitas.graph.difference import GraphDifference
from navitas.graph.module_graph import ModuleGraph
from navitas.graph.processing import Processing
from navitas.graph.wake_ups import WakeUp
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationKind
from navitas.report.terminal.paragraph import Paragraph
from navitas.report.units import joules, percent, unbroken
from navitas.untrusted_text import printable

_SENDS = frozenset(kind.name.lower() for kind in CommunicationKind if kind < FIRST_RECEIVE)


def print_graph(
    graph: ModuleGraph,
    *,
    reached: Processing | None,
    wakes: tuple[WakeUp, ...],
    found: tuple[Advice, ...],
    check: HistoryCheck | None,
    top: int,
) -> None:
    """Print a graph, or that of a processing, with the cost of its messages and advice."""
    console = output_console()
    if reached is not None:
        names = ", ".join(printable(name, 200) for name in reached.entries)
        share = percent(reached.energy_j / graph.energy_j if graph.energy_j else None)
        figures = f"{unbroken(joules(reached.energy_j))}, {unbroken(share)} of the app's threads"
        graph = _in_tables(graph, reached)
        console.print(Paragraph(f"E_processing from {names}: {figures}", style="bold"), "", sep="\n")
    tables = (
        graph_modules_table(graph, top),
        graph_edges_table(graph.edges, top),
        wake_ups_table(wakes, top),
        unmatched_table(graph, top),
        *(() if check is None else (history_table(check, top),)),
    )
    for table in tables:
        if table.rows:
            console.print(table, "", sep="\n")
    for line in advice_lines(found, graph, top):
        console.print(line)


def print_difference(changed: GraphDifference, top: int) -> None:
    """Print what changed from one graph to another."""
    console = output_console()
    console.print(difference_line(changed))
    for table in (module_changes_table(changed.modules, top), edge_changes_table(changed.edges, top)):
        if table.rows:
            console.print("", table, sep="\n")
    if not changed.modules and not changed.edges:
        console.print(Paragraph("No module and no communication changed."))


def _in_tables(graph: ModuleGraph, reached: Processing) -> ModuleGraph:
    """What the tables show of the graph of a processing: only its messages, and no other energy."""
    counts: Counter[str] = Counter()
    for edge in reached.edges:
        counts[edge.receiver] += edge.count
    nodes = tuple(replace(node, received=counts[node.name]) for node in graph.nodes)
    nothing = replace(graph.outside, energy_j=0.0, components=(), received=0)
    unmatched = tuple(one for one in graph.unmatched if one.kind in _SENDS)
    return replace(graph, nodes=nodes, outside=nothing, unmatched=unmatched, bases=())
