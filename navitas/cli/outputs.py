"""Writes reports to the terminal and to files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import IO, Any

from navitas.analyze.profile import Profile
from navitas.cli.files import STDOUT, write_to
from navitas.cli.options import ReportOptions
from navitas.cli.standard_output import output_console
from navitas.errors import NavitasError
from navitas.report.registry import find_format, is_builtin
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport


def write_reports(profile: Profile, options: ReportOptions) -> None:
    """Write the report files and print the terminal report."""
    write_files(profile, options)
    print_report(profile, options)


def write_files(profile: Profile, options: ReportOptions) -> None:
    """Write the report files. One of them can go to standard output."""
    for file in options.files:
        found = find_format(file.format)
        chosen = {name: getattr(options, name) for name in found.options}
        write_to(file.path, partial(_write, file.format, partial(found.write, profile, **chosen)), binary=found.binary)


def _write(name: str, write: Callable[[IO[Any]], None], out: IO[Any]) -> None:
    """Write one report. Raises `NavitasError` if a format of another package fails."""
    try:
        write(out)
    except (NavitasError, OSError, KeyboardInterrupt):
        raise
    except BaseException as error:  # Also SystemExit, which would end this process with exit code 0.
        if is_builtin(name):
            raise
        raise NavitasError(
            f"the report format {name} failed: {type(error).__name__}: {error}",
            "update or uninstall the package that it comes from; all other formats work",
        ) from error


def print_report(profile: Profile, options: ReportOptions) -> None:
    """Print the terminal report on standard output, unless a report file goes there."""
    if STDOUT in options.paths:
        return
    views = options.views
    report = TerminalReport(top=options.top, tree=options.tree) if views is None else ViewsReport(views, top=options.top)
    report.render(profile, output_console())
