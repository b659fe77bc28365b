"""What `profile` and `demo` do alike: build, run on the virtual phone, report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from navitas.build.gradle import build_bundles
from navitas.cli.analysis import analyze_recording
from navitas.cli.options import ReportOptions
from navitas.cli.outputs import write_reports
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions
from navitas.collect.session import Outcome, profile
from navitas.device.virtual_phone import virtual_phone
from navitas.errors import ExitCode

RECORDINGS = Path("navitas-recordings")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How the project is built and which classes get probes."""

    gradle: str | None = None
    module: str | None = None
    instrument_tests: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()


def profile_project(
    project: Path, build: BuildOptions, options: ProfileOptions, report: ReportOptions, *, phone: str, output: Path | None
) -> int:
    """Profile a Gradle project on the virtual phone and report; returns the exit code."""
    recording = output or default_recording(project)
    with ConsoleProgress() as progress:
        progress.stage("building")
        bundles = build_bundles(
            project,
            gradle=build.gradle,
            module=build.module,
            instrument_tests=build.instrument_tests,
            include=build.include,
            exclude=build.exclude,
            on_line=progress.detail,
        )
        progress.stage("starting the virtual phone")
        try:
            with virtual_phone(phone=phone) as device:
                outcome = profile(device, bundles, options, recording, progress)
        except KeyboardInterrupt:
            if (recording / "manifest.json").exists():
                click.echo(f"partial recording kept: {recording} (navitas report {recording})", err=True)
            raise
        progress.stage("analysing")
        analysis = analyze_recording(recording, report.method)
    write_reports(analysis, report if report.json else replace(report, json=recording / "report.json"))
    return tell(outcome)


def default_recording(project: Path) -> Path:
    """A new folder below `navitas-recordings`, named by project and time."""
    return RECORDINGS / f"{project.resolve().name}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"


def tell(outcome: Outcome) -> int:
    """Say on standard error where the recording is and what failed; returns the exit code."""
    for name, reason in outcome.failures.items():
        click.secho(f"FAILED {name}: {reason}", err=True, fg="red")
    click.echo(f"recording: {outcome.recording}", err=True)
    return ExitCode.TESTS_FAILED if outcome.failures or outcome.crashed else ExitCode.OK
