"""`navitas plugin`: installs the Gradle plugin, for builds that run the profiler."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from navitas import __version__
from navitas.base.user_folders import with_home
from navitas.capture.build.plugin_repository import LOCAL, install_plugin
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import location, next_step
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import FOLDER

_SNIPPET = """\
// settings.gradle, at its top; keep the repositories that it already has, such as google()
pluginManagement {{
    repositories {{
        {repository}
        gradlePluginPortal()
    }}
}}

// build.gradle of each Java module to profile
plugins {{
    id 'java'
    id 'org.navitas' version '{version}'
}}

// build.gradle of each Android module to profile: add one line to its plugins
plugins {{
    id 'com.android.application'  // or 'com.android.library'
    id 'org.navitas' version '{version}'
}}
"""
_EXECUTABLE = """
// `navitas` is not on PATH
navitas {{
    executable = '{program}'
}}
"""


@click.command("plugin", cls=NavitasCommand, example="navitas plugin")
@option("--repository", type=FOLDER, default=LOCAL, metavar="DIR", help="The Maven repository to install it in.")
@json_option
def command(repository: Path, json_file: Path | None) -> None:
    """Install the Gradle plugin and print how a build applies it.

    The plugin goes into a Maven repository on this machine, once for each version of Navitas. You can then run `gradle
    navitasProfile` in each build that applies it.
    """
    root = install_plugin(repository)
    maven = "mavenLocal()" if root == with_home(LOCAL) else f"maven {{ url = uri('{_quoted(root)}') }}"
    snippet = _SNIPPET.format(repository=maven, version=__version__)
    is_text = write_json(json_file, repository=str(root), version=__version__, snippet=snippet)
    location(f"installed: {root}")
    if not is_text:
        return
    click.echo(snippet, nl=False)
    program = Path(sys.executable).with_name("navitas")
    if shutil.which("navitas") is None and program.is_file():
        click.echo(_EXECUTABLE.format(program=_quoted(program)), nl=False)
    next_step("gradle navitasProfile")


def _quoted(path: Path) -> str:
    """Escape a path for a Groovy string."""
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
