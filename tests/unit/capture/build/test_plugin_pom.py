"""The POMs of the Gradle plugin have what Maven Central requires, and those of the Java modules agree with them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from navitas import __version__
from navitas.capture.build.plugin_repository import install_plugin

ROOT = Path(__file__).parents[4]
MODULES = sorted(
    path for name in ("instrumenter", "gradle-plugin") for path in (ROOT / name).rglob("pom.xml") if "target" not in path.parts
)
_NAMES = {"m": "http://maven.apache.org/POM/4.0.0"}
REQUIRED = (
    *("m:url", "m:licenses/m:license/m:name", "m:licenses/m:license/m:url", "m:licenses/m:license/m:distribution"),
    *("m:developers/m:developer/m:name", "m:developers/m:developer/m:url", "m:scm/m:connection", "m:scm/m:url"),
)


def text(pom: ElementTree.Element, path: str) -> str:
    return (pom.findtext(path, "", _NAMES)).strip()


def parent(path: Path) -> Path | None:
    """The POM of a module's parent, as Maven finds it."""
    pom = ElementTree.parse(path).getroot()
    if pom.find("m:parent", _NAMES) is None:
        return None
    found = (path.parent / (text(pom, "m:parent/m:relativePath") or "../pom.xml")).resolve()
    assert text(ElementTree.parse(found).getroot(), "m:artifactId") == text(pom, "m:parent/m:artifactId")
    return found


@pytest.mark.usefixtures("made_plugin_jar")
def test_the_poms_of_the_plugin_are_complete(tmp_path: Path) -> None:
    poms = [ElementTree.parse(path).getroot() for path in sorted(install_plugin(tmp_path / "repo").rglob("*.pom"))]
    assert [text(pom, "m:artifactId") for pom in poms] == ["navitas-gradle-plugin", "org.navitas.gradle.plugin"]
    assert [text(pom, "m:packaging") for pom in poms] == ["jar", "pom"]
    top = ElementTree.parse(ROOT / "instrumenter/pom.xml").getroot()
    for pom in poms:
        assert (text(pom, "m:groupId"), text(pom, "m:version")) == ("org.navitas", __version__)
        assert text(pom, "m:name") and text(pom, "m:description")
        values = [text(pom, path) for path in REQUIRED]
        assert all(values) and values == [text(top, path) for path in REQUIRED]
    source = ElementTree.parse(ROOT / "gradle-plugin/plugin/pom.xml").getroot()
    assert text(source, "m:description") == text(poms[0], "m:description")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_each_module_has_a_name_and_inherits_the_rest(path: Path) -> None:
    assert text(ElementTree.parse(path).getroot(), "m:name")
    top = path
    while (above := parent(top)) is not None:
        assert not [one for one in REQUIRED if text(ElementTree.parse(top).getroot(), one)], "inherited values are stated once"
        top = above
    assert top == ROOT / "instrumenter/pom.xml"
    pom = ElementTree.parse(top).getroot()
    assert text(pom, "m:version") == __version__ and text(pom, "m:description")
