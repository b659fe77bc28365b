"""What `profile` and `demo` do alike: build, run on the virtual phone, report."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from navitas.build.gradle import build_bundles
from navitas.build.lock import project_lock
from navitas.cli.analysis import analyze_recording
from navitas.cli.options import ReportOptions
from navitas.cli.outputs import check_outputs, write_reports
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions
from navitas.collect.session import Outcome, profile
from navitas.device.virtual_phone import virtual_phone
from navitas.errors import DeviceError, ExitCode, NavitasError
from navitas.recording.store import MANIFEST_NAME
from navitas.recording.writer import check_place

RECORDINGS = Path("navitas-recordings")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How the project is built and which classes get probes."""

    gradle: str | None = None
    module: str | None = None
    instrument_tests: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    test_task: str | None = None
    skip_trivial: bool = False


def profile_project(
    project: Path, build: BuildOptions, options: ProfileOptions, report: ReportOptions, *, phone: str, output: Path | None
) -> int:
    """Profile a Gradle project on the virtual phone and report; returns the exit code."""
    check_outputs(report, output)
    check_place(output or RECORDINGS)
    with ConsoleProgress() as progress, tempfile.TemporaryDirectory(prefix="navitas-bundles-") as folder:
        progress.stage("building")
        with project_lock(project, lambda: progress.stage("waiting for another profiling of this project")):
            built = build_bundles(
                project,
                gradle=build.gradle,
                module=build.module,
                instrument_tests=build.instrument_tests,
                include=build.include,
                exclude=build.exclude,
                test_task=build.test_task,
                skip_trivial=build.skip_trivial,
                on_line=progress.detail,
            )
            # Copies: the next build, with other options perhaps, may replace them while they are installed.
            bundles = [bundle.copy_to(Path(folder) / f"{number}-{bundle.path.name}") for number, bundle in enumerate(built)]
        recording = output or default_recording(project)
        progress.stage("starting the virtual phone")
        with _partial_kept(recording, report), virtual_phone(phone=phone) as device:
            outcome = profile(device, bundles, options, recording, progress)
        progress.stage("analysing")
        analysis = analyze_recording(recording, report.method)
    write_reports(analysis, _with_json(report, recording))
    return tell(outcome)


def _with_json(report: ReportOptions, recording: Path) -> ReportOptions:
    """The report's options; the JSON report goes beside the raw files where no place was named."""
    return report if report.json else replace(report, json=recording / "report.json")


@contextmanager
def _partial_kept(recording: Path, report: ReportOptions) -> Iterator[None]:
    """Tell of the partial recording that an interruption or a lost device leaves; after a lost device report what it holds."""
    manifest = recording / MANIFEST_NAME
    before = _version(manifest)
    try:
        yield
    except (KeyboardInterrupt, NavitasError) as error:
        if _version(manifest) not in (None, before):
            if isinstance(error, DeviceError):
                write_reports(analyze_recording(recording, report.method), _with_json(report, recording))
            click.echo(f"partial recording kept: {recording} (navitas report {recording})", err=True)
        with suppress(OSError):
            recording.rmdir()  # made for this profiling and still empty
        raise


def _version(file: Path) -> tuple[int, int] | None:
    """Changes with every version of a file; None when there is none."""
    try:
        info = file.stat()
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns


def default_recording(project: Path) -> Path:
    """A new folder below `navitas-recordings`, named by project and time; made at once, so that no other profiling takes it."""
    name = f"{project.resolve().name}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
    for number in itertools.count(1):
        folder = RECORDINGS / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError("unreachable")


def tell(outcome: Outcome) -> int:
    """Say on standard error where the recording is and what failed; returns the exit code."""
    for name, reason in outcome.failures.items():
        click.secho(f"FAILED {name}: {reason}", err=True, fg="red")
    click.echo(f"recording: {outcome.recording}", err=True)
    for trouble in outcome.troubles:
        click.secho(f"error: {trouble}", err=True, fg="red")
    if outcome.troubles:
        click.echo("       figures are missing from this report; see logcat.txt in the recording", err=True)
        return ExitCode.TROUBLE
    return ExitCode.TESTS_FAILED if outcome.failures or outcome.crashed else ExitCode.OK
