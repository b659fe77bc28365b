"""The bundles of a build, or the error that explains why there are none."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from navitas.base.errors import BuildError, UsageError
from navitas.capture.bundle.reader import Bundle, open_bundles

_NO_PLATFORM_TESTS = "Could not find method useJUnitPlatform()"
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
TAIL_LINES = 20
_REPORT = "navitas-project "
_VERSION = "navitas-gradle "
_FAILURE = "navitas-failure "
# Lines in which a launcher script names its Java.
_JAVA_NAME = re.compile(r"(openjdk|java) version \"|OpenJDK (Runtime|64-Bit)|Java\(TM\)")
_STACK_FRAME = re.compile(r"\s+at [\w.$/@]+\.[\w$<>]+\(")


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
    has_app: bool = False
    """Whether the module has an app without tests, whose use can be recorded."""
    left_out: str | None = None
    """Why the module or the variant gets no probes, as the end of a sentence about the module."""
    java: str | None = None
    """The version of the Java that Gradle runs on."""


class GradleOutput:
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
            raise BuildError(f"the Gradle plugin printed {line!r}", "Use the same Navitas in your build.") from error
        if line.startswith(_VERSION):
            self.version = line.removeprefix(_VERSION).strip()
            return
        self.lines.append(line)
        self._on_line(line)

    def tail(self) -> list[str]:
        """Return the last lines, without Gradle's general advice, the name of its Java, and the frames of stack traces."""
        lines = [line for line in self.lines if not _JAVA_NAME.match(line) and not _STACK_FRAME.match(line)]
        for index, line in enumerate(lines):
            if line.startswith("* Try:"):
                lines = lines[:index]
                break
        while lines and not lines[-1].strip():
            lines.pop()
        return lines[-TAIL_LINES:]


def failure_of(
    project: Path, module: str | None, exit_code: int, output: GradleOutput, launcher: Sequence[str], *, app_only: bool
) -> BuildError | UsageError:
    """Return the error of a failed build, with its cause as far as Gradle's output shows it."""
    tail = output.tail()
    if output.failure is not None and output.failure.code == "no_variant":
        return _no_variant(project, output.failure.variant, ", ".join(output.failure.known), app_only=app_only)
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
    output_text = "\n".join([*ours[-TAIL_LINES:], *(f"  {line}" for line in tail)])
    tasks = "assembleDebug`" if app_only else "testClasses` (Android: `assembleDebugAndroidTest`)"
    return BuildError(
        f"{project}: the Gradle build failed (exit code {exit_code}). Its last lines:\n{output_text}",
        f"Make `{launcher[-1]} {tasks} work in this project first, or name another Gradle with --gradle.",
    )


def _no_variant(project: Path, variant: str, names: str, *, app_only: bool) -> UsageError:
    return UsageError(
        f"{project}: no module has a variant {variant!r} {'of an app' if app_only else 'with tests'}",
        f"name one with --variant: {names}",
    )


def bundles_of(
    project: Path, test_task: str | None, variant: str | None, output: GradleOutput, *, app_only: bool
) -> list[Bundle]:
    """Return the bundles that a build reported. Raises `UsageError` or `BuildError` if there is none to measure."""
    reports = sorted(output.reports, key=lambda report: (report.module, report.variant or ""))
    _check_variants(project, variant, reports, app_only=app_only)
    bundles = open_bundles([Path(report.bundle) for report in reports if report.bundle is not None])
    kinds = {report.kind for report in reports}
    if not bundles:
        can_record = not app_only and any(one.has_app for one in reports)
        use = f"record a use of the app: navitas record {project}" if can_record else ""
        if refusals := [f"the module {report.module} {report.left_out}" for report in reports if report.left_out is not None]:
            verb = "record" if app_only else "profile"
            remedy = f"Change what it names{f', or {use}' if use else f', and {verb} the project again.'}"
            raise UsageError(f"{project}: nothing to {verb}: {'; '.join(refusals)}", remedy)
        if app_only:
            raise UsageError(
                f"{project} has no Android app to record{_modules(reports, 'android')}",
                "Name the project of an app, or with --module the module of an app.",
            )
        if "java" in kinds and test_task is not None:
            raise UsageError(
                f"{project}: no module has a test task {test_task!r} with tests{_modules(reports, 'java')}",
                "Name another one with --test-task, or leave it out.",
            )
        if "android" in kinds:
            raise BuildError(
                f"{project} has no instrumentation tests to profile{_modules(reports, 'android')}",
                f"Add JUnit tests under src/androidTest/java{f', or {use}' if use else '.'}",
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


def left_out(output: GradleOutput) -> list[str]:
    """Return which modules were left out of a build that has bundles, and why, as sentences about them."""
    measured = {one.module for one in output.reports if one.bundle is not None}
    return [f"the module {one.module} {one.left_out}" for one in output.reports if one.left_out and one.module not in measured]


def _modules(reports: Sequence[ProjectReport], kind: str) -> str:
    """Return the modules of a kind, as the end of an error message."""
    names = dict.fromkeys(report.module for report in reports if report.kind == kind)
    return f" (searched: {', '.join(names)})" if names else ""


def _check_variants(project: Path, variant: str | None, reports: Sequence[ProjectReport], *, app_only: bool) -> None:
    """Check that a variant is named if a module has several, and that some module has the named variant."""
    undecided = [report for report in reports if report.variant is not None and report.bundle is None and not report.left_out]
    names = ", ".join(f"{report.variant} ({report.module})" for report in reports if report.variant is not None)
    if variant is not None and names and all(report.variant != variant for report in reports):
        raise _no_variant(project, variant, names, app_only=app_only)
    if undecided and variant is None:
        listed = ", ".join(f"{report.variant}" for report in undecided if report.module == undecided[0].module)
        raise UsageError(
            f"{project}: the module {undecided[0].module} has several variants: {listed}",
            f"choose one with --variant, such as --variant {undecided[0].variant}",
        )
