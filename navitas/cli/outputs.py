"""An analysed recording on the terminal and in the files that were asked for."""

from __future__ import annotations

from functools import partial

from navitas.analyze.profile import Profile
from navitas.cli.files import STDOUT, write_to
from navitas.cli.options import ReportOptions
from navitas.cli.standard_output import output_console
from navitas.report.registry import find_format
from navitas.report.terminal import TerminalReport


def write_reports(profile: Profile, options: ReportOptions) -> None:
    """Write the file reports and print the terminal report."""
    write_files(profile, options)
    print_report(profile, options)


def write_files(profile: Profile, options: ReportOptions) -> None:
    """Write the file reports; one of them may go to standard output."""
    for name, path in (("json", options.json), ("speedscope", options.speedscope), ("collapsed", options.collapsed)):
        if path is not None:
            write_to(path, partial(find_format(name).write, profile))


def print_report(profile: Profile, options: ReportOptions) -> None:
    """Print the terminal report on standard output, unless a file report goes there."""
    if STDOUT not in (options.json, options.speedscope, options.collapsed):
        TerminalReport(top=options.top, tree=options.tree).render(profile, output_console())
