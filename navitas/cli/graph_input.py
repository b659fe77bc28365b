"""What `navitas graph` reads: a recording's graph, with warnings about what can be missing in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from navitas.attribute.analysis_settings import AnalysisSettings
from navitas.cli.analysis import load_analyzed
from navitas.cli.messages import warning
from navitas.cli.progress import ConsoleProgress
from navitas.errors import RecordingError
from navitas.graph.build_graph import module_graph
from navitas.graph.delivery_tags import HistoryCheck, history_check
from navitas.graph.module_graph import ModuleGraph
from navitas.untrusted_text import printable, printable_line

_WARNINGS = frozenset({
    "communications", "unknown_communications", "handoffs", "batterystats_lines", "unjoined_readings", "no_clocks", "crashed",
    "no_run_end", "partial_recording", "file_missing", "file_changed", "chunks", "events", "records", "damaged_bytes",
    "event_file_bytes", "malformed_records", "no_thread_cpu_time",
})  # fmt: skip
"""Codes of the warnings that can explain missing messages, energy or alarms."""


@dataclass(frozen=True, slots=True)
class GraphInput:
    """The graph of a recording, its comparison with the history if it has one, and the packages that were recorded."""

    graph: ModuleGraph
    check: HistoryCheck | None
    packages: frozenset[str]


def read_graph(path: Path, settings: AnalysisSettings, progress: ConsoleProgress) -> GraphInput:
    """Read a recording. Raises `RecordingError` if it has no communications."""
    loaded, profile = load_analyzed(path, settings, stage=progress.stage)
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
    return GraphInput(graph, history_check(graph, loaded.parsed.runs), packages)


def warn_about_packages(before: frozenset[str], after: frozenset[str]) -> None:
    """Warn about recordings of different apps, whose difference means little."""
    if before and after and before.isdisjoint(after):
        first, second = (printable(", ".join(sorted(names)), 300) for names in (before, after))
        warning(f"--against is a recording of {first}, and this one is of {second}: the difference is that of two apps")
