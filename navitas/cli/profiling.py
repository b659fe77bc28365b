"""The steps of `profile`, `demo` and `record`: build, run on a device, analyze, report."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from navitas.build.framework import fetch_framework
from navitas.build.git import revision
from navitas.build.gradle import build_bundles, check_project, find_gradle
from navitas.build.lock import project_lock
from navitas.build.patterns import unused_in_all
from navitas.build.source_classes import undeclared
from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle, open_bundles
from navitas.cli.background import BackgroundContext
from navitas.cli.messages import warning
from navitas.cli.options import VIRTUAL, ReportOptions
from navitas.cli.origin import find_java_versions, provenance
from navitas.cli.progress import ConsoleProgress
from navitas.collect.options import ProfileOptions, check_options, probes_of
from navitas.device.base import Device
from navitas.errors import UsageError
from navitas.folder_lock import FolderLock
from navitas.owned_folder import owned_folder
from navitas.recording.manifest import Provenance
from navitas.recording.writer import check_writable, reserve_folder
from navitas.untrusted_text import printable
from navitas.virtual_phone import firmware
from navitas.virtual_phone.kernel.spec import find_profile, load_spec

if TYPE_CHECKING:
    from navitas.collect.session import ProfilingOutcome

    Measure = Callable[[Callable[[], Device], "RecordingTarget", ConsoleProgress], ProfilingOutcome]
    """Measures on a device and writes a recording."""

RECORDINGS = Path("navitas-recordings")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build the project, and which classes get probes."""

    gradle: str | None = None
    module: str | None = None
    variant: str | None = None
    instrument_tests: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    test_task: str | None = None
    skip_trivial: bool = False
    hook_libraries: bool = False


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The device to measure on, and the recording's folder."""

    phone: str = "default"
    output: Path | None = None
    device: str = VIRTUAL
    """`virtual`, or the serial of a device on adb."""
    user: int | None = None
    """The phone's user whose apps are measured; None: the one in the foreground."""


def profile_project(project: Path, build: BuildOptions, options: ProfileOptions, report: ReportOptions, run: RunOptions) -> int:
    """Build a Gradle project and profile its tests. Returns the exit code."""
    check_project(project)
    find_gradle(project, build.gradle)
    warn_about_patterns(project, options.tests)
    java: list[str] = []
    with owned_folder("navitas-bundles-") as folder, BackgroundContext(lambda: nullcontext(revision(project))) as git:

        def build_copies(progress: ConsoleProgress, virtual: bool) -> list[Bundle]:
            progress.stage("building")
            return build_copies_of(project, build, options, folder, progress, virtual=virtual, on_java=java.append)

        def origin(bundles: Sequence[Bundle]) -> Provenance:
            return provenance(java_versions(bundles, run), build_java=next(iter(java), None), revision=git.result())

        return _profile(build_copies, Path(os.path.realpath(project)).name, origin, options, report=report, run=run)


def build_copies_of(
    project: Path,
    build: BuildOptions,
    options: ProfileOptions,
    folder: Path,
    progress: ConsoleProgress,
    *,
    virtual: bool,
    on_java: Callable[[str], None],
    app_only: bool = False,
) -> list[Bundle]:
    """Build a project's bundles, and copy them to `folder`, since the next build can replace them during installation.

    With `app_only`, these are its Android apps without tests.
    """
    with project_lock(project, lambda: progress.stage("waiting for another profiling of this project")):
        provide = firmware.provide if virtual and not firmware.is_provided() else None
        built = build_bundles(
            project,
            **asdict(build),
            hooks=options.record != "none",
            probes=probes_of(options.granularity),
            app_only=app_only,
            virtual=virtual,
            provide=provide,
            on_line=progress.detail,
            on_java=on_java,
            on_left_out=lambda text: warning(printable(text, 1000)),
        )
        for text in unused_in_all([bundle.manifest.unused_excludes for bundle in built]):
            warning(printable(text, 1000))
        if virtual:
            ensure_framework(built, progress, project, build.gradle)
        return [bundle.copy_to(folder / f"{number}-{bundle.path.name}") for number, bundle in enumerate(built)]


def warn_about_patterns(project: Path, patterns: Sequence[str]) -> None:
    """Print a warning for each pattern that matches no source file. The build continues, since only it knows all tests."""
    for pattern, near in undeclared(project, patterns).items():
        nearest = f" (nearest: {', '.join(near)})" if near else ""
        warning(printable(f"--tests {pattern}: no source file declares this class{nearest}", 1000))


def profile_bundles(
    paths: Sequence[Path], options: ProfileOptions, report: ReportOptions, run: RunOptions, source: Path | None = None
) -> int:
    """Profile the bundles that a build made from the project in `source`. Returns the exit code."""
    bundles = open_bundles(paths)
    for bundle in bundles:
        check_probes(bundle, options)
        manifest = bundle.manifest
        if isinstance(manifest, AndroidManifest) and manifest.apks.test is None:
            raise UsageError(
                f"{bundle.path}: {manifest.package} has no instrumentation tests to profile",
                f"measure its use: navitas record {manifest.package} --bundle {bundle.path}",
            )
    with BackgroundContext(lambda: nullcontext(revision(source) if source is not None else None)) as git:

        def origin(bundles: Sequence[Bundle]) -> Provenance:
            return provenance(java_versions(bundles, run), revision=git.result())

        return _profile(lambda *_: bundles, bundles[0].manifest.project, origin, options, report=report, run=run)


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


def _profile(
    make: Callable[[ConsoleProgress, bool], Sequence[Bundle]],
    name: str,
    origin: Callable[[Sequence[Bundle]], Provenance],
    options: ProfileOptions,
    *,
    report: ReportOptions,
    run: RunOptions,
) -> int:
    """Profile the bundles that `make(progress, virtual)` returns. Returns the exit code.

    `origin` returns the recording's provenance. It is called after `make`.
    """

    def measure(device: Callable[[], Device], target: RecordingTarget, progress: ConsoleProgress) -> ProfilingOutcome:
        # A missing device on adb is reported before the build.
        virtual = is_virtual(run, device)
        bundles = make(progress, virtual)
        if virtual:
            ensure_framework(bundles, progress)
        if not virtual:
            bundles = phones().runnable_on_phone(device(), bundles)
        progress.stage("starting the virtual phone" if run.device == VIRTUAL else "connecting")
        settings = replace(options, provenance=origin(bundles))
        outcome: ProfilingOutcome = measuring().measure(
            device, bundles, settings, report=report, recording=target.folder(), lock=target.lock, progress=progress
        )
        return outcome

    return report_measured(measure, name, options, report, run)


def java_versions(bundles: Sequence[Bundle], run: RunOptions) -> set[str]:
    """Return the Java versions for a virtual phone that this command starts. A device on adb can use another Java."""
    return find_java_versions(bundles) if run.device == VIRTUAL else set()


def is_virtual(run: RunOptions, device: Callable[[], Device]) -> bool:
    """Whether the tests run on a virtual phone. A missing device is reported here."""
    return run.device == VIRTUAL or device().info.kind == "virtual"


def ensure_framework(
    bundles: Sequence[Bundle], progress: ConsoleProgress, project: Path | None = None, gradle: str | None = None
) -> None:
    """Fetch Android's framework for the virtual phone, if a bundle needs it and it isn't on this machine yet.

    Without `gradle`, the `gradlew` of the project fetches it, or one near the bundle.
    """
    android = [bundle for bundle in bundles if isinstance(bundle.manifest, AndroidManifest)]
    if android and not firmware.is_provided():
        progress.stage("fetching Android's framework (about 340 MB, once)")
        near = project or android[0].path.parent
        fetch_framework(near.absolute(), firmware.provide, gradle=gradle, on_line=progress.detail)


def report_measured(measure: Measure, name: str, options: ProfileOptions, report: ReportOptions, run: RunOptions) -> int:
    """Check the options, measure, analyze and report. Returns the exit code."""
    report.check(run.output)
    check_writable(run.output or RECORDINGS)
    if report.history is not None:
        importlib.import_module("navitas.cli.history_file").check_history(report.history)
    load_spec(find_profile(run.phone))
    check_options(options)
    with _recording_target(run.output, name) as target, ExitStack() as on_error, ConsoleProgress() as progress:
        with BackgroundContext(lambda: open_device(run)) as phone:
            outcome = measure(phone.result, target, progress)
            on_error.enter_context(measuring().name_recording_on_error(outcome.recording))
        progress.stage("analyzing")
        profile = measuring().load_profile(outcome.recording, report)
    return int(measuring().report_outcome(outcome, profile, report))


@dataclass(frozen=True, slots=True)
class RecordingTarget:
    """The folder of a recording, which the first call can create, and its lock if already acquired."""

    folder: Callable[[], Path]
    lock: FolderLock | None = None


@contextmanager
def _recording_target(output: Path | None, name: str) -> Iterator[RecordingTarget]:
    """Yield the target of a recording. A folder that the user named is locked before the build; a new folder needs no lock."""
    if output is None:
        yield RecordingTarget(lambda: default_recording(name))
        return
    with reserve_folder(output) as lock:
        yield RecordingTarget(lambda: output, lock)


def open_device(run: RunOptions) -> AbstractContextManager[Device]:
    """Return the device to measure on. Also imports the modules for measuring, on this background thread, while Gradle builds."""
    measuring()
    device: AbstractContextManager[Device] = phones().device_of(run.device, run.phone, run.user)
    return device


def phones() -> ModuleType:
    """Import the modules for devices."""
    return importlib.import_module("navitas.cli.phones")


def measuring() -> ModuleType:
    """Import the modules that measure."""
    return importlib.import_module("navitas.cli.measuring")


def default_recording(project: str) -> Path:
    """Create a folder in `navitas-recordings`, named by project and time."""
    # A bundle's project name can contain any character. A file name has at most 255 bytes.
    plain = "".join(char if char.isprintable() and char not in "/\\:" else "_" for char in project).lstrip(".")
    short = plain.encode("utf-8", "replace")[:200].decode("utf-8", "ignore") or "project"
    name = f"{short}-{datetime.now(UTC).strftime('%Y%m%dT%H%M%S')}"
    for number in itertools.count(1):
        folder = RECORDINGS / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise AssertionError("unreachable")
