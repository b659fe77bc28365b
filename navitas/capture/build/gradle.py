"""Run Gradle: instrument the user's unchanged project and build its bundles, or fetch Android's framework."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.base.errors import BuildError, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.base.user_folders import with_home
from navitas.capture.build.java import find_java, jar
from navitas.capture.build.process import run_received

if TYPE_CHECKING:
    from navitas.capture.build.gradle_results import GradleOutput
    from navitas.capture.bundle.manifest import Probes
    from navitas.capture.bundle.reader import Bundle

INIT_SCRIPT = Path(__file__).resolve().parent / "navitas.init.gradle"
TASK = "navitasReport"
_SETTINGS_FILES = ("settings.gradle", "settings.gradle.kts")
_BUILD_FILES = ("build.gradle", "build.gradle.kts", *_SETTINGS_FILES)
_FRAMEWORK_TASK = "navitasFramework"
# The plugin lists the required files, as in a user's build.
_FRAMEWORK_BUILD = """\
buildscript {{ dependencies {{ classpath files({plugin}) }} }}
apply plugin: 'java'
repositories {{
    mavenCentral()
    google()
}}
def framework = org.navitas.gradle.android.Framework.of(project)
task {task} {{
    doLast {{
        def report = [module: ':', kind: 'other', variant: null, bundle: null, framework: framework.collect {{ it.absolutePath }}]
        println 'navitas-project ' + groovy.json.JsonOutput.toJson(report)
    }}
}}
"""
_JAR_BUILD = """\
repositories {{ mavenCentral() }}
configurations {{ wanted }}
dependencies {{ wanted '{coordinates}@jar' }}
task navitasJar(type: Copy) {{
    from configurations.wanted
    into 'jar'
}}
"""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What to build of a project, and which classes get which probes."""

    gradle: str | None = None
    """A Gradle launcher or installation; None: the project's gradlew, else the one on PATH."""
    module: str | None = None
    """The path of the only module to build, such as `:app`."""
    variant: str | None = None
    """The Android variant; None: the only one with tests."""
    instrument_tests: bool = True
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    test_task: str | None = None
    """The task with the tests; None: `test`."""
    skip_trivial: bool = False
    hooks: bool = False
    """Hook the app's calls of input, output and device APIs."""
    hook_libraries: bool = False
    """With `hooks`, also hook those of all libraries."""
    block_edits: Path | None = None
    """A file with blocks to remove or repeat (docs/dev/formats.md, "Block edits")."""
    probes: Probes = "methods"
    """The kind of probes. Only those of methods can have hooks."""

    @property
    def module_path(self) -> str:
        """The path of the only module to build, with the colon that the user can leave out; empty: all."""
        return "" if self.module is None else f":{self.module.strip(':')}"


DEFAULTS = BuildOptions()


def build_bundles(
    project: Path,
    options: BuildOptions = DEFAULTS,
    *,
    app_only: bool = False,
    virtual: bool = True,
    provide: Callable[[Sequence[Path]], None] | None = None,
    on_line: Callable[[str], None] = lambda line: None,
    on_java: Callable[[str], None] = lambda version: None,
    on_left_out: Callable[[str], None] = lambda text: None,
) -> list[Bundle]:
    """Build the project's instrumented bundles, one for each module with tests, in the order of module paths.

    `app_only` makes bundles of the build's Android apps without their tests, to record the apps in use.
    `virtual` adds what a virtual phone needs in addition to the APKs of an Android module. `provide` receives the files of
    Android's framework from the build's own repositories; without it the build does not resolve them.
    `on_line` receives Gradle's output, `on_java` the version of the Java that Gradle ran on, and `on_left_out` each module that
    the build leaves out although it has code or tests, and why.
    The user's files are not changed.

    Raises `UsageError` if this is not a Gradle project, if it has no such module or variant, if a variant must be chosen, or if
    the build turns the probes of all modules off.
    Raises `BuildError` if the build fails or has no bundle.
    """
    check_project(project)
    root = Path(os.path.realpath(project))
    launcher = find_gradle(root, options.gradle)
    find_java()
    module = options.module
    task = f"{options.module_path}:{TASK}".replace("::", ":") if module is not None else TASK
    plugin = jar("navitas-gradle-plugin.jar")
    command = [
        *launcher, "--console=plain", "--init-script", str(INIT_SCRIPT), "-p", str(root),
        # The init script configures projects that do not apply the plugin, which isolated projects do not allow.
        "-Dorg.gradle.unsafe.isolated-projects=false",
        f"-Pnavitas.pluginJar={plugin}",
        # Gradle's configuration cache knows the jar by its path alone; another jar must not find the old one's entry.
        f"-Pnavitas.pluginHash={hashlib.sha256(plugin.read_bytes()).hexdigest()[:16]}",
        *_properties(options),
        *(["-Pnavitas.appOnly=true"] if app_only else []),
        *([] if virtual else ["-Pnavitas.jvm=false"]),
        *([] if provide is None else ["-Pnavitas.framework=true"]),
        task,
    ]  # fmt: skip
    exit_code, output = _run(command, root, on_line)
    from navitas.capture.build.gradle_results import bundles_of, failure_of, left_out  # noqa: PLC0415

    if exit_code != 0:
        raise failure_of(project, module, exit_code, output, launcher, app_only=app_only)
    bundles = bundles_of(project, options.test_task, options.variant, output, app_only=app_only)
    for text in left_out(output):
        on_left_out(text)
    if java := next((report.java for report in output.reports if report.java), None):
        on_java(java)
    framework = next((report.framework for report in output.reports if report.framework), None)
    if provide is not None and framework:
        provide([Path(file) for file in framework])
    return bundles


def _run(command: Sequence[str], folder: Path, on_line: Callable[[str], None]) -> tuple[int, GradleOutput]:
    """Run Gradle. While it starts, the modules load that read its output and bundles."""

    def make_output() -> GradleOutput:
        from navitas.capture.build.gradle_results import GradleOutput  # noqa: PLC0415

        return GradleOutput(on_line)

    return run_received(command, cwd=folder, make_receiver=make_output)


def _properties(options: BuildOptions) -> list[str]:
    """Return the plugin's properties that differ from their defaults."""
    # A comma divides patterns. In a method's name, which Kotlin allows, a star stands for it.
    excluded = [pattern.replace(",", "*") if "#" in pattern else pattern for pattern in options.exclude]
    edits = None if options.block_edits is None else options.block_edits.absolute()
    values = {
        "instrumentTests": None if options.instrument_tests else "false",
        "include": ",".join(options.include) or None,
        "exclude": ",".join(excluded) or None,
        "testTask": options.test_task,
        "skipTrivial": "true" if options.skip_trivial else None,
        "hooks": "true" if options.hooks else None,
        "hookLibraries": "true" if options.hook_libraries else None,
        "blockEdits": edits,
        "probes": None if options.probes == "methods" else options.probes,
        "variant": options.variant,
    }
    return [f"-Pnavitas.{name}={value}" for name, value in values.items() if value is not None]


def is_project(folder: Path) -> bool:
    """Whether this is the folder of a Gradle project."""
    return any((folder / name).is_file() for name in _BUILD_FILES)


def check_project(project: Path) -> None:
    """Raise `UsageError` if this is not the folder of a Gradle project."""
    remedy = "Name the folder that holds the project's build.gradle."
    if not project.exists():
        raise UsageError(f"no such folder: {project}", remedy)
    if not is_project(project):
        raise UsageError(f"{project} is not a Gradle project: it has no {' or '.join(_BUILD_FILES[::2])}", remedy)


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


def fetch_framework(
    near: Path,
    provide: Callable[[Sequence[Path]], None],
    *,
    gradle: str | None = None,
    on_line: Callable[[str], None] = lambda line: None,
) -> None:
    """Fetch the framework's files from Maven Central and Google's repository, and pass them to `provide`.

    `gradle` is a Gradle launcher or installation. None: the `gradlew` of the project around `near`, else the one on PATH.
    Raises `BuildError` if there is none, or if it cannot fetch the files.
    """
    launcher = find_gradle(near, gradle)
    find_java()
    with owned_folder("navitas-framework-") as folder:
        text = _FRAMEWORK_BUILD.format(
            plugin=json.dumps(str(jar("navitas-gradle-plugin.jar"))).replace("$", "\\$"), task=_FRAMEWORK_TASK
        )
        (folder / "build.gradle").write_text(text, "utf-8")
        (folder / "settings.gradle").write_text("rootProject.name = 'framework'\n", "utf-8")
        command = [*launcher, "--console=plain", "-p", str(folder), "-Pnavitas.framework=true", _FRAMEWORK_TASK]
        exit_code, output = _run(command, folder, on_line)
        files = [Path(file) for report in output.reports for file in report.framework or ()]
        if exit_code != 0 or not files:
            last_lines = "\n".join(f"  {line}" for line in output.tail())
            raise BuildError(
                f"Android's framework cannot be fetched by {launcher[-1]} (exit code {exit_code}). Its last lines:\n{last_lines}",
                "Check that this machine can reach Maven Central and Google's Maven repository. Or run `navitas profile` on an"
                " Android project: its build fetches the framework from its own repositories.",
            )
        provide(files)


def fetch_jar(
    coordinates: str,
    near: Path,
    provide: Callable[[Path], None],
    *,
    gradle: str | None = None,
    on_line: Callable[[str], None] = lambda line: None,
) -> None:
    """Fetch a jar from Maven Central and pass it to `provide`. `gradle` and `near` are as for `fetch_framework`.

    Raises `BuildError` if there is no Gradle, or if it cannot fetch the jar.
    """
    launcher = find_gradle(near, gradle)
    find_java()
    with owned_folder("navitas-jar-") as folder:
        (folder / "build.gradle").write_text(_JAR_BUILD.format(coordinates=coordinates), "utf-8")
        (folder / "settings.gradle").write_text("rootProject.name = 'jar'\n", "utf-8")
        exit_code, output = _run([*launcher, "--console=plain", "-p", str(folder), "navitasJar"], folder, on_line)
        jars = sorted((folder / "jar").glob("*.jar"))
        if exit_code != 0 or not jars:
            last_lines = "\n".join(f"  {line}" for line in output.tail())
            raise BuildError(
                f"{coordinates} cannot be fetched by {launcher[-1]} (exit code {exit_code}). Its last lines:\n{last_lines}",
                "Check that this machine can reach Maven Central, or its mirror in Gradle's settings.",
            )
        provide(jars[0])
