"""Run Gradle: instrument the user's unchanged project and build its bundles."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from navitas.build.home import with_home
from navitas.build.jars import jar
from navitas.build.java import find_java
from navitas.build.process import run_streaming
from navitas.bundle.manifest import Probes
from navitas.bundle.reader import Bundle, open_bundles
from navitas.errors import BuildError, UsageError

INIT_SCRIPT = Path(__file__).resolve().parent / "navitas.init.gradle"
TASK = "navitasReport"
_SETTINGS_FILES = ("settings.gradle", "settings.gradle.kts")
_BUILD_FILES = ("build.gradle", "build.gradle.kts", *_SETTINGS_FILES)
_REPORT = "navitas-project "
_VERSION = "navitas-gradle "
_TAIL_LINES = 20
# Lines in which a launcher script names its Java.
_JAVA_NAME = re.compile(r"(openjdk|java) version \"|OpenJDK (Runtime|64-Bit)|Java\(TM\)")
_NO_PLATFORM_TESTS = "Could not find method useJUnitPlatform()"
_FAILURE = "navitas-failure "
_OURS = "navitas: "
# Phrases in a line of Gradle's output, the text to put before that line, and a remedy.
_KNOWN_FAILURES = (
    (
        ("SDK location not found", "does not contain an Android SDK", "The SDK directory"),
        "",
        "Set ANDROID_HOME to the folder of an Android SDK.",
    ),
    (
        ("Failed to find target with hash string", "Failed to install the following Android SDK packages"),
        "",
        "Install what the build needs with `sdkmanager`, or set ANDROID_HOME to another Android SDK.",
    ),
    (
        ("JAVA_COMPILER", "No Java compiler found", "Could not find tools.jar", "not a JDK"),
        "the Java that Gradle runs on has no compiler: ",
        "Install a JDK, or set JAVA_HOME to one.",
    ),
    (
        ("Plugin [id: 'org.navitas'",),
        "",
        "The build applies the plugin itself, so install it with `navitas plugin`, and check its version and repository.",
    ),
)


class Failure(BaseModel):
    """Why the plugin fails the build, on one line of the build's output: `no_variant`, with the `known` variants."""

    code: str
    variant: str = ""
    known: list[str] = []


class ProjectReport(BaseModel):
    """The plugin's report on one Gradle project, on one line of the build's output."""

    module: str
    kind: Literal["java", "android", "other"]
    variant: str | None = None
    bundle: str | None
    framework: list[str] | None = None
    left_out: str | None = None
    """Why the module or the variant gets no probes, as the end of a sentence about the module."""
    java: str | None = None
    """The version of the Java that Gradle runs on."""


def build_bundles(
    project: Path,
    *,
    gradle: str | None = None,
    module: str | None = None,
    variant: str | None = None,
    instrument_tests: bool = True,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    test_task: str | None = None,
    skip_trivial: bool = False,
    hooks: bool = False,
    hook_libraries: bool = False,
    block_edits: Path | None = None,
    probes: Probes = "methods",
    virtual: bool = True,
    provide: Callable[[Sequence[Path]], None] | None = None,
    on_line: Callable[[str], None] = lambda line: None,
    on_java: Callable[[str], None] = lambda version: None,
) -> list[Bundle]:
    """Build the project's instrumented bundles, one for each module with tests, in the order of module paths.

    `gradle` is a Gradle launcher or installation (None: the project's gradlew, else the one on PATH).
    `module` is the path of the only module to build, such as `:app`. `test_task` is the task with the tests (None: `test`).
    `probes` is the kind of probes; only those of methods can have hooks.
    `hooks` hooks the app's calls of input, output and device APIs, `hook_libraries` also those of all libraries.
    `block_edits` is a file with blocks to remove or repeat (docs/dev/formats.md, "Block edits").
    `variant` is the Android variant (None: the only one with tests).
    `virtual` adds what a virtual phone needs in addition to the APKs of an Android module. `provide` receives the files of
    Android's framework from the build's own repositories; without it the build does not resolve them.
    `on_line` receives Gradle's output, `on_java` the version of the Java that Gradle ran on.
    The user's files are not changed.

    Raises `UsageError` if this is not a Gradle project, if it has no such module or variant, if a variant must be chosen, or if
    the build turns the probes of all modules off.
    Raises `BuildError` if the build fails or has no bundle.
    """
    check_project(project)
    root = Path(os.path.realpath(project))
    launcher = find_gradle(root, gradle)
    find_java()
    task = f":{module.strip(':')}:{TASK}".replace("::", ":") if module is not None else TASK
    plugin = jar("navitas-gradle-plugin.jar")
    command = [
        *launcher, "--console=plain", "--init-script", str(INIT_SCRIPT), "-p", str(root),
        # The init script configures projects that do not apply the plugin, which isolated projects do not allow.
        "-Dorg.gradle.unsafe.isolated-projects=false",
        f"-Pnavitas.pluginJar={plugin}",
        # Gradle's configuration cache knows the jar by its path alone; another jar must not find the old one's entry.
        f"-Pnavitas.pluginHash={hashlib.sha256(plugin.read_bytes()).hexdigest()[:16]}",
        *([] if instrument_tests else ["-Pnavitas.instrumentTests=false"]),
        *([f"-Pnavitas.include={','.join(include)}"] if include else []),
        *([f"-Pnavitas.exclude={','.join(exclude)}"] if exclude else []),
        *([f"-Pnavitas.testTask={test_task}"] if test_task is not None else []),
        *(["-Pnavitas.skipTrivial=true"] if skip_trivial else []),
        *(["-Pnavitas.hooks=true"] if hooks else []),
        *(["-Pnavitas.hookLibraries=true"] if hook_libraries else []),
        *([f"-Pnavitas.blockEdits={block_edits.absolute()}"] if block_edits is not None else []),
        *([f"-Pnavitas.probes={probes}"] if probes != "methods" else []),
        *([f"-Pnavitas.variant={variant}"] if variant is not None else []),
        *([] if virtual else ["-Pnavitas.jvm=false"]),
        *([] if provide is None else ["-Pnavitas.framework=true"]),
        task,
    ]  # fmt: skip
    output = _Output(on_line)
    exit_code = run_streaming(command, cwd=root, on_line=output)
    if exit_code != 0:
        raise _failure(project, module, exit_code, output, launcher)
    bundles = _bundles(project, test_task, variant, output)
    if java := next((report.java for report in output.reports if report.java), None):
        on_java(java)
    framework = next((report.framework for report in output.reports if report.framework), None)
    if provide is not None and framework:
        provide([Path(file) for file in framework])
    return bundles


def check_project(project: Path) -> None:
    """Raise `UsageError` if this is not the folder of a Gradle project."""
    remedy = "Name the folder that holds the project's build.gradle."
    if not project.exists():
        raise UsageError(f"no such folder: {project}", remedy)
    if not any((project / name).is_file() for name in _BUILD_FILES):
        raise UsageError(f"{project} is not a Gradle project: it has no {' or '.join(_BUILD_FILES[::2])}", remedy)


def run_gradle(
    command: Sequence[str], cwd: Path, on_line: Callable[[str], None]
) -> tuple[int, list[ProjectReport], Sequence[str]]:
    """Run Gradle. Returns its exit code, the plugin's reports, and the last lines of the other output."""
    output = _Output(on_line)
    exit_code = run_streaming(command, cwd=cwd, on_line=output)
    return exit_code, output.reports, output.tail()


class _Output:
    """Receives Gradle's lines: keeps the plugin's reports, and passes on all others."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self.reports: list[ProjectReport] = []
        self.failure: Failure | None = None
        self.version = ""
        """Gradle's version; empty if a cached configuration skips the init script."""
        self.lines: deque[str] = deque(maxlen=400)

    def __call__(self, line: str) -> None:
        try:
            if line.startswith(_REPORT):
                self.reports.append(ProjectReport.model_validate_json(line.removeprefix(_REPORT)))
                return
            if line.startswith(_FAILURE):
                self.failure = Failure.model_validate_json(line.removeprefix(_FAILURE))
                return
        except ValidationError as error:
            raise BuildError(f"the Gradle plugin output_text {line!r}", "Use the same Navitas in your build.") from error
        if line.startswith(_VERSION):
            self.version = line.removeprefix(_VERSION).strip()
            return
        self.lines.append(line)
        self._on_line(line)

    def tail(self) -> list[str]:
        """Return the last lines, without Gradle's general advice and the name of its Java."""
        lines = [line for line in self.lines if not _JAVA_NAME.match(line)]
        for index, line in enumerate(lines):
            if line.startswith("* Try:"):
                lines = lines[:index]
                break
        while lines and not lines[-1].strip():
            lines.pop()
        return lines[-_TAIL_LINES:]


def find_gradle(project: Path, gradle: str | None) -> list[str]:
    """Return the command that starts Gradle: `--gradle`, else the project's wrapper, else `gradle` on PATH."""
    if gradle is not None:
        given = with_home(gradle)
        for candidate in (given / "bin" / "gradle", given):
            if candidate.is_file() and os.access(candidate, os.X_OK):
                return [str(candidate.resolve())]
        found = shutil.which(gradle)
        if found is None:
            raise UsageError(f"no Gradle at {gradle}", "Give --gradle the path of a `gradle` script or of a Gradle installation.")
        return [found]
    for folder in (project, *project.parents):
        if (folder / "gradlew").is_file() and _is_trusted(folder / "gradlew", project):
            return ["sh", str(folder / "gradlew")]
        if any((folder / name).is_file() for name in _SETTINGS_FILES):
            break
    found = shutil.which("gradle")
    if found is None:
        raise BuildError(
            f"no Gradle found: {project} has no gradlew and there is no `gradle` on PATH",
            "Install Gradle (on Debian: apt install gradle), add a wrapper to the project, or name one with --gradle.",
        )
    return [found]


def _is_trusted(wrapper: Path, project: Path) -> bool:
    """Return whether the wrapper belongs to this user, to root, or to the owner of the project, whose code runs anyway.

    Any user can put a wrapper into /tmp, above a project that has none.
    """
    known = {0, os.getuid(), project.stat().st_uid}
    return wrapper.lstat().st_uid in known and wrapper.stat().st_uid in known


def _failure(
    project: Path, module: str | None, exit_code: int, output: _Output, launcher: Sequence[str]
) -> BuildError | UsageError:
    tail = output.tail()
    if output.failure is not None and output.failure.code == "no_variant":
        return _no_variant(project, output.failure.variant, ", ".join(output.failure.known))
    for line in tail:
        if module is not None and "not found in" in line and "project" in line.lower():
            return UsageError(f"{project}: {line.strip()}", "Name the module by its Gradle path, such as :app.")
        if _NO_PLATFORM_TESTS in line:
            return BuildError(
                f"{project}: this build's tests use the JUnit Platform (useJUnitPlatform()), which needs Gradle 4.6 or later;"
                f" this is Gradle {output.version or 'before that'} ({launcher[-1]})",
                "Add the wrapper of a newer Gradle to the project (gradlew), or name one with --gradle.",
            )
        for phrases, prefix, remedy in _KNOWN_FAILURES:
            if any(phrase in line for phrase in phrases):
                return BuildError(f"{project}: {prefix}{line.strip().lstrip('> ')}", remedy)
    ours = [f"  {line}" for line in dict.fromkeys(output.lines) if line.startswith(_OURS) and line not in tail]
    output_text = "\n".join([*ours[-_TAIL_LINES:], *(f"  {line}" for line in tail)])
    return BuildError(
        f"{project}: the Gradle build failed (exit code {exit_code}). Its last lines:\n{output_text}",
        f"Make `{launcher[-1]} testClasses` (Android: `assembleDebugAndroidTest`) work in this project first,"
        " or name another Gradle with --gradle.",
    )


def _no_variant(project: Path, variant: str, names: str) -> UsageError:
    return UsageError(f"{project}: no module has a variant {variant!r} with tests", f"name one with --variant: {names}")


def _bundles(project: Path, test_task: str | None, variant: str | None, output: _Output) -> list[Bundle]:
    reports = sorted(output.reports, key=lambda report: (report.module, report.variant or ""))
    _check_variants(project, variant, reports)
    bundles = open_bundles([Path(report.bundle) for report in reports if report.bundle is not None])
    kinds = {report.kind for report in reports}
    if not bundles:
        if refusals := [f"the module {report.module} {report.left_out}" for report in reports if report.left_out is not None]:
            raise UsageError(
                f"{project}: nothing to profile: {'; '.join(refusals)}", "Change what it names, and profile the project again."
            )
        if "java" in kinds and test_task is not None:
            raise UsageError(
                f"{project}: no module has a test task {test_task!r} with tests{_modules(reports, 'java')}",
                "Name another one with --test-task, or leave it out.",
            )
        if "android" in kinds:
            raise BuildError(
                f"{project} has no instrumentation tests to profile{_modules(reports, 'android')}",
                "Add JUnit tests under src/androidTest/java.",
            )
        if "java" in kinds:
            raise BuildError(
                f"{project} has no tests to profile{_modules(reports, 'java')}", "Add JUnit tests under src/test/java."
            )
        raise BuildError(
            f"{project}: no project of this build applies the `java` plugin or an Android plugin",
            "Name a project with Java or Android code.",
        )
    return bundles


def _modules(reports: Sequence[ProjectReport], kind: str) -> str:
    """Return the modules of a kind, as the end of an error message."""
    names = dict.fromkeys(report.module for report in reports if report.kind == kind)
    return f" (searched: {', '.join(names)})"


def _check_variants(project: Path, variant: str | None, reports: Sequence[ProjectReport]) -> None:
    """Check that a variant is named if a module has several, and that some module has the named variant."""
    undecided = [report for report in reports if report.variant is not None and report.bundle is None and not report.left_out]
    names = ", ".join(f"{report.variant} ({report.module})" for report in reports if report.variant is not None)
    if variant is not None and names and all(report.variant != variant for report in reports):
        raise _no_variant(project, variant, names)
    if undecided and variant is None:
        listed = ", ".join(f"{report.variant}" for report in undecided if report.module == undecided[0].module)
        raise UsageError(
            f"{project}: the module {undecided[0].module} has several variants: {listed}",
            f"choose one with --variant, such as --variant {undecided[0].variant}",
        )
