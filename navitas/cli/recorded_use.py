"""The steps of `record`: build the app if necessary, record its use on a device, analyze, report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.build.git import revision
from navitas.build.gradle import find_gradle
from navitas.bundle.reader import Bundle
from navitas.cli.background import BackgroundContext
from navitas.cli.options import ReportOptions
from navitas.cli.origin import provenance
from navitas.cli.profiling import (
    BuildOptions,
    RecordingTarget,
    RunOptions,
    build_copies_of,
    check_probes,
    ensure_framework,
    is_virtual,
    java_versions,
    measuring,
    report_measured,
)
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions
from navitas.device.base import Device
from navitas.errors import UsageError
from navitas.owned_folder import owned_folder
from navitas.recording.manifest import Provenance

if TYPE_CHECKING:
    from navitas.collect.app_use import Use
    from navitas.collect.session import ProfilingOutcome


def record_use(use: Use, options: ProfileOptions, report: ReportOptions, run: RunOptions, gradle: str | None = None) -> int:
    """Record the use of an installed app, or of the app of a bundle. Returns the exit code."""
    if use.bundle is not None:
        check_probes(use.bundle, options)
    bundles = [use.bundle] if use.bundle else []
    options = replace(options, provenance=provenance(java_versions(bundles, run)))

    def measure(device: Callable[[], Device], target: RecordingTarget, progress: ConsoleProgress) -> ProfilingOutcome:
        if bundles and is_virtual(run, device):
            ensure_framework(bundles, progress, gradle=gradle)
        return _record(device, use, options, report, target, progress=progress)

    return report_measured(measure, use.bundle.manifest.project if use.bundle else use.package, options, report, run)


def record_project(
    project: Path,
    build: BuildOptions,
    use_of: Callable[[Bundle], Use],
    options: ProfileOptions,
    *,
    report: ReportOptions,
    run: RunOptions,
) -> int:
    """Build the app of a Gradle project with probes, and record the use that `use_of` returns. Returns the exit code."""
    find_gradle(project, build.gradle)
    java: list[str] = []
    with owned_folder("navitas-bundles-") as folder, BackgroundContext(lambda: nullcontext(revision(project))) as git:

        def measure(device: Callable[[], Device], target: RecordingTarget, progress: ConsoleProgress) -> ProfilingOutcome:
            virtual = is_virtual(run, device)
            progress.stage("building")
            bundle = _only(
                project,
                build_copies_of(project, build, options, folder, progress, virtual=virtual, on_java=java.append, app_only=True),
            )
            origin: Provenance = provenance(
                java_versions([bundle], run), build_java=next(iter(java), None), revision=git.result()
            )
            return _record(device, use_of(bundle), replace(options, provenance=origin), report, target, progress=progress)

        return report_measured(measure, project.absolute().name, options, report, run)


def _only(project: Path, bundles: Sequence[Bundle]) -> Bundle:
    if len(bundles) > 1:
        modules = ", ".join(bundle.manifest.module for bundle in bundles)
        raise UsageError(f"{project} has several apps: {modules}", f"choose one: --module {bundles[0].manifest.module}")
    return bundles[0]


def _record(
    device: Callable[[], Device],
    use: Use,
    options: ProfileOptions,
    report: ReportOptions,
    target: RecordingTarget,
    *,
    progress: ConsoleProgress,
) -> ProfilingOutcome:
    outcome: ProfilingOutcome = measuring().record(
        device, use, options, report=report, recording=target.folder(), lock=target.lock, progress=progress
    )
    return outcome
