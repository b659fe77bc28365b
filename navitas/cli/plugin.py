"""`navitas plugin`: the Gradle plugin for builds that profile themselves."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from navitas import __version__
from navitas.build.home import with_home
from navitas.build.plugin_repository import LOCAL, install_plugin
from navitas.cli.paths import FOLDER

_SNIPPET = """\
// settings.gradle, at its top; keep the repositories that it names already, such as google()
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

// build.gradle of each Android module to profile: one more line beside the Android plugin that it applies
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


@click.command("plugin")
@click.option(
    "--repository",
    type=FOLDER,
    default=LOCAL,
    show_default=True,
    metavar="DIR",
    help="The Maven repository to put it into.",
)
def command(repository: Path) -> None:
    """Install the Gradle plugin and print how a build applies it.

    The plugin goes into a Maven repository on this machine, once for each version of Navitas; then `gradle navitasProfile` works
    in every build that applies it.
    """
    root = install_plugin(repository)
    place = "mavenLocal()" if root == with_home(LOCAL) else f"maven {{ url = uri('{_quoted(root)}') }}"
    click.echo(f"installed: {root}", err=True)
    click.echo(_SNIPPET.format(repository=place, version=__version__), nl=False)
    program = Path(sys.executable).with_name("navitas")
    if shutil.which("navitas") is None and program.is_file():
        click.echo(_EXECUTABLE.format(program=_quoted(program)), nl=False)
    click.echo("then: gradle navitasProfile", err=True)


def _quoted(path: Path) -> str:
    """A path inside of a Groovy string."""
    return str(path).replace("\\", "\\\\").replace("'", "\\'")
