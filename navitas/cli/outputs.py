"""Where an analysed recording goes: the terminal, and the files that were asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, Protocol

from rich.console import Console

from navitas.attribute.result import Analysis
from navitas.cli.options import ReportOptions
from navitas.report.collapsed import CollapsedReport
from navitas.report.json_report import JsonReport
from navitas.report.speedscope import SpeedscopeReport
from navitas.report.terminal import TerminalReport

_STDOUT = Path("-")
_FILE_WIDTH = 120


class _FileReport(Protocol):
    def render(self, analysis: Analysis, out: IO[str]) -> None: ...


def write_reports(analysis: Analysis, options: ReportOptions) -> None:
    """Print the terminal report on standard output, unless a file report goes there, and write the file reports."""
    wanted: list[tuple[Path | None, _FileReport]] = [
        (options.json, JsonReport()),
        (options.speedscope, SpeedscopeReport()),
        (options.collapsed, CollapsedReport()),
    ]
    for path, report in wanted:
        if path is not None:
            _write(path, report, analysis)
    if not any(path == _STDOUT for path, _ in wanted):
        TerminalReport(top=options.top, tree=options.tree).render(analysis, _console())


def _console() -> Console:
    """Standard output; a pipe or file has no width of its own, and tables need room."""
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=_FILE_WIDTH)


def _write(path: Path, report: _FileReport, analysis: Analysis) -> None:
    if path == _STDOUT:
        report.render(analysis, sys.stdout)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written aside and renamed: a script that reads the file never sees half of it.
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as out:
        report.render(analysis, out)
    part.replace(path)
