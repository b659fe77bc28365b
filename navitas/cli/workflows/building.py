"""Build a project for a measurement, and check that its bundles record what the measurement needs."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from navitas.base.errors import UsageError
from navitas.base.folder_lock import FolderLock
from navitas.base.regular_files import open_regular
from navitas.base.untrusted_text import printable
from navitas.base.user_folders import cache_folder, make_folder
from navitas.capture.build import async_profiler
from navitas.capture.build.git import Revision
from navitas.capture.build.gradle import BuildOptions, build_bundles, check_project, fetch_framework, find_gradle
from navitas.capture.build.patterns import check_patterns, unused_in_all
from navitas.capture.collect.options import ProfileOptions, probes_of
from navitas.capture.collect.progress import Progress
from navitas.capture.device.base import VIRTUAL, Device
from navitas.cli.workflows.measurement import Caller, RunOptions
from navitas.virtual_phone import firmware

if TYPE_CHECKING:  # These load Pydantic, which would delay the build.
    from navitas.capture.bundle.reader import Bundle
    from navitas.recording.manifest import Provenance

_LONGEST = 1000
_SUFFIXES = (".java", ".kt", ".groovy", ".scala")
_NO_SOURCES = {"build", "out", "bin", "target", "node_modules"}
_DECLARED = re.compile(rb"\b(?:class|object|interface|record|enum)\s+(?:(\w{1,200})|`([^`\r\n]{1,200})`)")
_MOST_FILES, _MOST_BYTES = 20_000, 1 << 20


class Built(NamedTuple):
    """The bundles to measure, the version of the Java that built them, and the project's revision, as far as known."""

    bundles: Sequence[Bundle]
    java: str | None = None
    revision: Revision | None = None

    def origin(self, run: RunOptions, caller: Caller) -> Provenance:
        """Return the provenance of their recording. A device on adb can use another Java than a phone that is started here."""
        from navitas.cli.workflows.origin import find_java_versions, provenance  # noqa: PLC0415

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
    ensure_profiler(options, progress, project, build.gradle, virtual=virtual)
    with project_lock(project, lambda: progress.stage("waiting for another profiling of this project")):
        bundles = build_bundles(
            project,
            replace(build, hooks=options.record != "none", probes=probes_of(options.granularity, options.mode)),
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


def checked_bundles(paths: Sequence[Path], options: ProfileOptions) -> list[Bundle]:
    """Open bundles with tests that a build has made. Raises `BuildError`, and `UsageError` if they do not fit the options."""
    from navitas.capture.bundle.reader import open_bundles  # noqa: PLC0415

    bundles = open_bundles(paths)
    for bundle in bundles:
        check_probes(bundle, options)
        _check_tests(bundle)
    return bundles


def check_probes(bundle: Bundle, options: ProfileOptions) -> None:
    """Raise `UsageError` if a bundle's probes do not record what the granularity needs."""
    built, needed = bundle.manifest.probes, probes_of(options.granularity, options.mode)
    if built == needed or (built == "none" and options.granularity in ("test", "class")):
        return
    fitting = {"blocks": "use --granularity block", "none": "use --granularity test or --mode sample"}.get(
        built, "leave out --mode sample" if options.mode == "sample" else "use --granularity method"
    )
    chosen = "--mode sample" if options.mode == "sample" else f"--granularity {options.granularity}"
    raise UsageError(
        f"{bundle.path}: its classes have probes of kind '{built}', and {chosen} needs '{needed}'",
        f"build the bundle with -Pnavitas.probes={needed}, or {fitting}",
    )


def ensure_profiler(options: ProfileOptions, progress: Progress, near: Path, gradle: str | None = None, *, virtual: bool) -> None:
    """Fetch async-profiler if it samples the stacks of a virtual phone and isn't on this machine yet, by Gradle as in
    `ensure_framework`.

    Raises `BuildError` if it cannot be fetched.
    """
    if virtual and options.mode == "sample" and not async_profiler.is_provided():
        progress.stage(f"fetching async-profiler {async_profiler.VERSION} (1 MB, once)")
        async_profiler.fetch(near.absolute(), gradle=gradle, on_line=progress.detail)


def _check_tests(bundle: Bundle) -> None:
    """Raise `UsageError` if a bundle is an app without tests."""
    from navitas.capture.bundle.manifest import AndroidManifest  # noqa: PLC0415

    manifest = bundle.manifest
    if isinstance(manifest, AndroidManifest) and manifest.apks.test is None:
        raise UsageError(
            f"{bundle.path}: {manifest.package} has no instrumentation tests to profile",
            f"measure its use: navitas record {manifest.package} --bundle {bundle.path}",
        )


def _is_app(bundle: Bundle) -> bool:
    from navitas.capture.bundle.manifest import AndroidManifest  # noqa: PLC0415

    return isinstance(bundle.manifest, AndroidManifest)


def runnable_on_phone(device: Device, bundles: Sequence[Bundle], progress: Progress) -> list[Bundle]:
    """Return the bundles that a real phone can run: Android apps. Warns about the others, which are Java bytecode.

    Raises `UsageError` if there is none.
    """
    apps = list(filter(_is_app, bundles))
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
    android = list(filter(_is_app, bundles))
    if android and not firmware.is_provided():
        progress.stage("fetching Android's framework (about 340 MB, once)")
        near = project or android[0].path.parent
        fetch_framework(near.absolute(), firmware.provide, gradle=gradle, on_line=progress.detail)


@contextmanager
def project_lock(project: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the project's lock, since two builds would overwrite each other's outputs. Call `on_wait` once before a wait.

    The lock is a file in the user's cache folder, so other users can neither hold it nor block it. If the file cannot be made,
    nothing is locked. Raises `UsageError` if the cache folder belongs to someone else.
    """
    file = lock_file(project)
    lock = FolderLock(file)
    try:
        make_folder(file.parent)
        lock.wait(lambda holder: on_wait())
    except OSError:  # a read-only home
        yield
        return
    try:
        yield
    finally:
        lock.release()


def lock_file(project: Path) -> Path:
    """Return the path of a project's lock file, the same for every path to the project."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:32]
    return cache_folder() / "projects" / f"{name}.lock"


def undeclared(project: Path, patterns: Sequence[str]) -> dict[str, list[str]]:
    """Test patterns whose class no source file declares, each with the nearest names.

    Not certain: tests may also be generated, or come from a dependency. Empty for projects with very many files.
    """
    # `SortTest` of `a.b.SortTest$Inner#sorts`.
    wanted = {pattern: pattern.partition("#")[0].rpartition(".")[2].partition("$")[0] for pattern in patterns}
    files = list(_sources(project)) if wanted else []
    if not files or len(files) > _MOST_FILES:
        return {}
    names = {path.stem for path in files}
    missing = _missing(wanted, names)
    if missing:
        for path in files:
            names |= _declared_in(path)
        missing = _missing(wanted, names)
    return {pattern: difflib.get_close_matches(wanted[pattern], sorted(names), 3) for pattern in missing}


def _missing(wanted: dict[str, str], names: set[str]) -> list[str]:
    return [pattern for pattern, simple in wanted.items() if not any(fnmatchcase(name, simple) for name in names)]


def _sources(project: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name not in _NO_SOURCES and not name.startswith(".")]
        for name in files:
            if name.endswith(_SUFFIXES):
                yield Path(folder, name)
                count += 1
                if count > _MOST_FILES:
                    return


def _declared_in(path: Path) -> set[str]:
    try:
        with open_regular(path) as file:
            text = file.read(_MOST_BYTES)
    except OSError:
        return set()
    return {(plain or quoted).decode("utf-8", "replace") for plain, quoted in _DECLARED.findall(text)}
