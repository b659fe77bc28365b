"""`navitas graph`: which module communicates with which, and what it costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from navitas.analyze.load import EvidenceChoice
from navitas.cli.analysis import load_analyzed
from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.graph_history_table import history_table
from navitas.cli.graph_output import FORMATS, GraphResult, graph_format, write_graph
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
from navitas.cli.json_output import json_option
from navitas.cli.messages import location, next_step, shell_word, warning
from navitas.cli.option import option
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.errors import RecordingError, UsageError
from navitas.graph.advice_findings import Advice, advice
from navitas.graph.build_graph import module_graph
from navitas.graph.difference import GraphDifference, difference
from navitas.graph.history_check import HistoryCheck, history_check
from navitas.graph.module_graph import ModuleGraph
from navitas.graph.node_link_format import graph_document, write_node_link
from navitas.graph.processing import Processing, entry_name, processing
from navitas.graph.wake_ups import WakeUp, wake_ups
from navitas.parse.communication_records import FIRST_RECEIVE, CommunicationKind
from navitas.report.terminal.paragraph import Paragraph, unbroken
from navitas.report.units import joules, percent
from navitas.untrusted_text import printable, printable_line

_WARNINGS = frozenset({
    "communications", "unknown_communications", "handoffs", "batterystats_lines", "unjoined_readings", "no_clocks", "crashed",
    "no_run_end", "partial_recording", "file_missing", "file_changed", "chunks", "events", "records", "damaged_bytes",
    "event_file_bytes", "malformed_records",
})  # fmt: skip
"""Codes of the warnings that can explain missing messages, energy or alarms."""
_SENDS = frozenset(kind.name.lower() for kind in CommunicationKind if kind < FIRST_RECEIVE)


@click.command(
    "graph",
    cls=NavitasCommand,
    example="navitas graph modules-use --from ThirdActivity\nnavitas graph navitas-recordings/org.example.app -o modules.svg",
)
@click.argument("recording", type=READ_ANY_NAME)
@option("--from", "entries", multiple=True, type=TEXT, metavar="MODULE", help="Only what this module reaches; repeatable.")
@option("--against", type=READ_ANY_NAME, metavar="RECORDING", help="An earlier recording, to show what changed since.")
@option("--evidence", type=click.Choice(["rails", "model"]), default="rails", show_default=True, help="Scale to power rails?")
@option("--power-model", type=READ_FILE_ANY_NAME, metavar="FILE", help="A model of `navitas model components fit`.")
@option(
    "--top", type=click.IntRange(min=1), default=20, show_default=True, section="Output", metavar="N", help="Rows in each table."
)
@option("--format", "format_name", type=click.Choice(list(FORMATS)), section="Output", help="Write the graph in this format.")
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="The graph's file ('-': stdout).")
@json_option
def command(
    *,
    recording: Path,
    entries: tuple[str, ...],
    against: Path | None,
    evidence: EvidenceChoice,
    power_model: Path | None,
    top: int,
    format_name: str | None,
    output: Path | None,
    json_file: Path | None,
) -> None:
    """Show which module of an app communicates with which, and the energy of each.

    Modules are activities, services, receivers, providers, jobs and workers. The RECORDING needs --record hooks.
    """
    if entries and against is not None:
        raise UsageError("--from and --against exclude each other: a difference is that of whole graphs", "leave one out")
    name = graph_format(format_name, output)
    file = output or (STDOUT if name is not None else None)
    check_files([path for path in (file, json_file) if path is not None])
    with ConsoleProgress(only_live=True) as progress:
        load = partial(_graph, evidence=evidence, power_model=power_model, progress=progress)
        before = None if against is None else load(against)
        graph, check, packages = load(recording)
    if before is not None:
        _warn_about_packages(before[2], packages)
    reached = processing(graph, entries) if entries else None
    shown = graph if reached is None else _part(graph, reached)
    wakes = wake_ups(graph, shown.edges)
    found = advice(graph, wakes)
    changed = None if before is None else difference(before[0], graph)
    check = None if reached is not None or changed is not None else check
    document = graph_document(shown, wakes=wakes, found=found, reached=reached, changed=changed, check=check)
    if json_file is not None:
        write_to(json_file, partial(write_node_link, document))
    if name is not None and file is not None:
        write_graph(file, name, GraphResult(shown, document, found))
        if file != STDOUT:
            location(f"graph: {printable_line(str(file), 1000)}")
    if STDOUT in (file, json_file):
        return
    if changed is None:
        _print(
            shown if reached is None else _in_tables(shown, reached),
            reached=reached,
            wakes=wakes,
            found=found,
            check=check,
            top=top,
        )
    else:
        _print_difference(changed, top)
    _suggest(recording, shown, reached, changed)


def _graph(
    path: Path, *, evidence: EvidenceChoice, power_model: Path | None, progress: ConsoleProgress
) -> tuple[ModuleGraph, HistoryCheck | None, frozenset[str]]:
    """The graph of a recording, its comparison with the history, and the packages that were recorded."""
    loaded, profile = load_analyzed(path, evidence=evidence, power_model=power_model, stage=progress.stage)
    for one in profile.warnings:
        if one.code in _WARNINGS:
            warning(printable_line(one.message, 1000))
    progress.stage("building the graph")
    try:
        graph = module_graph(profile)
    except RecordingError as error:
        raise RecordingError(f"{path}: {error.message}", error.remedy) from error
    if graph.processes > 1:
        warning(f"a run has messages of {graph.processes} processes: the app has several, or it ended and was started again")
    packages = frozenset(run.package for run in profile.ledger.runs if run.package)
    return graph, history_check(graph, loaded.parsed.runs), packages


def _warn_about_packages(before: frozenset[str], after: frozenset[str]) -> None:
    """Warn about recordings of different apps, whose difference means little."""
    if before and after and before.isdisjoint(after):
        first, second = (printable(", ".join(sorted(names)), 300) for names in (before, after))
        warning(f"--against is a recording of {first}, and this one is of {second}: the difference is that of two apps")


def _part(graph: ModuleGraph, reached: Processing) -> ModuleGraph:
    """The graph of a processing. Energy outside of its modules is in `outside`."""
    inside = [sum(node.components[i] for node in reached.modules) for i in range(len(graph.components))]
    every = [sum(node.components[i] for node in (*graph.nodes, graph.outside)) - own for i, own in enumerate(inside)]
    names = {node.name for node in reached.modules}
    outside = replace(graph.outside, energy_j=sum(every), components=tuple(every))
    unmatched = tuple(one for one in graph.unmatched if one.module in names)
    return replace(graph, nodes=reached.modules, edges=reached.edges, outside=outside, unmatched=unmatched)


def _in_tables(graph: ModuleGraph, reached: Processing) -> ModuleGraph:
    """What the tables show of the graph of a processing: only its messages, and no other energy."""
    counts: Counter[str] = Counter()
    for edge in reached.edges:
        counts[edge.receiver] += edge.count
    nodes = tuple(replace(node, received=counts[node.name]) for node in graph.nodes)
    nothing = replace(graph.outside, energy_j=0.0, components=(), received=0)
    unmatched = tuple(one for one in graph.unmatched if one.kind in _SENDS)
    return replace(graph, nodes=nodes, outside=nothing, unmatched=unmatched, bases=())


def _print(
    graph: ModuleGraph,
    *,
    reached: Processing | None,
    wakes: tuple[WakeUp, ...],
    found: tuple[Advice, ...],
    check: HistoryCheck | None,
    top: int,
) -> None:
    console = output_console()
    if reached is not None:
        names = ", ".join(printable(name, 200) for name in reached.entries)
        share = percent(reached.energy_j / graph.energy_j if graph.energy_j else None)
        figures = f"{unbroken(joules(reached.energy_j))}, {unbroken(share)} of the app's threads"
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


def _print_difference(changed: GraphDifference, top: int) -> None:
    console = output_console()
    console.print(difference_line(changed))
    for table in (module_changes_table(changed.modules, top), edge_changes_table(changed.edges, top)):
        if table.rows:
            console.print("", table, sep="\n")
    if not changed.modules and not changed.edges:
        console.print(Paragraph("No module and no communication changed."))


def _suggest(recording: Path, graph: ModuleGraph, reached: Processing | None, changed: GraphDifference | None) -> None:
    senders = [edge.sender for edge in graph.edges if edge.sender in graph.by_name and printable(edge.sender) == edge.sender]
    command = f"navitas graph {shell_word(recording)}"
    if reached is None and changed is None and senders:
        next_step(f"{command} --from {shell_word(entry_name(graph, senders[0]))}")
    else:
        options = "".join(f" --from {shell_word(entry)}" for entry in reached.entries) if reached else ""
        next_step(f"{command}{options} -o modules.svg")
