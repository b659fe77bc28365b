"""The Maven POMs of the Gradle plugin: of its jar, and of the marker by which Gradle finds a plugin from its id."""

from __future__ import annotations

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


def jar_pom(version: str) -> str:
    """Return the POM of the plugin's jar. The jar contains its libraries, so there are no dependencies."""
    description = "Gradle plugin of Navitas: joules per method and per thread of a build's tests"
    return _pom(ARTIFACT, version, "jar", name="Navitas Gradle plugin", description=description)


def marker_pom(version: str) -> str:
    """Return the POM of the marker."""
    rest = _TO_JAR.format(group=GROUP, artifact=ARTIFACT, version=version)
    description = "Plugin marker: leads from the plugin id org.navitas to its jar"
    return _pom(MARKER, version, "pom", name="Navitas Gradle plugin marker", description=description, rest=rest)


def _pom(artifact: str, version: str, packaging: str, *, name: str, description: str, rest: str = "") -> str:
    values = {"name": name, "description": description, "rest": rest}
    return _POM.format(group=GROUP, artifact=artifact, version=version, packaging=packaging, **values)
