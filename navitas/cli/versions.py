"""Build versions of a project, and measure them in turns in one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from navitas.build.git import Revision, revision
from navitas.bundle.reader import Bundle
from navitas.cli.options import ReportOptions
from navitas.cli.origin import provenance
from navitas.cli.profiling import (
    BuildOptions,
    RunOptions,
    build_copies_of,
    java_versions,
    measuring,
    phones,
)
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions
from navitas.collect.version_runs import ProfilingOutcome, Version
from navitas.device.base import Device
from navitas.errors import BuildError
from navitas.folder_lock import FolderLock


@dataclass(frozen=True, slots=True)
class BuiltVersion:
    """A version of a project with its bundles. A `name` such as `before` is also that of its recording's folder."""

    name: str
    bundles: Sequence[Bundle]
    revision: Revision | None
    build_java: str | None

    def to_measure(self, folder: Path, run: RunOptions, lock: FolderLock | None = None) -> Version:
        """Return the version with the folder of its recording, which is in `folder`, and its lock if it is held."""
        origin = provenance(java_versions(self.bundles, run), build_java=self.build_java, revision=self.revision)
        return Version(self.name, self.bundles, folder / self.name, origin, lock)


def build_version(
    name: str,
    project: Path,
    build: BuildOptions,
    *,
    options: ProfileOptions,
    folder: Path,
    progress: ConsoleProgress,
    virtual: bool,
) -> BuiltVersion:
    """Build a version whose files are in `project`, and copy its bundles into the new folder `folder`."""
    java: list[str] = []
    folder.mkdir()
    found = revision(project)
    progress.stage(f"building {name}")
    try:
        bundles = build_copies_of(project, build, options, folder, progress, virtual=virtual, on_java=java.append)
    except BuildError as error:  # Its path is that of a temporary checkout.
        raise BuildError(f"the build of {name} failed: {error.message}", error.remedy) from error
    return BuiltVersion(name, bundles, found, next(iter(java), None))


def measure_versions(
    device: Device,
    built: Sequence[BuiltVersion],
    folder: Path,
    options: ProfileOptions,
    *,
    report: ReportOptions,
    run: RunOptions,
    progress: ConsoleProgress,
    locks: Mapping[str, FolderLock | None] | None = None,
) -> tuple[ProfilingOutcome, ...]:
    """Measure versions in turns, in one session, and write a recording of each into `folder`.

    `locks` are the held locks of these folders, by version. If this fails, prints where the partial recordings are.
    """
    if device.info.kind != "virtual":
        built = [replace(one, bundles=phones().runnable_on_phone(device, one.bundles)) for one in built]
    versions = [one.to_measure(folder, run, (locks or {}).get(one.name)) for one in built]
    measure = measuring()
    is_enough = measure.until_narrow([one.output for one in versions], options, report, progress)
    with ExitStack() as stack:
        for one in versions:
            stack.enter_context(measure.report_partial_on_error(one.output, report))
        return tuple(measure.profile_versions(device, versions, options, progress, is_enough=is_enough))
