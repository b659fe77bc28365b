"""Install the Gradle plugin into a Maven repository on disk, for `plugins { id 'org.navitas' }`."""

from __future__ import annotations

from pathlib import Path

from navitas import __version__
from navitas.build.home import with_home
from navitas.build.jars import jar
from navitas.errors import BuildError
from navitas.new_files import remove_abandoned, write_new

LOCAL = Path("~/.m2/repository")
_GROUP = "org.navitas"
_ARTIFACT = "navitas-gradle-plugin"
# Gradle resolves this artifact for a plugin id; it depends on the jar.
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
    """Write this version's plugin into a Maven repository, replacing an earlier copy. Returns the repository's path.

    Raises `BuildError` if it cannot be written.
    """
    root = with_home(repository)
    if str(root).startswith("~"):
        raise BuildError(f"{repository}: there is no such home folder", "Name a folder with --repository.")
    root = root.absolute()
    plugin = jar(f"{_ARTIFACT}.jar")
    names = {"group": _GROUP, "artifact": _ARTIFACT, "version": __version__}
    try:
        _put(root, _ARTIFACT, "jar", plugin.read_bytes())
        _put(root, _ARTIFACT, "pom", _POM.format(**names, rest="").encode())
        marker = _POM.format(group=_GROUP, artifact=_MARKER, version=__version__, rest=_TO_JAR.format(**names))
        _put(root, _MARKER, "pom", marker.encode())
    except OSError as error:
        place = error.filename2 or error.filename or root
        raise BuildError(f"{place}: {error.strerror}", "Name a writable folder with --repository.") from error
    return root


def _put(root: Path, artifact: str, kind: str, data: bytes) -> None:
    """Write a file of an artifact atomically, so that a running build never reads half of it."""
    folder = root.joinpath(*_GROUP.split("."), artifact, __version__)
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    write_new(folder / f"{artifact}-{__version__}.{kind}", data)
