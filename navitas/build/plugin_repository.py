"""The Gradle plugin in a Maven repository on disk, where `plugins { id 'org.navitas' }` finds it."""

from __future__ import annotations

import shutil
from pathlib import Path

from navitas import __version__
from navitas.build.jars import jar
from navitas.errors import BuildError

LOCAL = Path("~/.m2/repository")
_GROUP = "org.navitas"
_ARTIFACT = "navitas-gradle-plugin"
# Gradle asks for this artifact when a build names the plugin's id; it leads to the jar.
_MARKER = "org.navitas.gradle.plugin"

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
{rest}</project>
"""
_TO_JAR = """  <packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
  </dependencies>
"""


def install_plugin(repository: Path) -> Path:
    """Write this version's plugin into a Maven repository, replacing what is there of it; returns the repository's path.

    Raises `BuildError` when it cannot be written.
    """
    root = repository.expanduser().absolute()
    plugin = jar(f"{_ARTIFACT}.jar")
    names = {"group": _GROUP, "artifact": _ARTIFACT, "version": __version__}
    try:
        folder = _folder(root, _ARTIFACT)
        part = folder / f"{_ARTIFACT}-{__version__}.jar.part"
        shutil.copyfile(plugin, part)
        part.replace(part.with_suffix(""))
        (folder / f"{_ARTIFACT}-{__version__}.pom").write_text(_POM.format(**names, rest=""))
        marker = _POM.format(group=_GROUP, artifact=_MARKER, version=__version__, rest=_TO_JAR.format(**names))
        (_folder(root, _MARKER) / f"{_MARKER}-{__version__}.pom").write_text(marker)
    except OSError as error:
        raise BuildError(
            f"{error.filename or root}: {error.strerror}", "Name a folder that can be written with --repository."
        ) from error
    return root


def _folder(root: Path, artifact: str) -> Path:
    folder = root.joinpath(*_GROUP.split("."), artifact, __version__)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
