"""What `profile` and `demo` do alike: bundles, run on the virtual phone, report."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from navitas.build.bundle import Bundle, open_bundles
from navitas.build.gradle import build_bundles
from navitas.build.lock import project_lock
from navitas.cli.analysis import analyze_recording
from navitas.cli.options import ReportOptions
from navitas.cli.outputs import check_outputs, write_reports
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions, check_options
from navitas.collect.session import Outcome, profile
from navitas.device.state_folders import owned_folder
from navitas.device.virtual_phone import check_phone, virtual_phone
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


@dataclass(frozen=True, slots=True)
class RunOptions:
    """On which phone tests run, and where the recording goes."""

    phone: str = "default"
    output: Path | None = None


def profile_project(project: Path, build: BuildOptions, options: ProfileOptions, report: ReportOptions, run: RunOptions) -> int:
    """Build a Gradle project and profile it; returns the exit code."""
    with owned_folder("navitas-bundles-", Path(tempfile.gettempdir())) as folder:

        def made(progress: ConsoleProgress) -> list[Bundle]:
            progress.stage("building")
            with project_lock(project, lambda: progress.stage("waiting for another profiling of this project")):
                built = build_bundles(project, **asdict(build), on_line=progress.detail)
                # Copies: the next build, with other options perhaps, may replace them while they are installed.
                return [bundle.copy_to(folder / f"{number}-{bundle.path.name}") for number, bundle in enumerate(built)]

        return _profile(made, project.resolve().name, options, report, run)


def profile_bundles(paths: Sequence[Path], options: ProfileOptions, report: ReportOptions, run: RunOptions) -> int:
    """Profile bundles that a build has made; returns the exit code."""
    bundles = open_bundles(paths)
    return _profile(lambda _: bundles, bundles[0].manifest.project, options, report, run)


def _profile(
    make: Callable[[ConsoleProgress], Sequence[Bundle]],
    name: str,
    options: ProfileOptions,
    report: ReportOptions,
    run: RunOptions,
) -> int:
    """Profile what `make` makes on the virtual phone and report; choices that cannot work are refused before anything is made."""
    check_outputs(report, run.output)
    check_place(run.output or RECORDINGS)
    check_phone(run.phone)
    check_options(options)
    with ConsoleProgress() as progress:
        bundles = make(progress)
        recording = run.output or default_recording(name)
        progress.stage("starting the virtual phone")
        with _partial_kept(recording, report), virtual_phone(phone=run.phone) as device:
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


def default_recording(project: str) -> Path:
    """A new folder below `navitas-recordings`, named by project and time; made at once, so that no other profiling takes it."""
    name = f"{project}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
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
