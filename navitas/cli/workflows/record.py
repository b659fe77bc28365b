"""Record the use of an app: an installed one, that of a bundle, or that of a Gradle project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from navitas.base.errors import UsageError
from navitas.base.owned_folder import owned_folder
from navitas.capture.build.git import revision
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.bundle.reader import Bundle
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.app_use import Use, record
from navitas.capture.collect.runs.java_use import JavaUse, record_java
from navitas.capture.collect.runs.version_runs import ProfilingOutcome
from navitas.capture.device.base import VIRTUAL
from navitas.cli.workflows.building import Built, build_copies, check_build, check_probes, ensure_framework, ensure_profiler
from navitas.cli.workflows.measurement import Caller, RunOptions, Started, measurement


def record_use(
    use: Use, options: ProfileOptions, *, run: RunOptions, caller: Caller, gradle: str | None = None
) -> ProfilingOutcome:
    """Record the use of an installed app, or of the app of a bundle. `gradle` fetches Android's framework if it is missing."""
    run.check(options)
    _check_mode(options)
    built = Built([] if use.bundle is None else [use.bundle])
    for bundle in built.bundles:
        check_probes(bundle, options)
    with measurement(use.bundle.manifest.project if use.bundle else use.package, run, caller) as started:
        if use.bundle is not None and run.is_virtual(started.device):
            ensure_framework(built.bundles, caller.progress, gradle=gradle)
            ensure_profiler(options, caller.progress, use.bundle.path.parent, gradle, virtual=True)
        return _record(use, built, options, run=run, caller=caller, started=started)


def record_project(
    project: Path,
    build: BuildOptions,
    use_of: Callable[[Bundle], Use],
    options: ProfileOptions,
    *,
    run: RunOptions,
    caller: Caller,
) -> ProfilingOutcome:
    """Build the app of a Gradle project, and record the use that `use_of` returns."""
    run.check(options)
    _check_mode(options)
    check_build(project, build, options, caller.progress)
    with owned_folder("navitas-bundles-") as folder, measurement(project.absolute().name, run, caller) as started:
        virtual = run.is_virtual(started.device)
        caller.progress.stage("building")
        commit = revision(project)  # Read while the device starts, and before the build writes files.
        built = build_copies(project, build, options, folder, caller.progress, virtual=virtual, app_only=True)
        use = use_of(_only(project, built.bundles))
        return _record(use, built._replace(revision=commit), options, run=run, caller=caller, started=started)


def record_jvm(
    use: JavaUse, options: ProfileOptions, *, run: RunOptions, caller: Caller, gradle: str | None = None
) -> ProfilingOutcome:
    """Record a JVM of this computer on a virtual phone. Its stacks are sampled, whatever the mode.

    `gradle` fetches async-profiler if it is missing. None: the one on PATH.
    """
    options = replace(options, mode="sample")
    run.check(options)
    if run.device != VIRTUAL:
        raise UsageError(f"--java records a JVM of this computer, and --device {run.device} is another one", "leave out --device")
    # No project is named, so no project's gradlew runs: not that of the current folder, either.
    ensure_profiler(options, caller.progress, Path("/"), gradle, virtual=True)
    with measurement(use.name, run, caller) as started:
        options = replace(options, provenance=Built([]).origin(run, caller))
        folder = started.begin()
        return record_java(started.device(), use, options, folder, caller.progress, lock=started.lock)


def _check_mode(options: ProfileOptions) -> None:
    if options.mode == "sample" and options.trace == "none":
        raise UsageError("--mode sample takes the CPU time of an app in use from the trace, and --trace is none", "leave it out")


def _only(project: Path, bundles: Sequence[Bundle]) -> Bundle:
    if len(bundles) > 1:
        modules = ", ".join(bundle.manifest.module for bundle in bundles)
        raise UsageError(f"{project} has several apps: {modules}", f"choose one: --module {bundles[0].manifest.module}")
    return bundles[0]


def _record(
    use: Use, built: Built, options: ProfileOptions, *, run: RunOptions, caller: Caller, started: Started
) -> ProfilingOutcome:
    options = replace(options, provenance=built.origin(run, caller))
    folder = started.begin()
    return record(started.device(), use, options, folder, caller.progress, lock=started.lock)
