"""The plugin lies where Gradle and Maven look for it."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from navitas import __version__
from navitas.base.errors import BuildError
from navitas.capture.build.plugin_repository import install_plugin

POM = "{http://maven.apache.org/POM/4.0.0}"


pytestmark = pytest.mark.usefixtures("made_plugin_jar")


def test_jar_and_marker_lead_to_each_other(tmp_path: Path) -> None:
    root = install_plugin(tmp_path / "my repo")
    plugin = root / f"org/navitas/navitas-gradle-plugin/{__version__}/navitas-gradle-plugin-{__version__}"
    assert plugin.with_name(f"{plugin.name}.jar").read_bytes() == (tmp_path / "jars" / "navitas-gradle-plugin.jar").read_bytes()
    assert ElementTree.parse(f"{plugin}.pom").findtext(f"{POM}artifactId") == "navitas-gradle-plugin"
    marker = ElementTree.parse(
        root / f"org/navitas/org.navitas.gradle.plugin/{__version__}/org.navitas.gradle.plugin-{__version__}.pom"
    )
    dependency = marker.find(f"{POM}dependencies/{POM}dependency")
    assert dependency is not None
    assert [element.text for element in dependency] == ["org.navitas", "navitas-gradle-plugin", __version__]
    assert not list(root.rglob("*.part"))


def test_installing_again_replaces(tmp_path: Path) -> None:
    install_plugin(tmp_path / "repo")
    (tmp_path / "jars" / "navitas-gradle-plugin.jar").write_bytes(b"newer")
    install_plugin(tmp_path / "repo")
    (jar,) = (tmp_path / "repo").rglob("*.jar")
    assert jar.read_bytes() == b"newer"


def test_whatever_lies_in_a_file_s_place_is_replaced_or_named(tmp_path: Path) -> None:
    folder = tmp_path / "repo/org/navitas/navitas-gradle-plugin" / __version__
    folder.mkdir(parents=True)
    pom = folder / f"navitas-gradle-plugin-{__version__}.pom"
    os.mkfifo(pom)  # would be waited for
    install_plugin(tmp_path / "repo")
    assert pom.is_file() and sorted(path.suffix for path in folder.iterdir()) == [".jar", ".pom"]
    pom.unlink()
    pom.mkdir()
    with pytest.raises(BuildError, match=pom.name):
        install_plugin(tmp_path / "repo")
    assert len(list(folder.iterdir())) == 2


def test_a_home_that_does_not_exist_is_reported() -> None:
    with pytest.raises(BuildError, match="~nosuchuser/repo: there is no such home"):
        install_plugin(Path("~nosuchuser/repo"))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match="file") as caught:
        install_plugin(tmp_path / "file" / "repo")
    assert "--repository" in caught.value.remedy
