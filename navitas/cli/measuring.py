"""Tests run on a phone and what came of it, for `profile` and `demo`. Heavy to import: done while Gradle builds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from navitas.analyze.profile import Profile
from navitas.bundle.reader import Bundle
from navitas.cli.analysis import load_profile
from navitas.cli.files import STDOUT
from navitas.cli.formats import ReportFile
from navitas.cli.messages import error as show_error
from navitas.cli.messages import failure, next_step, place
from navitas.cli.options import ReportOptions
from navitas.cli.outputs import write_reports
from navitas.collect.app_use import Use
from navitas.collect.app_use import record as record_use
from navitas.collect.options import ProfileOptions
from navitas.collect.progress import Progress
from navitas.collect.session import ProfilingOutcome, profile
from navitas.device.base import Device
from navitas.errors import DeviceError, ExitCode, NavitasError
from navitas.folder_lock import FolderLock
from navitas.recording.store import MANIFEST_NAME
from navitas.report.registry import find_format
from navitas.untrusted_text import printable, printable_line

__all__ = ["load_profile", "measure", "name_recording_on_error", "record", "report_outcome"]

_LARGE_BYTES = 100_000_000


def measure(
    device: Callable[[], Device],
    bundles: Sequence[Bundle],
    options: ProfileOptions,
    *,
    report: ReportOptions,
    recording: Path,
    lock: FolderLock | None,
    progress: Progress,
) -> ProfilingOutcome:
    """Run the tests on the device, waiting for it first; a partial recording is named and, after a lost device, reported."""
    with _partial_kept(recording, report):
        return profile(device(), bundles, options, recording, progress, lock=lock)


def record(
    device: Callable[[], Device],
    use: Use,
    options: ProfileOptions,
    *,
    report: ReportOptions,
    recording: Path,
    lock: FolderLock | None,
    progress: Progress,
) -> ProfilingOutcome:
    """Record the use of an app, as `measure` runs tests."""
    with _partial_kept(recording, report):
        return record_use(device(), use, options, recording, progress, lock=lock)


def _with_defaults(report: ReportOptions, recording: Path) -> ReportOptions:
    """The report's options; formats without a named file go into the recording, such as `report.json`."""
    named = {file.format for file in report.files}
    added = [
        ReportFile(name, recording / f"report{find_format(name).extension}", "") for name in report.beside if name not in named
    ]
    # First: the format of another package may fail.
    return replace(report, files=(*added, *report.files))


@contextmanager
def _partial_kept(recording: Path, report: ReportOptions) -> Iterator[None]:
    """Name the partial recording that an interruption or a lost device leaves; after a lost device, report its content."""
    manifest = recording / MANIFEST_NAME
    before = _version(manifest)
    try:
        yield
    except (KeyboardInterrupt, NavitasError) as error:
        if _version(manifest) not in (None, before):
            if isinstance(error, DeviceError):
                _report_partial(recording, report)
            place(f"partial recording kept: {recording} (navitas report {recording})")
        with suppress(OSError):
            recording.rmdir()  # made for this profiling and still empty
        raise


def _report_partial(recording: Path, report: ReportOptions) -> None:
    """What the partial recording holds; that it cannot be reported does not hide why it is partial."""
    try:
        write_reports(load_profile(recording, report.method), _with_defaults(report, recording))
    except NavitasError as error:
        show_error(f"no report: {error.message}", error.remedy)


@contextmanager
def name_recording_on_error(recording: Path) -> Iterator[None]:
    """Print where the complete recording is if the block is interrupted or fails."""
    try:
        yield
    except (KeyboardInterrupt, NavitasError):
        place(f"recording kept: {recording} (navitas report {recording})")
        raise


def _size(recording: Path) -> str:
    """How large a large recording is, and what makes the next one smaller."""
    size = sum(path.stat().st_size for path in recording.rglob("*") if path.is_file())
    smaller = "smaller with --mode tick or folded, or without the methods that are called most: --exclude"
    return f" ({size / 1e6:,.0f} MB; {smaller})" if size >= _LARGE_BYTES else ""


def _version(file: Path) -> tuple[int, int] | None:
    """Changes with every version of a file; None when there is none."""
    try:
        info = file.stat()
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns


def report_outcome(outcome: ProfilingOutcome, profile: Profile, report: ReportOptions) -> int:
    """Write the reports, say on standard error where the recording is and what failed; returns the exit code.

    The recording and the failures are named even if a report cannot be written.
    """
    report = _with_defaults(report, outcome.recording)
    try:
        write_reports(profile, report)
        for file in report.files:
            if file.format == "html" and file.path != STDOUT:
                place(f"page: {file.path} (open it in a browser)")
    finally:
        for name, reason in outcome.failures.items():
            failure(f"FAILED {printable(name, 1000)}: {printable_line(reason, 1000)}")
        place(f"recording: {outcome.recording}{_size(outcome.recording)}")
    for trouble in outcome.troubles:
        show_error(trouble)
    if outcome.troubles:
        place("       figures are missing from this report; see logcat.txt in the recording")
        return ExitCode.TROUBLE
    if outcome.failures or outcome.crashed:
        return ExitCode.TESTS_FAILED
    next_step(f"navitas report {outcome.recording} --speedscope profile.speedscope.json (open it in speedscope.app)")
    return ExitCode.OK
