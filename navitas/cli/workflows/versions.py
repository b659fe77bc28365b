"""Build versions of a project, and measure them in turns in one session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from navitas.base.errors import BuildError, UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.owned_folder import owned_folder
from navitas.base.untrusted_text import printable
from navitas.capture.build.git import revision
from navitas.capture.build.gradle import BuildOptions
from navitas.capture.build.revisions import checked_out, resolve, without_checkout
from navitas.capture.collect.options import ProfileOptions
from navitas.capture.collect.runs.version_runs import ProfilingOutcome, Version
from navitas.capture.collect.session import profile_versions
from navitas.capture.device.base import Device
from navitas.cli.workflows.building import Built, build_copies, check_build, checked_bundles, runnable_on_phone
from navitas.cli.workflows.measurement import Caller, RunOptions, default_recording, in_background, open_device
from navitas.recording.recording_folder import check_not_recorded, reserve_folder

BEFORE, AFTER = "before", "after"
_SHORT_HASH = 12


class BuiltVersion(NamedTuple):
    """A version of a project. A `name` such as `before` is also that of its recording's folder."""

    name: str
    built: Built


def build_version(
    name: str,
    project: Path,
    build: BuildOptions,
    *,
    options: ProfileOptions,
    folder: Path,
    caller: Caller,
    virtual: bool,
    checkout_of: str = "",
) -> BuiltVersion:
    """Build a version whose files are in `project`, and copy its bundles into the new folder `folder`.

    `checkout_of` is the revision if the project is a temporary checkout. Errors name it, not the folder.
    """
    folder.mkdir()
    commit = revision(project)
    caller.progress.stage(f"building {name}")
    try:
        built = build_copies(project, build, options, folder, caller.progress, virtual=virtual)
    except (BuildError, UsageError) as error:
        if checkout_of:
            message, remedy = (without_checkout(text, project) for text in (error.message, error.remedy))
            which = f"the build of revision {printable(checkout_of)} failed: {message}"
            raise type(error)(which, f"In a checkout of this revision: {remedy}") from error
        if isinstance(error, BuildError):
            raise BuildError(f"the build of {name} failed: {error.message}", error.remedy) from error
        raise
    return BuiltVersion(name, built._replace(revision=commit))


def measure_versions(
    device: Device,
    versions: Sequence[BuiltVersion],
    folder: Path,
    options: ProfileOptions,
    *,
    run: RunOptions,
    caller: Caller,
    locks: Mapping[str, FolderLock | None] | None = None,
) -> tuple[ProfilingOutcome, ...]:
    """Measure versions in turns, in one session, and write a recording of each into `folder`.

    `locks` are the held locks of these folders, by version.
    """
    measured = []
    for name, built in versions:
        bundles = built.bundles
        if device.info.kind != "virtual":
            bundles = runnable_on_phone(device, bundles, caller.progress)
        origin = built.origin(run, caller)
        measured.append(Version(name, bundles, folder / name, origin, (locks or {}).get(name)))
    outputs = [version.output for version in measured]
    with ExitStack() as stack:
        for output in outputs:
            stack.enter_context(caller.recording(output))
        is_enough = caller.is_enough(outputs, options)
        return profile_versions(device, measured, options, caller.progress, is_enough=is_enough)


def profile_against(
    project: Path,
    name: str,
    options: ProfileOptions,
    bundles: Sequence[Path] = (),
    *,
    build: BuildOptions,
    run: RunOptions,
    caller: Caller,
    look_at: Callable[[Path], object] = lambda folder: None,
) -> tuple[ProfilingOutcome, ...]:
    """Build revision `name` of a project and the project as it is, and run the tests of both in turns.

    With `bundles`, the latter is not built: they are what its own build has made, with `build` as its options.
    The recordings are `before` and `after` in the output folder. `look_at` gets the folder with the revision's files.

    Raises as `profile`, and `UsageError` for an unknown revision.
    """
    made = checked_bundles(bundles, options) if bundles else None
    check_not_recorded(run.output, replace=None)
    folders = {side: None if run.output is None else run.output / side for side in (BEFORE, AFTER)}
    for folder in folders.values():
        replace(run, output=folder).check(options)
    check_build(project, build, options, caller.progress)
    commit = resolve(project, name)
    with ExitStack() as stack:
        reserved = {side: nullcontext() if folder is None else reserve_folder(folder) for side, folder in folders.items()}
        locks = {side: stack.enter_context(folder) for side, folder in reserved.items()}
        with in_background(lambda: open_device(run)) as phone:
            virtual = run.is_virtual(phone.result)
            work = stack.enter_context(owned_folder("navitas-bundles-"))
            old = stack.enter_context(checked_out(project, commit, lambda text: caller.progress.warning(text, "")))
            look_at(old)
            build_side = partial(build_version, build=build, options=options, caller=caller, virtual=virtual)
            which = name if commit.startswith(name) else f"{name} ({commit[:_SHORT_HASH]})"
            versions = [build_side(BEFORE, old, folder=work / BEFORE, checkout_of=which)]
            if made:
                versions.append(BuiltVersion(AFTER, Built(made, revision=revision(project))))
            else:
                versions.append(build_side(AFTER, project, folder=work / AFTER))
            output = run.output or default_recording(project.name)
            caller.progress.stage("connecting")
            recorded = replace(options, built_module=build.module_path)
            return measure_versions(phone.result(), versions, output, recorded, run=run, caller=caller, locks=locks)
