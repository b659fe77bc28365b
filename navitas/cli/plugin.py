"""`navitas plugin`: the Gradle plugin for builds that profile themselves."""

from __future__ import annotations

from pathlib import Path

import click

from navitas import __version__
from navitas.build.plugin_repository import LOCAL, install_plugin

_SNIPPET = """\
// settings.gradle, at its top
pluginManagement {{
    repositories {{
        {repository}
        gradlePluginPortal()
    }}
}}

// build.gradle of each module to profile
plugins {{
    id 'java'
    id 'org.navitas' version '{version}'
}}
"""


@click.command("plugin")
@click.option(
    "--repository",
    type=click.Path(path_type=Path),
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
    quoted = str(root).replace("\\", "\\\\").replace("'", "\\'")
    place = "mavenLocal()" if root == LOCAL.expanduser() else f"maven {{ url = uri('{quoted}') }}"
    click.echo(f"installed: {root}", err=True)
    click.echo(_SNIPPET.format(repository=place, version=__version__), nl=False)
