"""Profile the tests of a Gradle project, or of its bundles, on a device (docs/python-api.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.base.owned_folder import owned_folder
from navitas.capture.build.git import revision
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.device.base import VIRTUAL
from navitas.cli.workflows.building import (
    Built,
    build_copies,
    check_build,
    checked_bundles,
    ensure_framework,
    ensure_profiler,
    runnable_on_phone,
)
from navitas.cli.workflows.measurement import Caller, RunOptions, measurement

if TYPE_CHECKING:
    from navitas.capture.collect.runs.version_runs import ProfilingOutcome

__all__ = ["BuildOptions", "Caller", "ProfileOptions", "RunOptions", "profile", "profile_bundles"]

OPTIONS, BUILD, RUN, CALLER = ProfileOptions(), BuildOptions(), RunOptions(), Caller()
"""The defaults."""


def profile(
    project: str | PathLike[str],
    options: ProfileOptions = OPTIONS,
    *,
    build: BuildOptions = BUILD,
    run: RunOptions = RUN,
    caller: Caller = CALLER,
) -> ProfilingOutcome:
    """Build a Gradle project, and run its tests on a device. Returns where the recording is, and which tests did not pass.

    `hooks` and `probes` of the build follow from the options. Raises subclasses of `NavitasError` (navitas/base/errors.py):
    `UsageError` for wrong options, `BuildError`, `DeviceError` if the device is lost, `RecordingError` if the folder cannot be
    written. What was recorded before an error is kept.
    """
    folder = Path(project)
    run.check(options)
    check_build(folder, build, options, caller.progress)
    with owned_folder("navitas-bundles-") as work:

        def made(virtual: bool) -> Built:
            caller.progress.stage("building")
            commit = revision(folder)  # Read while the device starts, and before the build writes files.
            return build_copies(folder, build, options, work, caller.progress, virtual=virtual)._replace(revision=commit)

        recorded = replace(options, built_module=build.module_path)
        return _profile(made, Path(os.path.realpath(folder)).name, recorded, run, caller)


def profile_bundles(
    paths: Sequence[Path],
    options: ProfileOptions = OPTIONS,
    *,
    run: RunOptions = RUN,
    caller: Caller = CALLER,
    source: Path | None = None,
) -> ProfilingOutcome:
    """Profile the tests of bundles that a build made from the project in `source`. See `profile`."""
    run.check(options)
    bundles = checked_bundles(paths, options)

    def made(virtual: bool) -> Built:
        ensure_profiler(options, caller.progress, bundles[0].path.parent, virtual=virtual)
        return Built(bundles, revision=None if source is None else revision(source))

    return _profile(made, bundles[0].manifest.project, options, run, caller)


def _profile(
    make: Callable[[bool], Built], name: str, options: ProfileOptions, run: RunOptions, caller: Caller
) -> ProfilingOutcome:
    """Profile what `make(virtual)` returns."""
    with measurement(name, run, caller) as started:
        virtual = run.is_virtual(started.device)
        built = make(virtual)
        if virtual:
            ensure_framework(built.bundles, caller.progress)
        else:
            built = built._replace(bundles=runnable_on_phone(started.device(), built.bundles, caller.progress))
        caller.progress.stage("starting the virtual phone" if run.device == VIRTUAL else "connecting")
        settings = replace(options, provenance=built.origin(run, caller))
        folder = started.begin()
        is_enough = caller.is_enough([folder], options)
        device = started.device()
        from navitas.capture.collect.session import profile as run_tests  # noqa: PLC0415  # Imported meanwhile, see `measurement`.

        return run_tests(device, built.bundles, settings, folder, caller.progress, lock=started.lock, is_enough=is_enough)
