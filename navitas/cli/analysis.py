"""Loads and analyzes a recording for a report. Reports progress, and checks `--tree` before the analysis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from navitas.analyze.load import Loaded, analyze, load_tables
from navitas.analyze.profile import Profile
from navitas.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.attribute.run_rows import stem
from navitas.parse.parsed_recording import ParsedRecording
from navitas.report.terminal.terminal_report import unknown_thread


def load_profile(
    path: Path,
    settings: AnalysisSettings = DEFAULT,
    *,
    tree: str | None = None,
    stage: Callable[[str], None] = lambda text: None,
) -> Profile:
    """Load and analyze a recording, as `navitas.load`. Calls `stage(text)` at the start of each stage.

    Raises `UsageError` if `tree` matches no thread with calls, and the errors of `navitas.load`.
    """
    return load_analyzed(path, settings, tree=tree, stage=stage)[1]


def load_analyzed(
    path: Path,
    settings: AnalysisSettings = DEFAULT,
    *,
    tree: str | None = None,
    stage: Callable[[str], None] = lambda text: None,
) -> tuple[Loaded, Profile]:
    """Return the tables of a recording, too. See `load_profile`."""
    stage("reading the recording")
    loaded = load_tables(path, settings)
    if tree is not None:
        _check_thread(loaded.parsed, tree)
    stage("attributing energy to calls")
    return loaded, analyze(loaded)


def _check_thread(parsed: ParsedRecording, wanted: str) -> None:
    threads = [thread for run in parsed.runs for thread in run.threads if len(thread.calls) or len(thread.folded.node)]
    names = {thread.name for thread in threads}
    if wanted not in names.union(map(stem, names), (str(thread.serial) for thread in threads)):
        raise unknown_thread(wanted, names)
