"""Install the Gradle plugin into a Maven repository on disk, for `plugins { id 'org.navitas' }`."""

from __future__ import annotations

from pathlib import Path

from navitas import __version__
from navitas.base.errors import BuildError
from navitas.base.new_files import remove_abandoned, write_new
from navitas.base.user_folders import with_home
from navitas.capture.build.java import jar

LOCAL = Path("~/.m2/repository")
GROUP = "org.navitas"
ARTIFACT = "navitas-gradle-plugin"
MARKER = "org.navitas.gradle.plugin"
"""Gradle resolves this artifact for the plugin id `org.navitas`. It depends on the jar."""
# Name, description and the elements after them are those that Maven Central requires. instrumenter/pom.xml has the same ones.
_POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>{packaging}</packaging>
  <name>{name}</name>
  <description>{description}</description>
  <url>https://navitas.example</url>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
      <distribution>repo</distribution>
    </license>
  </licenses>
  <developers>
    <developer><name>Navitas contributors</name><url>https://navitas.example</url></developer>
  </developers>
  <scm>
    <connection>scm:git:https://navitas.example/navitas.git</connection>
    <url>https://navitas.example/navitas</url>
  </scm>
{rest}</project>
"""
_TO_JAR = """\
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
  </dependencies>
"""
_JAR = "Gradle plugin of Navitas: joules per method and per thread of a build's tests"
_MARKER = "Plugin marker: leads from the plugin id org.navitas to its jar"


def install_plugin(repository: Path) -> Path:
    """Write this version's plugin into a Maven repository, replacing an earlier copy. Returns the repository's path.

    Raises `BuildError` if it cannot be written.
    """
    root = with_home(repository)
    if str(root).startswith("~"):
        raise BuildError(f"{repository}: there is no such home folder", "Name a folder with --repository.")
    root = root.absolute()
    plugin = jar(f"{ARTIFACT}.jar")
    try:
        _put(root, ARTIFACT, "jar", plugin.read_bytes())
        # The jar contains its libraries, so its POM has no dependencies.
        _put(root, ARTIFACT, "pom", _pom(ARTIFACT, "jar", "Navitas Gradle plugin", _JAR))
        _put(root, MARKER, "pom", _pom(MARKER, "pom", "Navitas Gradle plugin marker", _MARKER, _TO_JAR))
    except OSError as error:
        place = error.filename2 or error.filename or root
        raise BuildError(f"{place}: {error.strerror}", "Name a writable folder with --repository.") from error
    return root


def _put(root: Path, artifact: str, kind: str, data: bytes) -> None:
    """Write a file of an artifact atomically, so that a running build never reads half of it."""
    folder = root.joinpath(*GROUP.split("."), artifact, __version__)
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    write_new(folder / f"{artifact}-{__version__}.{kind}", data)


def _pom(artifact: str, packaging: str, name: str, description: str, rest: str = "") -> bytes:
    values = {"group": GROUP, "version": __version__, "name": name, "description": description, "packaging": packaging}
    return _POM.format(**values, artifact=artifact, rest=rest.format(**values, artifact=ARTIFACT)).encode()
