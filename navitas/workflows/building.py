"""Build a project for a measurement, and check that its bundles record what the measurement needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from navitas.build.git import Revision
from navitas.build.gradle import BuildOptions, build_bundles, check_project, fetch_framework, find_gradle
from navitas.build.lock import project_lock
from navitas.build.patterns import check_patterns, unused_in_all
from navitas.build.source_classes import undeclared
from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle
from navitas.collect.options import ProfileOptions, probes_of
from navitas.collect.progress import Progress
from navitas.device.base import VIRTUAL, Device
from navitas.errors import UsageError
from navitas.recording.manifest import Provenance
from navitas.untrusted_text import printable
from navitas.virtual_phone import firmware
from navitas.workflows.measurement import Caller, RunOptions
from navitas.workflows.origin import find_java_versions, provenance

_LONGEST = 1000


class Built(NamedTuple):
    """The bundles to measure, the version of the Java that built them, and the project's revision, as far as known."""

    bundles: Sequence[Bundle]
    java: str | None = None
    revision: Revision | None = None

    def origin(self, run: RunOptions, caller: Caller) -> Provenance:
        """Return the provenance of their recording. A device on adb can use another Java than a phone that is started here."""
        java = find_java_versions(self.bundles) if run.device == VIRTUAL else set[str]()
        return provenance(caller.command_line, java, build_java=self.java, revision=self.revision)


def check_build(project: Path, build: BuildOptions, options: ProfileOptions, progress: Progress) -> None:
    """Check what needs no build. Warns about each pattern of tests that matches no source file, since only the build knows all.

    Raises `UsageError` if the project or a pattern is wrong, `BuildError` if there is no Gradle.
    """
    check_project(project)
    find_gradle(project, build.gradle)
    check_patterns(build.include, build.exclude)
    for pattern, near in undeclared(project, options.tests).items():
        nearest = f" (nearest: {', '.join(near)})" if near else ""
        progress.warning(printable(f"--tests {pattern}: no source file declares this class{nearest}", _LONGEST), "")


def build_copies(
    project: Path,
    build: BuildOptions,
    options: ProfileOptions,
    folder: Path,
    progress: Progress,
    *,
    virtual: bool,
    app_only: bool = False,
) -> Built:
    """Build a project's bundles, and copy them to `folder`, since the next build can replace them during installation.

    With `app_only`, these are its Android apps without tests. The revision is not read here.
    """
    java: list[str] = []
    with project_lock(project, lambda: progress.stage("waiting for another profiling of this project")):
        bundles = build_bundles(
            project,
            replace(build, hooks=options.record != "none", probes=probes_of(options.granularity)),
            app_only=app_only,
            virtual=virtual,
            provide=firmware.provide if virtual and not firmware.is_provided() else None,
            on_line=progress.detail,
            on_java=java.append,
            on_left_out=lambda text: progress.warning(printable(text, _LONGEST), ""),
        )
        for text in unused_in_all([bundle.manifest.unused_excludes for bundle in bundles]):
            progress.warning(printable(text, _LONGEST), "")
        if virtual:
            ensure_framework(bundles, progress, project, build.gradle)
        copies = [bundle.copy_to(folder / f"{number}-{bundle.path.name}") for number, bundle in enumerate(bundles)]
        return Built(copies, next(iter(java), None))


def check_probes(bundle: Bundle, options: ProfileOptions) -> None:
    """Raise `UsageError` if a bundle's probes do not record what the granularity needs."""
    built, needed = bundle.manifest.probes, probes_of(options.granularity)
    if built == needed or (built == "none" and options.granularity in ("test", "class")):
        return
    fitting = {"blocks": "block", "none": "test"}.get(built, "method")
    raise UsageError(
        f"{bundle.path}: its classes have probes of kind '{built}', and --granularity {options.granularity} needs '{needed}'",
        f"build the bundle with -Pnavitas.probes={needed}, or use --granularity {fitting}",
    )


def check_tests(bundle: Bundle) -> None:
    """Raise `UsageError` if a bundle is an app without tests."""
    manifest = bundle.manifest
    if isinstance(manifest, AndroidManifest) and manifest.apks.test is None:
        raise UsageError(
            f"{bundle.path}: {manifest.package} has no instrumentation tests to profile",
            f"measure its use: navitas record {manifest.package} --bundle {bundle.path}",
        )


def runnable_on_phone(device: Device, bundles: Sequence[Bundle], progress: Progress) -> list[Bundle]:
    """Return the bundles that a real phone can run: Android apps. Warns about the others, which are Java bytecode.

    Raises `UsageError` if there is none.
    """
    apps = [bundle for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    if not apps:
        raise UsageError(
            f"{device.info.serial} ({device.info.model}) cannot run a plain `java` project: its bytecode is not an Android app",
            "profile it on the virtual phone: leave --device out, or give --device virtual",
        )
    others = ", ".join(bundle.manifest.module for bundle in bundles if bundle not in apps)
    if others:
        what = f"left out, since a phone runs no plain `java` project: {printable(others)}"
        progress.warning(f"{what} (profile it by --module on the virtual phone)", "")
    return apps


def ensure_framework(
    bundles: Sequence[Bundle], progress: Progress, project: Path | None = None, gradle: str | None = None
) -> None:
    """Fetch Android's framework for the virtual phone, if a bundle needs it and it isn't on this machine yet.

    Without `gradle`, the `gradlew` of the project fetches it, or one near the bundle.
    """
    android = [bundle for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    if android and not firmware.is_provided():
        progress.stage("fetching Android's framework (about 340 MB, once)")
        near = project or android[0].path.parent
        fetch_framework(near.absolute(), firmware.provide, gradle=gradle, on_line=progress.detail)
