"""Fetch Android's framework for a virtual phone with a separate Gradle build, if no Android project is built."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from navitas.build.gradle import find_gradle, run_gradle
from navitas.build.jars import jar
from navitas.build.java import find_java
from navitas.errors import BuildError
from navitas.owned_folder import owned_folder

_TASK = "navitasFramework"
# The plugin lists the required files, as in a user's build.
_BUILD = """\
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
        text = _BUILD.format(plugin=json.dumps(str(jar("navitas-gradle-plugin.jar"))).replace("$", "\\$"), task=_TASK)
        (folder / "build.gradle").write_text(text, "utf-8")
        (folder / "settings.gradle").write_text("rootProject.name = 'framework'\n", "utf-8")
        command = [*launcher, "--console=plain", "-p", str(folder), "-Pnavitas.framework=true", _TASK]
        exit_code, reports, tail = run_gradle(command, folder, on_line)
        files = [Path(file) for report in reports for file in report.framework or ()]
        if exit_code != 0 or not files:
            last_lines = "\n".join(f"  {line}" for line in tail)
            raise BuildError(
                f"Android's framework cannot be fetched by {launcher[-1]} (exit code {exit_code}). Its last lines:\n{last_lines}",
                "Check that this machine can reach Maven Central and Google's Maven repository. Or run `navitas profile` on an"
                " Android project: its build fetches the framework from its own repositories.",
            )
        provide(files)
