"""`navitas graph`: which module communicates with which, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

import click

from navitas import __version__
from navitas.base.errors import RecordingError, UsageError
from navitas.base.untrusted_text import printable, printable_line
from navitas.cli.graph.tables import print_difference, print_graph
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import STDOUT, check_distinct, json_option, write_to
from navitas.cli.habits.messages import location, next_step, shell_word, warning
from navitas.cli.habits.option import option, renamed
from navitas.cli.habits.paths import READ_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import BEFORE_HELP, evidence_option, power_model_option, top_option
from navitas.energy.analyze.load import analyze, load_tables
from navitas.energy.attribute.analysis_settings import AnalysisSettings, EvidenceChoice
from navitas.insight.graph.advice import Advice, advice
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.delivery_tags import HistoryCheck, history_check
from navitas.insight.graph.difference import GraphDifference, difference
from navitas.insight.graph.graphml_format import write_graphml
from navitas.insight.graph.graphviz import graphviz_png, graphviz_svg, write_dot
from navitas.insight.graph.module_graph import ModuleGraph
from navitas.insight.graph.node_link_format import graph_document, write_node_link
from navitas.insight.graph.processing import Processing, entry_name, part_of, processing
from navitas.insight.graph.sarif_format import write_sarif
from navitas.insight.graph.svg_format import write_svg
from navitas.insight.graph.wake_ups import wake_ups
from navitas.power.fitted_model import read_fitted_model

_WARNINGS = frozenset({
    "communications", "unknown_communications", "handoffs", "batterystats_lines", "unjoined_readings", "no_clocks", "crashed",
    "no_run_end", "partial_recording", "file_missing", "file_changed", "chunks", "events", "records", "damaged_bytes",
    "event_file_bytes", "malformed_records", "no_thread_cpu_time",
})  # fmt: skip
"""Codes of the warnings that can explain missing messages, energy or alarms."""
_FORMATS = {
    "dot": (".dot", ".gv"),
    "svg": (".svg",),
    "png": (".png",),
    "graphml": (".graphml",),
    "json": (".json",),
    "sarif": (".sarif",),
}
"""The formats, with the extensions that select them."""


@click.command(
    "graph",
    cls=NavitasCommand,
    example="navitas graph modules-use --from ThirdActivity\nnavitas graph navitas-recordings/org.example.app -o modules.svg",
)
@click.argument("recording", type=READ_ANY_NAME)
@option("--from", "entries", multiple=True, type=TEXT, metavar="MODULE", help="Only what this module reaches; repeatable.")
@option("--before", "before_path", type=READ_ANY_NAME, metavar="RECORDING", help=BEFORE_HELP)
@renamed("--against", "--before")
@evidence_option
@power_model_option
@top_option(20)
@option("--format", "format_name", type=click.Choice(list(_FORMATS)), section="Output", help="Write the graph in this format.")
@option("-o", "--output", type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="The graph's file ('-': stdout).")
@json_option
def command(
    *,
    recording: Path,
    entries: tuple[str, ...],
    before_path: Path | None,
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
    if entries and before_path is not None:
        raise UsageError("--from and --before exclude each other: a difference is that of whole graphs", "leave one out")
    name = _format(format_name, output)
    file = output or (STDOUT if name is not None else None)
    check_distinct([path for path in (file, json_file) if path is not None])
    with ConsoleProgress(only_live=True) as progress:
        settings = AnalysisSettings(evidence=evidence, fitted=None if power_model is None else read_fitted_model(power_model))
        load = partial(_read, settings=settings, progress=progress)
        before = None if before_path is None else load(before_path)
        read = load(recording)
    graph = read.graph
    if before is not None:
        _warn_about_packages(before.packages, read.packages)
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
        _write(file, name, shown, document, found)
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


@dataclass(frozen=True, slots=True)
class _Input:
    """The graph of a recording, its comparison with the history if it has one, and the packages that were recorded."""

    graph: ModuleGraph
    check: HistoryCheck | None
    packages: frozenset[str]


def _read(path: Path, settings: AnalysisSettings, progress: ConsoleProgress) -> _Input:
    """Read a recording. Raises `RecordingError` if it has no communications."""
    progress.stage("reading the recording")
    loaded = load_tables(path, settings)
    progress.stage("attributing energy to calls")
    profile = analyze(loaded)
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
    return _Input(graph, history_check(graph, loaded.parsed.runs), packages)


def _warn_about_packages(before: frozenset[str], after: frozenset[str]) -> None:
    """Warn about recordings of different apps, whose difference means little."""
    if before and after and before.isdisjoint(after):
        first, second = (printable(", ".join(sorted(names)), 300) for names in (before, after))
        warning(f"--before is a recording of {first}, and this one is of {second}: the difference is that of two apps")


def _format(name: str | None, output: Path | None) -> str | None:
    """Return the format to write: the given one, or that of the file's extension. None if nothing is to be written."""
    if name is not None or output is None:
        return name
    if output == STDOUT:
        raise UsageError("-o - has no extension, so the format is unknown", "name it: --format dot -o -")
    file = output.name.lower()
    found = next((name for name, extensions in _FORMATS.items() if file.endswith(extensions)), None)
    if found is None:
        known = ", ".join(extension for extensions in _FORMATS.values() for extension in extensions)
        raise UsageError(f"-o {output}: no format has this extension", f"give --format, or one of: {known}")
    return found


def _write(file: Path, name: str, graph: ModuleGraph, document: Mapping[str, Any], found: Sequence[Advice]) -> None:
    """Write a format to a file. Raises `UsageError` for a PNG that Graphviz cannot draw."""
    writers: dict[str, Callable[[IO[Any]], object]] = {
        "dot": lambda out: write_dot(graph, out),
        "svg": lambda out: _write_svg(graph, out),
        "png": lambda out: out.write(graphviz_png(graph)),
        "graphml": lambda out: write_graphml(graph, out),
        "json": lambda out: write_node_link(document, out),
        "sarif": lambda out: write_sarif(graph, found, __version__, out),
    }
    write_to(file, writers[name], binary=name == "png")


def _write_svg(graph: ModuleGraph, out: IO[str]) -> None:
    """By Graphviz, if it is installed; else with Navitas's own layout."""
    if (drawn := graphviz_svg(graph)) is not None:
        out.write(drawn)
    else:
        write_svg(graph, out)
