"""Reports what a measurement recorded, also after an error. Slow to import: it loads the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from navitas.base.errors import DeviceError, ExitCode, NavitasError
from navitas.base.untrusted_text import printable, printable_line
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.messages import error as show_error
from navitas.cli.habits.messages import failure, location, shell_word
from navitas.cli.habits.shared_options import ReportOptions
from navitas.cli.history.file import add_sessions
from navitas.cli.report.formats import ReportFile
from navitas.cli.report.reporting import load_profile, write_reports
from navitas.energy.analyze.profile import Profile
from navitas.recording.layout import MANIFEST_NAME
from navitas.recording.store import open_recording
from navitas.report.registry import find_format
from navitas.report.sessions import session_of

_LARGE_BYTES = 100_000_000


def _with_default_files(report: ReportOptions, recording: Path) -> ReportOptions:
    """Add files in the recording, such as `report.json`, for the default formats that have no file."""
    named = {file.format for file in report.files}
    added = [
        ReportFile(name, recording / f"report{find_format(name).extension}", "")
        for name in report.default_formats
        if name not in named
    ]
    # The added files are first, since a format of another package can fail.
    return replace(report, files=(*added, *report.files))


@contextmanager
def report_partial_on_error(recording: Path, report: ReportOptions) -> Iterator[None]:
    """On an error or interruption in the block, print where the recording is, which is usually partial.

    After an error of the device, report it: the device was lost, or an app cannot be restored after the last run.
    """
    manifest = recording / MANIFEST_NAME
    before = _file_version(manifest)
    try:
        yield
    except (KeyboardInterrupt, NavitasError) as error:
        if _file_version(manifest) not in (None, before):
            if isinstance(error, DeviceError):
                _report_partial(recording, report)
            kind = "recording" if _is_complete(recording) else "partial recording"
            location(f"{kind} kept: {recording} (navitas report {shell_word(recording)})")
        raise


def _is_complete(recording: Path) -> bool:
    with suppress(NavitasError):
        return open_recording(recording).manifest.state == "complete"
    return False


def _report_partial(recording: Path, report: ReportOptions) -> None:
    """Write the reports of a recording after an error. Prints another error instead of raising it: the first one is not lost."""
    try:
        write_reports(load_profile(recording, report.file_analysis), _with_default_files(report, recording), recording)
    except NavitasError as error:
        show_error(f"no report: {error.message}", error.remedy)


@contextmanager
def name_recording_on_error(recording: Path) -> Iterator[None]:
    """On an error or interruption in the block, print where the complete recording is."""
    try:
        yield
    except (KeyboardInterrupt, NavitasError):
        location(f"recording kept: {recording} (navitas report {shell_word(recording)})")
        raise


def _size_note(recording: Path) -> str:
    """Return the size of a large recording and options that reduce it. Empty for a small recording."""
    size = sum(path.stat().st_size for path in recording.rglob("*") if path.is_file())
    smaller = "smaller with --mode tick or folded, or with --exclude for the methods with most calls"
    return f" ({size / 1e6:,.0f} MB; {smaller})" if size >= _LARGE_BYTES else ""


def _file_version(file: Path) -> tuple[int, int] | None:
    """Return a value that changes when a file is replaced. None if there is no file."""
    try:
        info = file.stat()
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns


def print_failures(outcome: ProfilingOutcome) -> None:
    """Print the tests that failed, and where the recording is."""
    for name, reason in outcome.failures.items():
        failure(f"FAILED {printable(name, 1000)}: {printable_line(reason, 1000)}")
    location(f"recording: {outcome.recording}{_size_note(outcome.recording)}")


def print_troubles(outcome: ProfilingOutcome) -> int:
    """Print why events are missing. Returns the exit code of the measurement."""
    for trouble in outcome.troubles:
        show_error(trouble)
    if outcome.troubles:
        location("       this report is incomplete; see logcat.txt in the recording")
        return ExitCode.TROUBLE
    return ExitCode.TESTS_FAILED if outcome.failures or outcome.crashed else ExitCode.OK


def report_outcome(outcome: ProfilingOutcome, profile: Profile, report: ReportOptions) -> int:
    """Write the reports, print the failures and where the recording is on standard error, and return the exit code.

    Prints these even if a report can't be written.
    """
    report = _with_default_files(report, outcome.recording)
    try:
        write_reports(profile, report, outcome.recording)
        for file in report.files:
            if file.format == "html" and file.path != STDOUT:
                location(f"page: {file.path} (open it in a browser)")
    finally:
        print_failures(outcome)
    if report.history is not None:
        add_sessions(report.history, [session_of(profile, str(outcome.recording))])
    return print_troubles(outcome)
