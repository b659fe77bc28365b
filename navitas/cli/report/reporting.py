"""Analyzes recordings, and writes their reports to the terminal and to files."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from navitas.base.errors import NavitasError, UsageError
from navitas.base.test_patterns import TestName, check_pattern, named, no_match
from navitas.cli.habits.files import STDOUT, write_to
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.habits.standard_output import output_console
from navitas.energy.analyze.load import TestSelection, analyze, load_tables
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.energy.attribute.run_rows import stem
from navitas.recording.manifest import Test
from navitas.recording.parse.parsed_recording import ParsedRecording
from navitas.report.format import COMPRESSED, compressed
from navitas.report.registry import find_format, is_builtin
from navitas.report.terminal.terminal_report import TerminalReport, ViewsReport, unknown_thread


def load_profile(
    path: Path,
    settings: AnalysisSettings = DEFAULT,
    *,
    tree: str | None = None,
    tests: Sequence[str] = (),
    stage: Callable[[str], None] = lambda text: None,
) -> Profile:
    """Load and analyze a recording, as `navitas.load`; with patterns of `tests`, only these. Calls `stage(text)` at each stage.

    Raises the errors of `navitas.load`, and `UsageError` before the analysis if `tree` matches no thread with calls, or a pattern
    no test.
    """
    stage("reading the recording")
    loaded = load_tables(path, settings)
    if tree is not None:
        _check_thread(loaded.parsed, tree)
    selection = _selection(loaded.manifest.tests, tests) if tests else None
    stage("attributing energy to calls")
    return analyze(loaded, selection)


def load_common_tests(path: Path, settings: AnalysisSettings, later: Profile, later_path: Path) -> Profile:
    """Load and analyze an earlier recording: only the tests that a later one has, too. Raises `UsageError` if there is none."""
    loaded = load_tables(path, settings)
    names = frozenset((group.class_name, group.method) for group in later.repeats())
    if names.isdisjoint((test.class_name, test.method) for test in loaded.manifest.tests):
        raise UsageError(f"{later_path} and {path} have no test in common", "compare recordings of the same tests")
    return analyze(loaded, TestSelection(later.about.selected, names))


def _selection(tests: Sequence[Test], patterns: Sequence[str]) -> TestSelection:
    names = list(dict.fromkeys(TestName(test.class_name, test.method) for test in tests))
    chosen: set[tuple[str, str]] = set()
    for pattern in patterns:
        check_pattern(pattern)
        matching = {(name.class_name, name.method) for name in names if named(pattern, name) is not None}
        if not matching:
            raise no_match(pattern, names)
        chosen |= matching
    return TestSelection(tuple(patterns), frozenset(chosen))


def _check_thread(parsed: ParsedRecording, wanted: str) -> None:
    threads = [thread for run in parsed.runs for thread in run.with_paths]
    names = {thread.name for thread in threads}
    if wanted not in names.union(map(stem, names), (str(thread.serial) for thread in threads)):
        raise unknown_thread(wanted, names)


def write_reports(profile: Profile, options: ReportOptions, recording: Path) -> None:
    """Write the report files and print the terminal report of a recording."""
    write_files(profile, options)
    print_report(profile, options, recording)


def write_files(profile: Profile, options: ReportOptions) -> None:
    """Write the report files. One of them can go to standard output."""
    for file in options.files:
        found = find_format(file.format)
        chosen = {name: getattr(options, name) for name in found.options}
        write: Callable[[IO[Any]], None] = partial(_write, file.format, partial(found.write, profile, **chosen))
        is_compressed = not found.binary and file.path.suffix.lower() == COMPRESSED
        write_to(file.path, partial(_compress, write) if is_compressed else write, binary=found.binary or is_compressed)


def _compress(write: Callable[[IO[str]], None], out: IO[bytes]) -> None:
    with compressed(out) as stream, io.TextIOWrapper(stream, encoding="utf-8") as text:
        write(text)


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


def print_report(profile: Profile, options: ReportOptions, recording: Path) -> None:
    """Print the terminal report of a recording on standard output, unless a report file goes there."""
    if STDOUT in options.paths:
        return
    views = options.views
    report = (
        TerminalReport(top=options.top, tree=options.tree, recording=str(recording), before=options.before)
        if views is None
        else ViewsReport(views, top=options.top)
    )
    report.render(profile, output_console())
