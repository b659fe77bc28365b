"""`navitas graph`: which module communicates with which, and what it costs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from navitas.attribute.analysis_settings import AnalysisSettings, EvidenceChoice
from navitas.cli.commands import NavitasCommand
from navitas.cli.files import STDOUT, check_files, write_to
from navitas.cli.graph_input import read_graph, warn_about_packages
from navitas.cli.graph_output import FORMATS, GraphResult, graph_format, write_graph
from navitas.cli.graph_terminal import print_difference, print_graph
from navitas.cli.json_output import json_option
from navitas.cli.messages import location, next_step, shell_word
from navitas.cli.option import option
from navitas.cli.paths import READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.progress import ConsoleProgress
from navitas.errors import UsageError
from navitas.graph.advice import advice
from navitas.graph.difference import GraphDifference, difference
from navitas.graph.module_graph import ModuleGraph
from navitas.graph.node_link_format import graph_document, write_node_link
from navitas.graph.processing import Processing, entry_name, part_of, processing
from navitas.graph.wake_ups import wake_ups
from navitas.power.fitted_model import read_fitted_model
from navitas.untrusted_text import printable, printable_line


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
        settings = AnalysisSettings(evidence=evidence, fitted=None if power_model is None else read_fitted_model(power_model))
        load = partial(read_graph, settings=settings, progress=progress)
        before = None if against is None else load(against)
        read = load(recording)
    graph = read.graph
    if before is not None:
        warn_about_packages(before.packages, read.packages)
    reached = processing(graph, entries) if entries else None
    shown = graph if reached is None else part_of(graph, reached)
    wakes = wake_ups(graph, shown.edges)
    found = advice(graph, wakes)
    changed = None if before is None else difference(before.graph, graph)
    check = None if reached is not None or changed is not None else read.check
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
        print_graph(shown, reached=reached, wakes=wakes, found=found, check=check, top=top)
    else:
        print_difference(changed, top)
    _suggest(recording, shown, reached, changed)


def _suggest(recording: Path, graph: ModuleGraph, reached: Processing | None, changed: GraphDifference | None) -> None:
    modules = graph.by_name
    senders = [edge.sender for edge in graph.edges if edge.sender in modules and printable(edge.sender) == edge.sender]
    command = f"navitas graph {shell_word(recording)}"
    if reached is None and changed is None and senders:
        next_step(f"{command} --from {shell_word(entry_name(graph, senders[0]))}")
    else:
        options = "".join(f" --from {shell_word(entry)}" for entry in reached.entries) if reached else ""
        next_step(f"{command}{options} -o modules.svg")
