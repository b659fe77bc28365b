"""An analysed recording on the terminal and in the files that were asked for."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import IO, Protocol

from navitas.analyze.profile import Profile
from navitas.cli.files import STDOUT, write_to
from navitas.cli.options import ReportOptions
from navitas.cli.standard_output import output_console
from navitas.report.collapsed import CollapsedReport
from navitas.report.json_report import JsonReport
from navitas.report.speedscope import SpeedscopeReport
from navitas.report.terminal import TerminalReport


class _FileReport(Protocol):
    def render(self, profile: Profile, out: IO[str]) -> None: ...


def write_reports(profile: Profile, options: ReportOptions) -> None:
    """Write the file reports and print the terminal report."""
    write_files(profile, options)
    print_report(profile, options)


def write_files(profile: Profile, options: ReportOptions) -> None:
    """Write the file reports; one of them may go to standard output."""
    wanted: list[tuple[Path | None, _FileReport]] = [
        (options.json, JsonReport()),
        (options.speedscope, SpeedscopeReport()),
        (options.collapsed, CollapsedReport()),
    ]
    for path, report in wanted:
        if path is not None:
            write_to(path, partial(report.render, profile))


def print_report(profile: Profile, options: ReportOptions) -> None:
    """Print the terminal report on standard output, unless a file report goes there."""
    if STDOUT not in (options.json, options.speedscope, options.collapsed):
        TerminalReport(top=options.top, tree=options.tree).render(profile, output_console())
